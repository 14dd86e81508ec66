import Foundation
import SettleEntities

/// The memory that an interchange takes beside that of the process, of many entities beside a tenth of them.
enum EntityMemory: BenchmarkCase {
    static let name = "entity-memory"
    static let summary = "memory of export and import, ten times the entities"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let large = bench.size.documentCount
        var outcomes: [(written: Outcome, read: Outcome)] = []
        // The small one first, so that what the allocator keeps of the large one does not hide it.
        for count in [large / 10, large] {
            outcomes.append(try await growth(count, bench))
        }
        return [
            Comparison(
                name, peer: "self-export", unit: "bytes", isHigherBetter: false,
                settle: [outcomes[1].written], peer: [outcomes[0].written],
                remark: "peak of the process, \(large) entities beside \(large / 10)"),
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
            let store = try await EntityStorePeer(in: folder.appendingPathComponent("one"))
            try await store.fill(EntitySet(count: count))
            let written = try await MemoryWatch.peak {
                try await store.datastore.encodeJSON(to: file)
            }
            await store.close()
            let other = try await EntityStorePeer(in: folder.appendingPathComponent("other"))
            let read = try await MemoryWatch.peak {
                let summary = try await other.datastore.decode(jsonAt: file)
                try BenchmarkError.check(
                    summary.entityCount, is: count, "The entities that were read")
            }
            await other.close()
            return (
                Outcome(value: Double(written.anonymous)), Outcome(value: Double(read.anonymous))
            )
        }
    }
}
