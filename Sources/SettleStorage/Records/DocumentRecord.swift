package import SettleDocuments
import SettleLMDB
import SettlePrimitives

/// What the store keeps of one document: where its last change stands and what it is now.
///
/// Shape (Docs/Formats/Store.md, table `documents`): document identifier in UTF-8 -> this record.
package struct DocumentRecord: Sendable, Equatable {
    /// The sequence of the last change.
    package var sequence: UInt64
    /// The revision that the last change made.
    package var revision: Revision
    /// The digests of the revisions before it, newest first; generations count down by one.
    package var ancestors: [Revision.Digest]
    /// True for a tombstone.
    package var isDeleted: Bool
    /// When the document came into being here.
    package var created: Timestamp
    /// When it was last changed.
    package var changed: Timestamp
    /// When it is to be purged; nil for never.
    package var expiration: Timestamp?
    /// The replication that the last change came from; nil for a change made on this device.
    ///
    /// A record that was decoded without its store has none where the row has the origin's number.
    package var origin: String?
    /// The number that the row has for the origin (``OriginTable``), in its place.
    var originNumber: UInt64?
    /// Whether somebody may hold the members (``HoldTable``).
    package var isHeld = false
    /// Whether the revision was given, and is not worked out from the members and the parent.
    package var isGiven = false
    /// Whether the document has a row of its own for its revision tree (``TreeTables``); without one, the tree
    /// is the revision and its ancestors.
    package var hasTree = false
    /// What is attached; the content lies in the blob tables.
    package var attachments: [AttachmentRecord]
    /// The members of the document; an empty object for a tombstone without any.
    package var body: PackedValue

    /// The most ancestors a record keeps.
    package static let ancestorCountMax = 10
    /// The longest origin, in bytes of UTF-8.
    package static let originLengthMax = 255

    /// A record made in memory.
    package init(
        sequence: UInt64, revision: Revision, ancestors: [Revision.Digest], isDeleted: Bool,
        created: Timestamp, changed: Timestamp, expiration: Timestamp? = nil, origin: String?,
        attachments: [AttachmentRecord] = [], body: PackedValue
    ) {
        self.sequence = sequence
        self.revision = revision
        self.ancestors = ancestors
        self.isDeleted = isDeleted
        self.created = created
        self.changed = changed
        self.expiration = expiration
        self.origin = origin
        self.attachments = attachments
        self.body = body
    }
}

// The stored form.
extension DocumentRecord {
    /// The stored form.
    package func encoded() -> [UInt8] {
        let attachments = attachmentBytes
        return [UInt8](capacity: encodedLength(attachments)) { row in
            write(to: &row, attachments)
        }
    }

    /// The stored form of the list of attachments; empty for none.
    var attachmentBytes: [UInt8] { attachments.isEmpty ? [] : AttachmentRecord.encode(attachments) }

    /// The fields that every record has, and the members.
    private var core: RecordCore {
        RecordCore(
            sequence: sequence, revision: revision, created: created, changed: changed, body: body)
    }

    private var furtherFlags: UInt8 {
        (isGiven ? RecordHead.Further.given : 0) | (hasTree ? RecordHead.Further.tree : 0)
    }

    /// The number of bytes of the stored form.
    func encodedLength(_ attachments: [UInt8]) -> Int {
        var length = core.encodedLength + attachments.count
        if furtherFlags != 0 { length += 1 }
        if expiration != nil { length += 8 }
        if originNumber == nil, let origin {
            let count = origin.utf8.count
            length += RowBytes.length(variable: UInt64(count)) + count
        }
        if let originNumber { length += RowBytes.length(variable: originNumber) }
        if !ancestors.isEmpty { length += 1 + Revision.Digest.length * ancestors.count }
        return length
    }

    /// Writes the stored form to where ``encodedLength(_:)`` bytes were reserved.
    func write(to row: inout OutputSpan<UInt8>, _ attachments: [UInt8]) {
        var flags: UInt8 = isDeleted ? RecordHead.Flag.deleted : 0
        if expiration != nil { flags |= RecordHead.Flag.expiration }
        if originNumber != nil {
            flags |= RecordHead.Flag.originNumber
        } else if origin != nil {
            flags |= RecordHead.Flag.origin
        }
        if isHeld { flags |= RecordHead.Flag.held }
        if !ancestors.isEmpty { flags |= RecordHead.Flag.ancestors }
        if !attachments.isEmpty { flags |= RecordHead.Flag.attachments }
        core.writeHead(to: &row, flags: flags, further: furtherFlags)
        if let expiration { row.append(fixed64: UInt64(bitPattern: expiration.microseconds)) }
        if let originNumber {
            row.append(variable: originNumber)
        } else if let origin {
            row.append(variable: UInt64(origin.utf8.count))
            for byte in origin.utf8 { row.append(byte) }
        }
        if !ancestors.isEmpty {
            row.append(UInt8(ancestors.count))
            for digest in ancestors {
                row.append(fixed64: digest.high)
                row.append(fixed64: digest.low)
            }
        }
        row.append(copying: attachments.span)
        row.append(copying: body.bytes.span)
    }

    /// Reads a stored record.
    ///
    /// - Parameters:
    ///   - row: The bytes of the row.
    ///   - id: The identifier the row was found under, for the error.
    /// - Throws: ``StorageError/corrupted(place:)`` when the bytes are not a record.
    package init(decoding row: Span<UInt8>, id: String) throws(StorageError) {
        guard let head = RecordHead(row), let record = DocumentRecord(row, head) else {
            throw StorageError.corrupted(place: "record of document '\(id)'")
        }
        self = record
    }

    private init?(_ row: Span<UInt8>, _ head: RecordHead) {
        var origin: String?
        if let range = head.origin {
            guard
                let text = String(
                    validating: row.extracting(range).rest(from: 0), as: UTF8.self)
            else { return nil }
            origin = text
        }
        var ancestors: [Revision.Digest] = []
        var position = head.ancestors.lowerBound
        while position < head.ancestors.upperBound {
            guard let high = row.fixed64(at: &position), let low = row.fixed64(at: &position)
            else { return nil }
            ancestors.append(Revision.Digest(high: high, low: low))
        }
        var attachments: [AttachmentRecord] = []
        if var start = head.attachmentsStart {
            guard let list = AttachmentRecord.decode(row, at: &start) else { return nil }
            attachments = list
        }
        self.init(
            sequence: head.sequence, revision: head.revision, ancestors: ancestors,
            isDeleted: head.isDeleted, created: head.created, changed: head.changed,
            expiration: head.expiration, origin: origin, attachments: attachments,
            body: PackedValue(stored: row.rest(from: head.bodyStart)))
        originNumber = head.originNumber
        isHeld = head.isHeld
        isGiven = head.isGiven
        hasTree = head.hasTree
    }
}
