import SettleDocuments
import SettlePrimitives

/// The row keys a query covers: at least `lower`, less than `upper`.
struct KeyRange {
    /// The first key that counts; nil for the first row.
    var lower: [UInt8]?
    /// The first key that no longer counts; nil for none.
    var upper: [UInt8]?

    /// Translates the start and end of a query, which change places in a descending one.
    init(
        start: IndexQuery.KeyBound?, end: IndexQuery.KeyBound?, isDescending: Bool,
        _ definition: IndexDefinition
    ) {
        let (low, high) = isDescending ? (end, start) : (start, end)
        lower = low.map { bound in
            let prefix = Self.prefix(of: bound, definition)
            return bound.isInclusive ? prefix : Self.after(prefix)
        }
        upper = high.map { bound in
            let prefix = Self.prefix(of: bound, definition)
            return bound.isInclusive ? Self.after(prefix) : prefix
        }
    }

    /// The rows with one key.
    init(of key: JSONValue, _ definition: IndexDefinition) {
        let prefix = definition.memory.key(for: key)
        lower = prefix
        upper = Self.after(prefix)
    }

    /// The keys that begin with these bytes.
    init(prefix: [UInt8]) {
        lower = prefix
        upper = Self.after(prefix)
    }

    /// True when no key can be in it.
    var isEmpty: Bool {
        guard let lower, let upper else { return false }
        return !lower.lexicographicallyPrecedes(upper)
    }

    /// Whether a row key is in it.
    func contains(_ key: [UInt8]) -> Bool {
        if let lower, KeyBytes.compare(key, lower) < 0 { return false }
        if let upper, KeyBytes.compare(key, upper) >= 0 { return false }
        return true
    }

    /// The keys that are in both ranges.
    func intersection(_ other: KeyRange) -> KeyRange {
        var both = self
        if let lower = other.lower, both.lower.map({ KeyBytes.compare($0, lower) < 0 }) ?? true {
            both.lower = lower
        }
        if let upper = other.upper, both.upper.map({ KeyBytes.compare(upper, $0) < 0 }) ?? true {
            both.upper = upper
        }
        return both
    }

    private static func prefix(
        of bound: IndexQuery.KeyBound, _ definition: IndexDefinition
    ) -> [UInt8] {
        guard bound.prefixLevel == 0 else {
            return Collator(definition.collation).prefix(for: bound.key, level: bound.prefixLevel)
        }
        var key = definition.memory.key(for: bound.key)
        guard let id = bound.documentID else { return key }
        key.append(contentsOf: id.utf8)
        key.append(0)
        return key
    }

    private static func after(_ prefix: [UInt8]) -> [UInt8] {
        // Only a prefix of nothing but FF bytes has no successor, and a collation key starts
        // with a type mark far below that.
        CollationKey.successor(ofPrefix: prefix) ?? prefix + [0xFF]
    }
}
