import Settle

// Rows as they come from the text of a page: nearly all have names of which none could be taken for a column
// of another spelling, and are parted by the bytes of their names.

extension TableColumns {
    /// The table's own columns of a row.
    struct OwnColumns {
        var id: String?
        var version: String?
        var isDeleted: Bool
        var createdAt: String?
        var updatedAt: String?
    }

    /// The members of a packed row without the table's columns, and those.
    ///
    /// - Parameter row: The row.
    /// - Returns: Nil when the row is no object, has `@removed`, or a member whose name may be one that
    ///   travels with a mark: such a row is read as a tree.
    func parting(_ row: PackedValue) -> (rest: PackedValue, own: OwnColumns)? {
        let parts = try? row.parting(into: Self.ownCount) { bytes, name in part(bytes, name) }
        guard let parts else { return nil }
        func text(_ number: Int) -> String? { parts.taken[number]?.stringValue }
        return (
            parts.rest,
            OwnColumns(
                id: text(0), version: text(1), isDeleted: parts.taken[2]?.boolValue ?? false,
                createdAt: text(3), updatedAt: text(4))
        )
    }

    /// Whether every member of a packed object surely travels under its own name.
    func keepsNames(of members: PackedValue) -> Bool {
        let parts = try? members.parting(into: 0) { bytes, name in
            if case .kept = part(bytes, name) { .kept } else { .odd }
        }
        return parts != nil
    }

    /// How many columns there are in ``ownNames``.
    private static let ownCount = 5

    /// What becomes of a member.
    private func part(_ bytes: Span<UInt8>, _ name: Range<Int>) -> PackedValue.Part {
        for number in ownNames.indices where ownNames[number].count == name.count {
            if name.isEmpty { return .kept }
            if Self.isEqual(ownNames[number], bytes, name.lowerBound) { return .taken(number) }
        }
        // Marks are underscores, or begin with one where columns do, too.
        var start = name.lowerBound
        while start < name.upperBound, bytes[start] == UInt8(ascii: "_") { start += 1 }
        if start > name.lowerBound, reservedPrefix != nil { return .odd }
        if start < name.upperBound, bytes[start] == UInt8(ascii: "@") { return .odd }
        for own in ownNames where own.count == name.upperBound - start {
            if Self.isAlike(own, bytes, start) { return .odd }
        }
        return .kept
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
