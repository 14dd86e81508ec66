import Settle

/// The indexes that are measured, as Settle has them.
enum SettleIndexes {
    /// `[type, address.city] -> amount`, declared.
    static let places = Database.Index.keyPaths(
        name: "byPlace", keys: [["type"], ["address", "city"]], value: ["amount"], reduce: .sum)

    /// The same by a closure that reads values of any type.
    static let placesByClosure = Database.Index(
        name: places.name, version: "closure", builtInReduce: .sum
    ) { document, addIndexRow in
        let address = document["address"] as? [String: Any]
        addIndexRow([document["type"], address?["city"]] as [Any?], document["amount"])
    }

    /// The same by a closure that reads members by their types.
    static let placesByType = Database.Index.views(
        name: places.name, version: "typed", builtInReduce: .sum
    ) { view, rows in
        try rows.emit(
            view.string("type"), view.string(at: "address", "city"),
            value: view.integer("amount"))
    }

    /// How many documents there are of each type, counted by a reduce function in Swift.
    static let types = Database.Index(
        name: "types", version: "1",
        map: { document, addIndexRow in addIndexRow(document["type"], nil) },
        reduce: { keys, values, rereduce in
            var counts: [String: Int] = [:]
            if rereduce {
                for partial in values.compactMap({ $0 as? [String: Int] }) {
                    counts.merge(partial) { $0 + $1 }
                }
            } else {
                for key in keys.compactMap({ $0 as? String }) { counts[key, default: 0] += 1 }
            }
            return counts
        })
}
