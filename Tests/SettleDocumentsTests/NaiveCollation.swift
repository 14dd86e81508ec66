import SettleDocuments

/// The collation order, compared value by value without keys.
struct NaiveCollation {
    /// Some strings in the order of the root collation, no two equal.
    static let texts = [
        "", "_", "-", "1", "10", "2", "a", "A", "á", "aa", "aA", "ab", "b", "B", "\u{FFFF}",
    ]

    let strings: Collator.Strings

    func compare(_ left: JSONValue, _ right: JSONValue) -> Int {
        if rank(left) != rank(right) { return rank(left) < rank(right) ? -1 : 1 }
        if let left = left.doubleValue, let right = right.doubleValue { return order(left, right) }
        if let left = left.stringValue, let right = right.stringValue { return texts(left, right) }
        if let left = left.arrayValue, let right = right.arrayValue {
            for (left, right) in zip(left, right) where compare(left, right) != 0 {
                return compare(left, right)
            }
            return order(Double(left.count), Double(right.count))
        }
        guard let left = left.objectValue, let right = right.objectValue else { return 0 }
        let leftNames = left.keys.sorted { texts($0, $1) < 0 }
        let rightNames = right.keys.sorted { texts($0, $1) < 0 }
        for (leftName, rightName) in zip(leftNames, rightNames) {
            if texts(leftName, rightName) != 0 { return texts(leftName, rightName) }
            let members = compare(left[leftName] ?? .null, right[rightName] ?? .null)
            if members != 0 { return members }
        }
        return order(Double(left.count), Double(right.count))
    }

    private func rank(_ value: JSONValue) -> Int {
        switch value {
        case .null: 0
        case .bool(let value): value ? 2 : 1
        case .integer, .double: 3
        case .string: 4
        case .array: 5
        case .object: 6
        }
    }

    private func texts(_ left: String, _ right: String) -> Int {
        switch strings {
        case .raw:
            let less = left.utf8.lexicographicallyPrecedes(right.utf8)
            return left.utf8.elementsEqual(right.utf8) ? 0 : less ? -1 : 1
        case .unicode:
            let places = [left, right].map { Double(Self.texts.firstIndex(of: $0) ?? -1) }
            return order(places[0], places[1])
        }
    }

    private func order(_ left: Double, _ right: Double) -> Int {
        left < right ? -1 : left > right ? 1 : 0
    }
}
