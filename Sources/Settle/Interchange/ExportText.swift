import SettleDocuments
import SettleStorage

/// Writes the lines of an export, members in the order of Docs/Formats/Export.md.
struct ExportText {
    /// The lines so far.
    private(set) var bytes: [UInt8] = []
    private var isFirst = true

    /// Forgets what was written out.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func add(_ header: ExportHeader) {
        begin()
        add(ExportHeader.formatMember, .integer(header.format))
        add("documents", .integer(Int64(header.documentCount)))
        add("tombstones", .integer(Int64(header.tombstoneCount)))
        if header.leafCount > 0 { add("leaves", .integer(Int64(header.leafCount))) }
        add("lastSequence", .integer(Int64(clamping: header.lastSequence)))
        add("attachments", .string(header.contents.rawValue))
        if let folder = header.folder { add("folder", .string(folder)) }
        end()
    }

    mutating func add(_ end: ExportEnd) {
        begin()
        add("end", .bool(true))
        add("documents", .integer(Int64(end.documentCount)))
        add("tombstones", .integer(Int64(end.tombstoneCount)))
        if end.leafCount > 0 { add("leaves", .integer(Int64(end.leafCount))) }
        add("contents", .integer(Int64(end.contentCount)))
        self.end()
    }

    mutating func add(_ chunk: ExportChunk) {
        begin()
        add("content", .string(chunk.digest.description))
        add("offset", .integer(Int64(chunk.offset)))
        if chunk.isLast { add("last", .bool(true)) }
        name("data")
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: Base64.text(of: chunk.bytes))
        bytes.append(UInt8(ascii: "\""))
        end()
    }

    /// - Throws: `PackedError` when the members are damaged.
    mutating func add(_ document: ExportedDocument) throws(PackedError) {
        let record = document.record
        begin()
        add("id", .string(document.id))
        add("sequence", .integer(Int64(clamping: record.sequence)))
        if document.isLeaf { add("leaf", .bool(true)) }
        add("revision", .string(document.revision))
        if record.isGiven { add("given", .bool(true)) }
        let ancestors = document.ancestors
        if !ancestors.isEmpty { add("ancestors", .array(ancestors.map { .string($0) })) }
        if record.isDeleted { add("deleted", .bool(true)) }
        add("created", ExportDate.value(of: record.created))
        add("changed", ExportDate.value(of: record.changed))
        if let expiration = record.expiration { add("expires", ExportDate.value(of: expiration)) }
        if let origin = record.origin { add("origin", .string(origin)) }
        if !record.attachments.isEmpty { add(record.attachments, contents: document.contents) }
        name("members")
        let body = record.body.bytes
        try JSONText.text(of: body.span, in: 0..<body.count, to: &bytes)
        end()
    }

    private mutating func add(_ attachments: [AttachmentRecord], contents: [ContentDigest]) {
        name("attachments")
        for (index, attachment) in attachments.enumerated() {
            bytes.append(index == 0 ? UInt8(ascii: "[") : UInt8(ascii: ","))
            bytes.append(UInt8(ascii: "{"))
            isFirst = true
            add("name", .string(attachment.name))
            add("contentType", .string(attachment.contentType))
            add("length", .integer(Int64(attachment.length)))
            add("digest", .string(attachment.digest.description))
            if contents.contains(attachment.digest) { add("hasContent", .bool(true)) }
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func begin() {
        bytes.append(UInt8(ascii: "{"))
        isFirst = true
    }

    private mutating func end() {
        bytes.append(UInt8(ascii: "}"))
        bytes.append(UInt8(ascii: "\n"))
    }

    private mutating func name(_ name: String) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: name.utf8)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func add(_ name: String, _ value: JSONValue) {
        self.name(name)
        bytes.append(contentsOf: JSONText.text(of: value))
    }
}
