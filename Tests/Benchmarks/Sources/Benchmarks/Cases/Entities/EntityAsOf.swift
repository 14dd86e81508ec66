import Foundation

/// Entities as they were at a date, a hundred at a time.
enum EntityAsOf: BenchmarkCase {
    static let name = "entity-as-of"
    static let summary = "entities as of a date, 100 a call"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        try await EntityPeers.with(bench) { peers in
            let entities = peers.entities
            let picks = entities.picks(EntityPeers.pickCount(bench))
            let change = EntitySet.changeCount / 2
            let date = EntitySet.date(ofChange: change).addingTimeInterval(1)
            let expected = entities.sums(picks, changes: change)
            let contest = try await Contest(
                [
                    Contender(name: EntityStorePeer.name) {
                        try await EntityPeers.rate(picks, expected, of: EntityStorePeer.name) {
                            try await peers.store.read(entities, $0, asOf: date)
                        }
                    },
                    Contender(name: EntityTablePeer.name) {
                        try await EntityPeers.rate(picks, expected, of: EntityTablePeer.name) {
                            try peers.table.read(entities, $0, asOf: date)
                        }
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
