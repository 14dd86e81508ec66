import Foundation

/// Entities in a datastore, in the textbook's tables, and as plain documents.
struct EntityPeers {
    let entities: EntitySet
    let store: EntityStorePeer
    let table: EntityTablePeer
    let documents: PersonDocumentPeer

    /// Hands filled engines to a closure, and closes and removes them afterwards.
    static func with<Value>(
        _ bench: Bench, _ body: (EntityPeers) async throws -> Value
    ) async throws -> Value {
        let entities = EntitySet(count: bench.size.documentCount)
        return try await bench.scratch.withFolder { folder in
            let store = try await EntityStorePeer(in: folder)
            try await store.fill(entities)
            let table = try EntityTablePeer(in: folder)
            try table.fill(entities)
            let documents = try await PersonDocumentPeer(in: folder)
            try await documents.fill(entities)
            let value = try await body(
                EntityPeers(entities: entities, store: store, table: table, documents: documents))
            try table.close()
            await store.close()
            await documents.close()
            return value
        }
    }

    /// How many entities are handed to one call.
    static let batchCount = 100

    /// How many of the entities are asked for in one repetition.
    static func pickCount(_ bench: Bench) -> Int {
        min(bench.size.readCount / 10, bench.size.documentCount)
    }

    /// The rate at which batches of entities are read.
    static func rate(
        _ picks: [Int], _ expected: FieldSums, of engine: String,
        _ read: (ArraySlice<Int>) async throws -> FieldSums
    ) async throws -> Outcome {
        try await Stopwatch.rate(of: picks.count) {
            var sums = FieldSums()
            for batch in picks.batches(of: batchCount) {
                let found = try await read(batch)
                sums.count += found.count
                sums.amounts += found.amounts
                sums.textBytes += found.textBytes
            }
            try BenchmarkError.check(sums, is: expected, "What \(engine) read of entities")
        }
    }
}
