import Foundation
import Settle

/// An item of the far side as it is kept here: what a document was when both sides last agreed, or
/// what came while they did not.
///
/// Shape (Docs/Formats/Replication.md): layout, presence, flags, version, dates, members, source.
struct ServerState: Sendable, Hashable {
    var presence: ServerPresence
    var version: String?
    /// The members; for a deleted item those it was deleted with, as far as they are known.
    var members: [String: JSONValue]?
    var created: Date?
    var updated: Date?
    /// The hash of the query that showed the item last; 0 when none did since it was sent.
    ///
    /// Says whose business it is when the item leaves a query's sight.
    var source: UInt64 = 0

    /// No such item, not even a deleted one.
    static let absent = ServerState(presence: .absent)

    var isLive: Bool { presence == .live }

    init(presence: ServerPresence, version: String? = nil, members: [String: JSONValue]? = nil) {
        self.presence = presence
        self.version = version
        self.members = members
    }

    init(_ item: RemoteItem) {
        self.init(
            presence: item.isDeleted ? .deleted : .live, version: item.version,
            members: item.members)
        created = item.created
        updated = item.updated
    }

    /// Whether this is the same state of the item: by the versions, or without them by content.
    func isSame(as other: ServerState) -> Bool {
        guard presence == other.presence, version == other.version else { return false }
        return version != nil || members == other.members
    }

    /// Whether the far side says that this state was written after another.
    func isLater(than other: ServerState) -> Bool {
        guard let updated, let otherUpdated = other.updated else { return false }
        return updated > otherUpdated
    }

    /// Whether this is the same state of the item, seen when the far side did not tell its version:
    /// some answer a deletion with nothing.
    func isNamed(by other: ServerState) -> Bool {
        guard version == nil, other.version != nil, presence == other.presence else { return false }
        return !isLive || members.map { other.holds($0) } ?? false
    }

    /// Whether the document is what this state says: live with these members, or not there.
    func isEqual(to document: Document?) -> Bool {
        guard let document else { return !isLive }
        return isLive && members == document.members(withAttachments: carriesAttachments)
    }

    /// Whether the far side describes the item's attachments; otherwise those here are its own
    /// business.
    var carriesAttachments: Bool {
        members.flatMap { AttachmentMember.attachments(in: $0) } != nil
    }

    /// Whether the item is live and shows every one of `sent` as it was sent.
    ///
    /// The far side may have added members of its own as long as they are null (a table shows
    /// every column it has), and may write a whole number with or without a fraction. What it says
    /// of attachments does not count where `sent` says nothing of them.
    func holds(_ sent: [String: JSONValue]) -> Bool {
        guard isLive, let members else { return false }
        for (name, value) in sent where !value.isLoosely(members[name] ?? .null) { return false }
        return members.allSatisfy { name, value in
            value.isNull || sent[name] != nil || name == AttachmentMember.name && carriesAttachments
        }
    }
}

extension JSONValue {
    /// Equality that does not tell 1 from 1.0.
    fileprivate func isLoosely(_ other: JSONValue) -> Bool {
        switch (self, other) {
        case (.integer, .double), (.double, .integer):
            doubleValue == other.doubleValue
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isLoosely($1) }
        case (.object(let left), .object(let right)):
            left.count == right.count
                && left.allSatisfy { right[$0.key].map($0.value.isLoosely) ?? false }
        default:
            self == other
        }
    }
}

extension ServerState {
    private static let layout: UInt8 = 1

    private enum Flag {
        static let members: UInt8 = 1
        static let created: UInt8 = 2
        static let updated: UInt8 = 4
        static let source: UInt8 = 8
    }

    func write(to row: inout RowWriter) {
        row.write(byte: Self.layout)
        row.write(byte: presence.stored)
        row.write(
            byte: (members == nil ? 0 : Flag.members) | (created == nil ? 0 : Flag.created)
                | (updated == nil ? 0 : Flag.updated) | (source == 0 ? 0 : Flag.source))
        row.write(text: version)
        if let created { row.write(date: created) }
        if let updated { row.write(date: updated) }
        if let members { row.write(members: members) }
        if source != 0 { row.write(number: source) }
    }

    init(from row: inout RowReader) throws {
        guard try row.byte() == Self.layout,
            let presence = ServerPresence(stored: try row.byte())
        else { throw row.damage }
        let flags = try row.byte()
        self.init(presence: presence, version: try row.optionalText())
        if flags & Flag.created != 0 { created = try row.date() }
        if flags & Flag.updated != 0 { updated = try row.date() }
        if flags & Flag.members != 0 { members = try row.members() }
        if flags & Flag.source != 0 { source = try row.number() }
    }
}

extension RowWriter {
    /// Seconds since 1970, as the bits of a double.
    mutating func write(date: Date) {
        write(number: date.timeIntervalSince1970.bitPattern)
    }
}

extension RowReader {
    mutating func date() throws -> Date {
        Date(timeIntervalSince1970: Double(bitPattern: try number()))
    }
}

extension ServerPresence {
    fileprivate var stored: UInt8 {
        switch self {
        case .absent: 0
        case .live: 1
        case .deleted: 2
        }
    }

    fileprivate init?(stored: UInt8) {
        guard let presence = Self.allCases.first(where: { $0.stored == stored }) else {
            return nil
        }
        self = presence
    }
}
