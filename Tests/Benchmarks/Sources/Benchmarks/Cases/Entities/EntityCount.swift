import Foundation
import Settle
import SettleEntities

/// The number of entities of a type, of many beside few.
enum EntityCount: BenchmarkCase {
    static let name = "entity-count"
    static let summary = "count by type, many entities beside few"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let counts = bench.size.indexCounts
        return try await bench.scratch.withFolder { folder in
            var stores: [(store: EntityStorePeer, count: Int)] = []
            for count in [counts.small, counts.large] {
                let store = try await EntityStorePeer(in: folder.appendingPathComponent("\(count)"))
                try await store.fill(EntitySet(count: count), changes: 0)
                try await store.datastore.database.buildIndex(named: "entities")
                stores.append((store, count))
            }
            let contest = try await Contest(
                stores.map { store, count in
                    Contender(name: "\(count)") {
                        try await Stopwatch.steadyRate { _ in
                            let found = try await store.datastore.count(
                                entitiesOfTypes: [EntityType(EntitySet.type)])
                            try BenchmarkError.check(found, is: [count], "The count")
                        }.microseconds
                    }
                }, repetitions: bench.size.repetitions)
            for (store, _) in stores { await store.close() }
            return [
                Comparison(
                    name, peer: "self-small", unit: "µs", isHigherBetter: false, target: .atMost(2),
                    settle: contest["\(counts.large)"], peer: contest["\(counts.small)"],
                    remark: "\(counts.large) entities beside \(counts.small)")
            ]
        }
    }
}
