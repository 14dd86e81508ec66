package import SettleDocuments
import SettleLMDB
import SettlePrimitives

/// The fields of a stored record, and where those of no fixed length lie; nothing is copied.
///
/// Docs/Formats/Store.md, table `documents`, has the bytes.
package struct RecordHead: Sendable {
    /// The sequence of the last change.
    package let sequence: UInt64
    /// The revision that the last change made.
    package let revision: Revision
    /// True for a tombstone.
    package let isDeleted: Bool
    /// When the document came into being here.
    package let created: Timestamp
    /// When it was last changed.
    package let changed: Timestamp
    /// When it is to be purged; nil for never.
    package let expiration: Timestamp?
    /// Whether somebody may hold the members (``HoldTable``).
    package let isHeld: Bool
    /// Whether the revision was given, and is not worked out from the members and the parent.
    package let isGiven: Bool
    /// Whether the document has a row of its own for its revision tree (``TreeTables``).
    package let hasTree: Bool
    /// Where the packed members begin; they go on to the end of the row.
    package let bodyStart: Int

    /// Whether something is attached.
    package var hasAttachments: Bool { attachmentsStart != nil }

    /// The name of the origin, as records before format 4 have it.
    let origin: Range<Int>?
    /// The number of the origin (``OriginTable``).
    let originNumber: UInt64?
    let ancestors: Range<Int>
    let attachmentsStart: Int?

    enum Flag {
        static let deleted: UInt8 = 1
        static let origin: UInt8 = 2
        static let ancestors: UInt8 = 4
        static let attachments: UInt8 = 8
        static let expiration: UInt8 = 16
        static let held: UInt8 = 32
        static let originNumber: UInt8 = 64
        /// A byte with further flags follows (``Further``).
        static let further: UInt8 = 128
    }

    /// Flags that only documents have that CouchDB's protocol was spoken about.
    enum Further {
        static let given: UInt8 = 1
        static let tree: UInt8 = 2
        static let known = given | tree
    }

    static let layout: UInt8 = 1

    /// Reads the head of a stored record; nil when the bytes are none.
    ///
    /// Cost: constant, but for a record with attachments, whose list is walked.
    package init?(_ row: Span<UInt8>) {
        var position = 0
        guard row.byte(at: &position) == Self.layout,
            let flags = row.byte(at: &position),
            let further = Self.further(flags, row, at: &position),
            let sequence = row.variable(at: &position),
            let generation = row.variable(at: &position), generation >= 1,
            generation <= UInt64(UInt32.max),
            let high = row.fixed64(at: &position), let low = row.fixed64(at: &position),
            let created = row.fixed64(at: &position),
            let zigzag = row.variable(at: &position)
        else { return nil }
        self.sequence = sequence
        revision = Revision(
            generation: UInt32(generation), digest: Revision.Digest(high: high, low: low))
        isDeleted = flags & Flag.deleted != 0
        isHeld = flags & Flag.held != 0
        isGiven = further & Further.given != 0
        hasTree = further & Further.tree != 0
        self.created = Timestamp(microseconds: Int64(bitPattern: created))
        let age = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
        changed = Timestamp(microseconds: self.created.microseconds &+ age)
        var expiration: Timestamp?
        if flags & Flag.expiration != 0 {
            guard let number = row.fixed64(at: &position) else { return nil }
            expiration = Timestamp(microseconds: Int64(bitPattern: number))
        }
        self.expiration = expiration
        var origin: Range<Int>?
        if flags & Flag.origin != 0 {
            guard let length = row.variable(at: &position), length <= UInt64(row.count - position)
            else { return nil }
            origin = position..<position + Int(length)
            position += Int(length)
        }
        self.origin = origin
        var originNumber: UInt64?
        if flags & Flag.originNumber != 0 {
            guard origin == nil, let number = row.variable(at: &position) else { return nil }
            originNumber = number
        }
        self.originNumber = originNumber
        var ancestorsLength = 0
        if flags & Flag.ancestors != 0 {
            guard let count = row.byte(at: &position), count >= 1 else { return nil }
            ancestorsLength = Int(count) * Revision.Digest.length
            guard row.count - position >= ancestorsLength else { return nil }
        }
        ancestors = position..<position + ancestorsLength
        position += ancestorsLength
        var attachmentsStart: Int?
        if flags & Flag.attachments != 0 {
            attachmentsStart = position
            guard AttachmentRecord.skip(row, at: &position) else { return nil }
        }
        self.attachmentsStart = attachmentsStart
        guard position < row.count else { return nil }
        bodyStart = position
    }

    /// The further flags; nil when there should be some and they are none.
    private static func further(
        _ flags: UInt8, _ row: Span<UInt8>, at position: inout Int
    ) -> UInt8? {
        guard flags & Flag.further != 0 else { return 0 }
        guard let further = row.byte(at: &position), further != 0, further & ~Further.known == 0
        else { return nil }
        return further
    }

    /// The bytes of a stored record with the note that somebody may hold its members.
    ///
    /// - Parameter row: The bytes of a record; they keep their length.
    /// - Returns: The bytes.
    static func held(_ row: Span<UInt8>) -> [UInt8] {
        var bytes = row.rest(from: 0)
        bytes[1] |= Flag.held
        return bytes
    }

    /// Whether a stored record is a tombstone, and where its members begin, without reading more.
    ///
    /// For those who pass by many records and look at their members alone.
    ///
    /// - Returns: nil when the bytes are no record.
    package static func members(of row: Span<UInt8>) -> (isDeleted: Bool, start: Int)? {
        // What a document has that was pulled, or is new.
        guard row.count > 2, row[0] == layout,
            row[1] & ~(Flag.deleted | Flag.held | Flag.originNumber | Flag.further) == 0
        else { return RecordHead(row).map { ($0.isDeleted, $0.bodyStart) } }
        // Further flags; sequence and generation; digest and day of creation; day of the change.
        var position = row[1] & Flag.further == 0 ? 2 : 3
        guard row.skipVariable(at: &position), row.skipVariable(at: &position) else { return nil }
        position += Revision.Digest.length + 8
        guard row.skipVariable(at: &position),
            row[1] & Flag.originNumber == 0 || row.skipVariable(at: &position),
            position < row.count
        else { return nil }
        return (row[1] & Flag.deleted != 0, position)
    }
}
