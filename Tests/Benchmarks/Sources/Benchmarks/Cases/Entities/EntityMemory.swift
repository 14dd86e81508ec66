import Foundation
import Settle
import SettleEntities

/// The memory of a process that exports or imports an interchange, of many entities beside a tenth of them.
enum EntityMemory: BenchmarkCase {
    static let name = "entity-memory"
    static let summary = "memory of export and import, ten times the entities"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let large = bench.size.documentCount
        var outcomes: [(written: Outcome, read: Outcome)] = []
        for count in [large / 10, large] {
            outcomes.append(try await growth(count, bench))
        }
        return [
            Comparison(
                name, peer: "self-export", unit: "bytes", isHigherBetter: false,
                settle: [outcomes[1].written], peer: [outcomes[0].written],
                remark: "peak of a process of its own, \(large) entities beside \(large / 10)"),
            Comparison(
                name, peer: "self-import", unit: "bytes", isHigherBetter: false,
                settle: [outcomes[1].read], peer: [outcomes[0].read]),
        ]
    }

    private static func growth(
        _ count: Int, _ bench: Bench
    ) async throws -> (written: Outcome, read: Outcome) {
        try await bench.scratch.withFolder { folder in
            let file = folder.appendingPathComponent("entities.json")
            let (one, other) = (
                folder.appendingPathComponent("one"), folder.appendingPathComponent("other")
            )
            let store = try await EntityStorePeer(in: one)
            try await store.fill(EntitySet(count: count))
            // Or the process that exports would have to.
            try await store.datastore.database.buildIndex(named: "entities")
            await store.close()
            let written = try InterchangeProcess.run(
                .exporting, file: file, folder: one, expecting: count)
            let read = try InterchangeProcess.run(
                .importing, file: file, folder: other, expecting: count)
            return (
                Outcome(value: Double(written.anonymous)), Outcome(value: Double(read.anonymous))
            )
        }
    }
}
