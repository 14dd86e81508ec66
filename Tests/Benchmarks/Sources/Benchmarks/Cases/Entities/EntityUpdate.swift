import Foundation

/// One property of each entity, a hundred in a transaction that the system has when it is reported.
enum EntityUpdate: BenchmarkCase {
    static let name = "entity-update"
    static let summary = "one property of each, relaxed batches of 100"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        try await EntityPeers.with(bench) { peers in
            let entities = peers.entities
            let picks = Array(Set(entities.picks(EntityPeers.pickCount(bench)))).sorted {
                ($0 &* 48_271) % 65_537 < ($1 &* 48_271) % 65_537
            }
            let rounds = Counter()
            func rate(_ update: ([Int], @escaping @Sendable (Int) -> String) async throws -> Void)
                async throws -> Outcome
            {
                rounds.increment()
                let round = rounds.count
                return try await Stopwatch.rate(of: picks.count) {
                    for batch in picks.batches(of: EntityPeers.batchCount) {
                        try await update(Array(batch)) { "City \($0), round \(round)" }
                    }
                }
            }
            let contest = try await Contest(
                [
                    Contender(name: EntityStorePeer.name) {
                        peers.store.advance(to: EntitySet.date(ofChange: 11 + rounds.count))
                        return try await rate { try await peers.store.update(entities, $0, $1) }
                    },
                    Contender(name: EntityTablePeer.name) {
                        try await rate { picks, city in
                            try peers.table.update(
                                entities, picks, at: EntitySet.date(ofChange: 10 + rounds.count),
                                city)
                        }
                    },
                    Contender(name: PersonDocumentPeer.name) {
                        try await rate { try await peers.documents.update(entities, $0, $1) }
                    },
                ], repetitions: bench.size.repetitions)
            return [
                Comparison(
                    name, peer: EntityTablePeer.name, unit: "entities/s", target: .atLeast(1.5),
                    settle: contest[EntityStorePeer.name], peer: contest[EntityTablePeer.name],
                    remark: "the index of Settle is brought up to date when it is asked"),
                Comparison(
                    name, peer: "self-documents", unit: "entities/s", target: .atLeast(0.4),
                    settle: contest[EntityStorePeer.name], peer: contest[PersonDocumentPeer.name],
                    remark: "plain documents, without a history"),
            ]
        }
    }
}
