import SettleDocuments

extension Cosmos {
    /// A physical partition of a collection: the documents whose keys hash into a range.
    struct PartitionRange: Sendable, Hashable {
        /// Its id, which is never given again in the same collection.
        var id: String
        /// The lowest effective key, in hexadecimal digits; empty below all.
        var lower: String
        /// The effective key above all of it; `FF` above all.
        var upper: String
        /// The ids of the ranges that it came from by splits and merges, the oldest first.
        var parents: [String] = []

        /// Reads a range as the service lists it; nil when it has no id or no bounds.
        init?(_ body: PackedValue) {
            guard let json = try? body.value(), let id = json["id"]?.stringValue,
                let lower = json["minInclusive"]?.stringValue,
                let upper = json["maxExclusive"]?.stringValue
            else { return nil }
            self.init(
                id: id, lower: lower, upper: upper,
                parents: json["parents"]?.arrayValue?.compactMap(\.stringValue) ?? [])
        }

        init(id: String, lower: String, upper: String, parents: [String] = []) {
            self.id = id
            self.lower = lower
            self.upper = upper
            self.parents = parents
        }
    }
}
