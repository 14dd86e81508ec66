import Foundation
import Settle

/// Settle with documents and the index of places, to observe while single documents are changed.
struct ObservedPlaces {
    let settle: SettlePeer
    /// The keys of its index, each once, in their order.
    let places: [Place]

    /// Hands a filled database to a closure, and closes and removes it afterwards.
    static func with<Value>(
        _ count: Int, _ bench: Bench, durability: Database.Durability = .full,
        _ body: (ObservedPlaces) async throws -> Value
    ) async throws -> Value {
        try await bench.scratch.withFolder { folder in
            let settle = try await SettlePeer(in: folder, durability: durability)
            var amounts = PlaceAmounts()
            try await DocumentGenerator.forEachBatch(of: count) { documents in
                amounts.add(documents)
                try await settle.insert(documents.texts, batch: documents.count)
            }
            try await settle.build(SettleIndexes.places)
            let value = try await body(ObservedPlaces(settle: settle, places: amounts.places))
            await settle.close()
            return value
        }
    }
}
