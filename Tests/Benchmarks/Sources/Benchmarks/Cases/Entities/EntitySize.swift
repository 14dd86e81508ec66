import Settle
import SettleEntities

/// The bytes on the disk for all entities with their history and index.
enum EntitySize: BenchmarkCase {
    static let name = "entity-size"
    static let summary = "bytes on disk for all entities"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        try await EntityPeers.with(bench) { peers in
            try await peers.store.datastore.database.buildIndex(named: "entities")
            let grown = try peers.store.byteCount()
            try await peers.store.datastore.database.compact()
            let settle = [Outcome(value: Double(try peers.store.byteCount()))]
            let grdb = [Outcome(value: Double(try peers.table.byteCount()))]
            return [
                Comparison(
                    name, peer: EntityTablePeer.name, unit: "bytes", isHigherBetter: false,
                    target: .atMost(1), settle: settle, peer: grdb,
                    remark: "compacted; \(grown >> 20) MiB before")
            ]
        }
    }
}
