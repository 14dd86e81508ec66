import SettleDocuments

/// The row keys a query covers: at least `lower`, less than `upper`.
struct KeyRange {
    /// The first key that counts; nil for the first row.
    let lower: [UInt8]?
    /// The first key that no longer counts; nil for none.
    let upper: [UInt8]?

    /// Translates the start and end of a query, which change places in a descending one.
    init(
        start: IndexQuery.KeyBound?, end: IndexQuery.KeyBound?, isDescending: Bool,
        collator: Collator
    ) {
        let (low, high) = isDescending ? (end, start) : (start, end)
        lower = low.map { bound in
            let prefix = Self.prefix(of: bound, collator)
            return bound.isInclusive ? prefix : Self.after(prefix)
        }
        upper = high.map { bound in
            let prefix = Self.prefix(of: bound, collator)
            return bound.isInclusive ? Self.after(prefix) : prefix
        }
    }

    private static func prefix(of bound: IndexQuery.KeyBound, _ collator: Collator) -> [UInt8] {
        let key = collator.key(for: bound.key)
        guard let id = bound.documentID else { return key }
        return RowKey.prefix(collationKey: key, documentID: id)
    }

    private static func after(_ prefix: [UInt8]) -> [UInt8] {
        // Only a prefix of nothing but FF bytes has no successor, and a collation key starts
        // with a type mark far below that.
        CollationKey.successor(ofPrefix: prefix) ?? prefix + [0xFF]
    }
}
