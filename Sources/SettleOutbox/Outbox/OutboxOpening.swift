import Foundation
import Settle

/// Brings a stored queue into the form of a configuration, before anything is started.
struct OutboxOpening {
    let table: OutboxTable
    let now: Date

    private var schedule: OperationSchedule { OperationSchedule(table: table, now: now) }

    func run(_ configurations: [PipelineConfiguration]) throws {
        let records = try table.pipelines()
        for record in records { try schedule.recover(record.number) }
        var stored = try united(records)
        var counters = try table.counters()
        for pipeline in configurations {
            var record = stored[pipeline.name]
            if let known = record, !known.name.utf8.elementsEqual(pipeline.name.utf8) {
                // The same name by other bytes; it is stored as the app has it now.
                try table.remove(known)
                stored[pipeline.name] = nil
                record?.name = pipeline.name
            }
            for name in pipeline.previousNames.sorted() {
                guard let old = stored.removeValue(forKey: name) else { continue }
                try table.remove(old)
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

    /// The pipelines by their names, each name once.
    ///
    /// Names that are equal as texts may have been stored by different bytes: then the operations of all
    /// of them are moved to the first.
    private func united(_ records: [PipelineRecord]) throws -> [String: PipelineRecord] {
        var found: [String: PipelineRecord] = [:]
        for record in records {
            guard var first = found[record.name] else {
                found[record.name] = record
                continue
            }
            try move(record, to: &first)
            try table.remove(record)
            try table.set(first)
            found[record.name] = first
        }
        return found
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
            try table.remove(record)
        }
        if target != stored[main] { try table.set(target) }
    }

    private func move(_ old: PipelineRecord, to new: inout PipelineRecord) throws {
        new.strictGraphLast = max(new.strictGraphLast, old.strictGraphLast)
        try schedule.moveAll(from: old.number, to: new.number)
    }
}
