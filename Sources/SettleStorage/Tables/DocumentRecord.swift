package import SettleDocuments

/// What the store keeps of one document: where its last change stands and what it is now.
///
/// Shape (Docs/Formats/Store.md, table `documents`): document identifier in UTF-8 -> this record.
package struct DocumentRecord: Sendable, Equatable {
    /// The sequence of the last change.
    package var sequence: UInt64
    /// The revision that the last change made.
    package var revision: Revision
    /// The digests of the revisions before it, newest first; generations count down by one.
    package var ancestors: [[UInt8]]
    /// True for a tombstone.
    package var isDeleted: Bool
    /// When the document came into being here.
    package var created: Timestamp
    /// When it was last changed.
    package var changed: Timestamp
    /// The replication that the last change came from; nil for a change made on this device.
    package var origin: String?
    /// What is attached; the content lies in the blob tables.
    package var attachments: [AttachmentRecord]
    /// The members of the document; an empty object for a tombstone without any.
    package var body: PackedValue

    /// The most ancestors a record keeps.
    package static let ancestorCountMax = 10
    /// The longest origin, in bytes of UTF-8.
    package static let originLengthMax = 255

    private enum Flag {
        static let deleted: UInt8 = 1
        static let origin: UInt8 = 2
        static let ancestors: UInt8 = 4
        static let attachments: UInt8 = 8
        static let known = deleted | origin | ancestors | attachments
    }

    private static let layout: UInt8 = 1
    private static let digestLength = 16

    /// The stored form.
    package func encoded() -> [UInt8] {
        var flags: UInt8 = isDeleted ? Flag.deleted : 0
        if origin != nil { flags |= Flag.origin }
        if !ancestors.isEmpty { flags |= Flag.ancestors }
        if !attachments.isEmpty { flags |= Flag.attachments }
        var row: [UInt8] = []
        row.reserveCapacity(48 + ancestors.count * 16 + body.bytes.count)
        row.append(Self.layout)
        row.append(flags)
        row.append(variable: sequence)
        row.append(variable: UInt64(revision.generation))
        row.append(contentsOf: revision.digest)
        row.append(fixed64: UInt64(bitPattern: created.microseconds))
        // Mostly zero, so the zigzag form keeps it at one byte.
        let age = changed.microseconds &- created.microseconds
        row.append(variable: UInt64(bitPattern: (age << 1) ^ (age >> 63)))
        if let origin { row.append(counted: Array(origin.utf8)) }
        if !ancestors.isEmpty {
            row.append(UInt8(ancestors.count))
            for digest in ancestors { row.append(contentsOf: digest) }
        }
        if !attachments.isEmpty {
            row.append(contentsOf: AttachmentRecord.encode(attachments))
        }
        row.append(contentsOf: body.bytes)
        return row
    }

    /// Reads a stored record.
    ///
    /// - Parameters:
    ///   - row: The bytes of the row.
    ///   - id: The identifier the row was found under, for the error.
    /// - Throws: ``StorageError/corrupted(place:)`` when the bytes are not a record.
    package init(decoding row: Span<UInt8>, id: String) throws(StorageError) {
        guard let record = DocumentRecord(row) else {
            throw StorageError.corrupted(place: "record of document '\(id)'")
        }
        self = record
    }

    private init?(_ row: Span<UInt8>) {
        var position = 0
        guard row.byte(at: &position) == Self.layout,
            let flags = row.byte(at: &position), flags & ~Flag.known == 0,
            let sequence = row.variable(at: &position),
            let generation = row.variable(at: &position), generation >= 1,
            generation <= UInt64(UInt32.max),
            let digest = row.copy(Self.digestLength, at: &position),
            let created = row.fixed64(at: &position),
            let zigzag = row.variable(at: &position)
        else { return nil }
        self.sequence = sequence
        self.revision = Revision(generation: UInt32(generation), digest: digest)
        self.isDeleted = flags & Flag.deleted != 0
        self.created = Timestamp(microseconds: Int64(bitPattern: created))
        let age = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
        self.changed = Timestamp(microseconds: self.created.microseconds &+ age)
        self.origin = nil
        if flags & Flag.origin != 0 {
            guard let bytes = row.counted(at: &position),
                let text = String(validating: bytes, as: UTF8.self)
            else { return nil }
            self.origin = text
        }
        self.ancestors = []
        if flags & Flag.ancestors != 0 {
            guard let count = row.byte(at: &position), count >= 1 else { return nil }
            for _ in 0..<count {
                guard let digest = row.copy(Self.digestLength, at: &position) else {
                    return nil
                }
                ancestors.append(digest)
            }
        }
        self.attachments = []
        if flags & Flag.attachments != 0 {
            guard let list = AttachmentRecord.decode(row, at: &position) else { return nil }
            attachments = list
        }
        guard position < row.count else { return nil }
        self.body = PackedValue(stored: row.rest(from: position))
    }
}

extension DocumentRecord {
    /// A record made in memory.
    package init(
        sequence: UInt64, revision: Revision, ancestors: [[UInt8]], isDeleted: Bool,
        created: Timestamp, changed: Timestamp, origin: String?,
        attachments: [AttachmentRecord] = [], body: PackedValue
    ) {
        self.sequence = sequence
        self.revision = revision
        self.ancestors = ancestors
        self.isDeleted = isDeleted
        self.created = created
        self.changed = changed
        self.origin = origin
        self.attachments = attachments
        self.body = body
    }
}
