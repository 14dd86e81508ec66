import Foundation

/// The engines with all documents in them, to read from.
struct FilledPeers {
    let settle: SettlePeer
    let floor: FloorPeer
    let grdb: GRDBPeer
    let input: FloorPeer.Input

    /// Hands filled engines to a closure, and closes and removes them afterwards.
    static func with<Value>(
        _ bench: Bench, _ body: (FilledPeers) async throws -> Value
    ) async throws -> Value {
        let documents = bench.documents
        return try await bench.scratch.withFolder { folder in
            let settle = try await SettlePeer(in: folder)
            try await settle.insert(documents.texts, batch: documents.count)
            let floor = try FloorPeer(in: folder)
            defer { floor.close() }
            let input = FloorPeer.Input(documents)
            try floor.insert(input, batch: documents.count)
            let grdb = try GRDBPeer(in: folder)
            try grdb.insert(documents.identifiers, documents.strings, batch: documents.count)
            let value = try await body(
                FilledPeers(settle: settle, floor: floor, grdb: grdb, input: input))
            try grdb.close()
            await settle.close()
            return value
        }
    }
}
