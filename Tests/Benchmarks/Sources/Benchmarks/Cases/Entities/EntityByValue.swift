/// Entities by the value of a property that one has, a hundred at a time.
enum EntityByValue: BenchmarkCase {
    static let name = "entity-by-value"
    static let summary = "the entity with a value, 100 a call"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        try await EntityPeers.with(bench) { peers in
            let entities = peers.entities
            let picks = entities.picks(EntityPeers.pickCount(bench))
            // Brings the index up to date.
            _ = try await peers.store.find(entities, picks.prefix(1))
            func rate(_ find: (ArraySlice<Int>) async throws -> Int) async throws -> Outcome {
                try await Stopwatch.rate(of: picks.count) {
                    var count = 0
                    for batch in picks.batches(of: EntityPeers.batchCount) {
                        count += try await find(batch)
                    }
                    try BenchmarkError.check(count, is: picks.count, "The entities that were found")
                }
            }
            let contest = try await Contest(
                [
                    Contender(name: EntityStorePeer.name) {
                        try await rate { try await peers.store.find(entities, $0) }
                    },
                    Contender(name: EntityTablePeer.name) {
                        try await rate { try peers.table.find(entities, $0) }
                    },
                ], repetitions: bench.size.repetitions)
            return [
                Comparison(
                    name, peer: EntityTablePeer.name, unit: "entities/s", target: .atLeast(2),
                    settle: contest[EntityStorePeer.name], peer: contest[EntityTablePeer.name])
            ]
        }
    }
}
