import Foundation

/// The engines with documents and the index `[type, address.city] -> amount` over them.
struct IndexedPeers {
    let settle: SettlePeer
    /// The rows of the index alone.
    let floor: FloorPeer
    let grdb: GRDBPeer
    /// What is in them.
    let amounts: PlaceAmounts

    /// Fills engines in a new folder.
    init(_ count: Int, in folder: URL) async throws {
        let settle = try await SettlePeer(in: folder)
        let floor = try FloorPeer(in: folder)
        let grdb = try GRDBPeer(in: folder)
        var amounts = PlaceAmounts()
        try await DocumentGenerator.forEachBatch(of: count) { documents in
            amounts.add(documents)
            try await settle.insert(documents.texts, batch: documents.count)
            try floor.insert(
                FloorPeer.Input(documents), batch: documents.count, appends: true)
            try grdb.insert(documents.identifiers, documents.strings, batch: documents.count)
        }
        try await settle.build(SettleIndexes.places)
        let rows = try FloorPeer(in: folder, named: "floor-index")
        try rows.buildIndex(of: floor)
        floor.close()
        try grdb.createIndex()
        try grdb.withPlaces { try $0.checkPlans(GRDBKeys(amounts.places)) }
        (self.settle, self.floor, self.grdb, self.amounts) = (settle, rows, grdb, amounts)
    }

    func close() async throws {
        floor.close()
        try grdb.close()
        await settle.close()
    }
}
