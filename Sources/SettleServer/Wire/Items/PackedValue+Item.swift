import Settle
import SettleTableProtocol

// Nearly all bodies have no member that could be taken for a column in another spelling, and describe no
// attachments: those are taken apart in one pass over the bytes of their names.

extension PackedValue {
    /// The body of an insert or an update, taken apart.
    struct ItemParts {
        /// All members but the columns of the table.
        var rest: PackedValue
        var id: PackedValue?
        var version: PackedValue?
        var deleted: PackedValue?
    }

    /// The members of an item and the columns of the table that are among them.
    ///
    /// - Parameters:
    ///   - purpose: What the body is for.
    ///   - dialect: The version of the protocol.
    /// - Returns: Nil when a member asks for a closer look: one that says that an item left its reader's
    ///   sight, describes attachments, or has the name of a column that may not be there, or nearly.
    func parting(for purpose: ItemBody.Purpose, in dialect: TableDialect) -> ItemParts? {
        let isOverwriting = dialect.systemMembers == .overwritten
        let mayHaveAll = isOverwriting && purpose != .update
        let parts = Self.sound { () throws(PackedError) in
            try partingPacked(into: 4) { bytes, name in
                switch name.count {
                case 2:
                    return Self.part(Self.id, mayBe: 0, bytes, name)
                case 7:
                    let version = Self.part(
                        Self.version, mayBe: isOverwriting && !mayHaveAll ? nil : 1, bytes, name)
                    guard case .kept = version else { return version }
                    return Self.part(Self.deleted, mayBe: mayHaveAll ? 2 : nil, bytes, name)
                case 9:
                    let updated = Self.part(
                        Self.updatedAt, mayBe: mayHaveAll ? 3 : nil, bytes, name)
                    guard case .kept = updated else { return updated }
                    return Self.part(Self.createdAt, mayBe: nil, bytes, name)
                case Self.removal.count: return Self.part(Self.removal, mayBe: nil, bytes, name)
                case Self.attachments.count:
                    return Self.part(Self.attachments, mayBe: nil, bytes, name)
                default: return .kept
                }
            }
        }
        guard let parts else { return nil }
        return ItemParts(
            rest: parts.rest, id: parts.taken[0], version: parts.taken[1], deleted: parts.taken[2])
    }

    private static let id = Array(SystemColumn.id.rawValue.utf8)
    private static let version = Array(SystemColumn.version.rawValue.utf8)
    private static let deleted = Array(SystemColumn.deleted.rawValue.utf8)
    private static let updatedAt = Array(SystemColumn.updatedAt.rawValue.utf8)
    private static let createdAt = Array(SystemColumn.createdAt.rawValue.utf8)
    private static let removal = Array(RemovalMark.name.utf8)
    private static let attachments = Array(AttachmentColumn.name.utf8)

    /// What becomes of a member with a name of as many bytes as a column's has; `number` is what a column is
    /// taken out under, nil for one that may not be there.
    private static func part(
        _ column: [UInt8], mayBe number: Int?, _ bytes: Span<UInt8>, _ name: Range<Int>
    ) -> Part {
        var isEqual = true
        for place in column.indices {
            let byte = bytes[name.lowerBound + place]
            if byte >= 0x80 { return .odd }
            if byte == column[place] { continue }
            isEqual = false
            // Letters differ in this bit alone between upper and lower case.
            if byte | 0x20 != column[place] | 0x20 { return .kept }
        }
        return isEqual ? number.map { .taken($0) } ?? .odd : .odd
    }
}
