import Foundation
import Settle

/// Brings a stored queue into the form of a configuration, before anything is started.
struct OutboxOpening {
    let table: OutboxTable
    let now: Date

    private var schedule: OperationSchedule { OperationSchedule(table: table, now: now) }

    func run(_ configurations: [PipelineConfiguration]) throws {
        var stored = Dictionary(uniqueKeysWithValues: try table.pipelines().map { ($0.name, $0) })
        for record in stored.values { try schedule.recover(record.number) }
        var counters = try table.counters()
        for pipeline in configurations {
            var record = stored[pipeline.name]
            for name in pipeline.previousNames.sorted() {
                guard let old = stored.removeValue(forKey: name) else { continue }
                try table.remove(OutboxRowKey.pipeline(name))
                if var known = record {
                    try move(old, to: &known)
                    record = known
                } else {
                    record = old
                    record?.name = pipeline.name
                }
            }
            if record == nil {
                counters.pipeline += 1
                record = PipelineRecord(name: pipeline.name, number: counters.pipeline)
            }
            record?.algorithm = pipeline.algorithm
            guard let record else { continue }
            if record != stored[pipeline.name] { try table.set(record) }
            stored[pipeline.name] = record
        }
        try moveRemoved(stored, configurations)
        if try counters != table.counters() { try table.set(counters) }
    }

    /// Moves the operations of pipelines that are no more to the one that takes what is for no other.
    private func moveRemoved(
        _ stored: [String: PipelineRecord], _ configurations: [PipelineConfiguration]
    ) throws {
        let names = Set(configurations.map(\.name))
        let main = Outbox.mainPipeline(of: configurations.map(\.name))
        guard var target = stored[main] else { return }
        for (name, record) in stored.sorted(by: { $0.key < $1.key }) where !names.contains(name) {
            try move(record, to: &target)
            try table.remove(OutboxRowKey.pipeline(name))
        }
        if target != stored[main] { try table.set(target) }
    }

    private func move(_ old: PipelineRecord, to new: inout PipelineRecord) throws {
        new.strictGraphLast = max(new.strictGraphLast, old.strictGraphLast)
        try schedule.moveAll(from: old.number, to: new.number)
    }
}
