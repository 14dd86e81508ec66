/// Entities by identifier with all their properties, a hundred at a time.
enum EntityRead: BenchmarkCase {
    static let name = "entity-read"
    static let summary = "entities with seven properties, 100 a call"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        try await EntityPeers.with(bench) { peers in
            let entities = peers.entities
            let picks = entities.picks(EntityPeers.pickCount(bench))
            let expected = entities.sums(picks, changes: EntitySet.changeCount)
            let first = entities.sums(picks, changes: 0)
            let contest = try await Contest(
                [
                    Contender(name: EntityStorePeer.name) {
                        try await EntityPeers.rate(picks, expected, of: EntityStorePeer.name) {
                            try await peers.store.read(entities, $0)
                        }
                    },
                    Contender(name: EntityTablePeer.name) {
                        try await EntityPeers.rate(picks, expected, of: EntityTablePeer.name) {
                            try peers.table.read(entities, $0)
                        }
                    },
                    Contender(name: PersonDocumentPeer.name) {
                        try await EntityPeers.rate(picks, first, of: PersonDocumentPeer.name) {
                            try await peers.documents.read(entities, $0)
                        }
                    },
                ], repetitions: bench.size.repetitions)
            return [
                Comparison(
                    name, peer: EntityTablePeer.name, unit: "entities/s", target: .atLeast(5),
                    settle: contest[EntityStorePeer.name], peer: contest[EntityTablePeer.name]),
                Comparison(
                    name, peer: "self-documents", unit: "entities/s", target: .atLeast(0.5),
                    settle: contest[EntityStorePeer.name], peer: contest[PersonDocumentPeer.name],
                    remark: "plain documents, without a history"),
            ]
        }
    }
}
