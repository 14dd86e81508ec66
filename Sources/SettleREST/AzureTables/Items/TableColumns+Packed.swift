import Settle

// Rows as they come from the text of a page, and documents as they go to a server: their names are compared with
// those of columns by their bytes, and no values are made.

extension TableColumns {
    /// The table's own columns of a row.
    struct OwnColumns {
        var id: String?
        var version: String?
        var isDeleted: Bool
        var createdAt: String?
        var updatedAt: String?
    }

    /// The members of a packed row under their own names, without the table's columns, and those.
    ///
    /// - Parameter row: The row.
    /// - Returns: Nil when the row is no object, has `@removed`, or a member whose name may be one that
    ///   only a tree of values can tell from a column: such a row is read as a tree.
    func parting(_ row: PackedValue) -> (rest: PackedValue, own: OwnColumns)? {
        let parts = try? row.parting(into: Self.ownCount) { bytes, name in
            if let number = number(bytes, name) { return .taken(number) }
            return switch likeness(bytes, name) {
            case .none: .kept
            // Another spelling of a column without a mark is no column, and no name that was marked.
            case .alike(let marks): marks == 0 ? .kept : .renamed(Self.utf8(bytes, name, from: 1))
            case .unclear: .odd
            }
        }
        guard let parts else { return nil }
        func text(_ number: Int) -> String? { parts.taken[number]?.stringValue }
        return (
            parts.rest,
            OwnColumns(
                id: text(0), version: text(1), isDeleted: parts.taken[2]?.boolValue ?? false,
                createdAt: text(3), updatedAt: text(4))
        )
    }

    /// A document's members under the names they travel with.
    ///
    /// - Parameter members: A packed object.
    /// - Returns: Nil when it is none, or has a member of which only a tree of values can tell its name.
    func escaped(_ members: PackedValue) -> PackedValue? {
        try? members.parting(into: 0) { bytes, name in
            switch likeness(bytes, name) {
            case .none: .kept
            case .alike: .renamed(markBytes + Self.utf8(bytes, name, from: 0))
            case .unclear: .odd
            }
        }?.rest
    }

    /// How many columns there are in ``ownNames``.
    private static let ownCount = 5

    /// What a name has to do with the names of columns.
    private enum Likeness {
        /// It cannot be taken for a column.
        case none
        /// It is a column's but for case, behind some marks.
        case alike(marks: Int)
        /// Its bytes do not tell.
        case unclear
    }

    /// The number of the column of exactly this name.
    private func number(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Int? {
        guard !name.isEmpty else { return nil }
        for number in ownNames.indices where ownNames[number].count == name.count {
            if Self.isEqual(ownNames[number], bytes, name.lowerBound) { return number }
        }
        return nil
    }

    private func likeness(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Likeness {
        // Marks are underscores, or begin with one where columns do, too.
        var start = name.lowerBound
        while start < name.upperBound, bytes[start] == UInt8(ascii: "_") { start += 1 }
        let marks = start - name.lowerBound
        if marks > 0, reservedPrefix != nil { return .unclear }
        if start < name.upperBound, bytes[start] == UInt8(ascii: "@") { return .unclear }
        let rest = name.upperBound - start
        guard rest > 0 else { return .none }
        for own in ownNames where own.count == rest {
            if Self.isAlike(own, bytes, start) { return .alike(marks: marks) }
        }
        return .none
    }

    private static func utf8(
        _ bytes: Span<UInt8>, _ name: Range<Int>, from first: Int
    ) -> [UInt8] {
        ((name.lowerBound + first)..<name.upperBound).map { bytes[$0] }
    }

    private static func isEqual(_ own: [UInt8], _ bytes: Span<UInt8>, _ start: Int) -> Bool {
        for place in own.indices where bytes[start + place] != own[place] { return false }
        return true
    }

    /// Whether a name is that of a column but for upper and lower case.
    private static func isAlike(_ own: [UInt8], _ bytes: Span<UInt8>, _ start: Int) -> Bool {
        for place in own.indices where bytes[start + place] | 0x20 != own[place] | 0x20 {
            return false
        }
        return true
    }
}
