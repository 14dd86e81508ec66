import SettleDocuments

/// One line of an export (Docs/Formats/Export.md).
enum ExportLine: Equatable {
    case header(ExportHeader)
    case chunk(ExportChunk)
    case document(ExportedDocument)
    case end(ExportEnd)

    /// The most bytes of a line: room for the longest text that the largest document can have.
    static let lengthMax = 8 * JSONLimits.default.sizeMax

    /// Reads a line.
    ///
    /// - Parameters:
    ///   - text: The line.
    ///   - format: The format that the header names.
    /// - Throws: ``ExportFault`` without its line number.
    init(
        _ text: [UInt8], format: Int64 = ExportHeader.plainFormat
    ) throws(ExportFault) {
        let parts = try ExportLineParts(text)
        var members = parts.members
        if members.has(ExportHeader.formatMember) {
            self = .header(try Self.header(&members))
        } else if members.has("id") {
            self = .document(
                try ExportedDocument(
                    &members, body: parts.body, hasTrees: format >= ExportHeader.treeFormat))
        } else if members.has("content") {
            self = .chunk(try Self.chunk(&members))
        } else if members.has("end") {
            self = .end(try Self.end(&members))
        } else {
            throw ExportFault(
                "The line is neither a document nor another line of an export. Take it out, or "
                    + "export again.")
        }
        try members.finish()
    }

    private static func header(_ members: inout ExportMembers) throws(ExportFault) -> ExportHeader {
        let format = try members.integer(ExportHeader.formatMember, in: 1...Int64.max)
        guard format <= ExportHeader.treeFormat else {
            throw ExportFault(
                "It has format \(format), which a newer release of Settle wrote; import it with "
                    + "that release.", code: .newerFormat)
        }
        let counts = try (members.count("documents"), members.count("tombstones"))
        let last = try members.sequence("lastSequence", from: 0)
        let word = try members.text("attachments")
        guard let contents = ExportHeader.Contents(rawValue: word) else {
            throw ExportFault(
                "The member 'attachments' is \"inline\", \"files\", or \"described\".")
        }
        return ExportHeader(
            documentCount: counts.0, tombstoneCount: counts.1, lastSequence: last,
            contents: contents, folder: try members.optionalText("folder"), format: format,
            leafCount: try leafCount(&members))
    }

    private static func chunk(_ members: inout ExportMembers) throws(ExportFault) -> ExportChunk {
        let digest = try members.digest("content")
        let offset = try members.count("offset")
        let isLast = try members.flag("last")
        let text = try members.text("data")
        guard let bytes = Base64.bytes(of: text) else {
            throw ExportFault("The member 'data' is not base64. Export again.")
        }
        return ExportChunk(digest: digest, offset: offset, isLast: isLast, bytes: bytes)
    }

    private static func end(_ members: inout ExportMembers) throws(ExportFault) -> ExportEnd {
        _ = try members.flag("end")
        return try ExportEnd(
            documentCount: members.count("documents"),
            tombstoneCount: members.count("tombstones"), leafCount: leafCount(&members),
            contentCount: members.count("contents"))
    }

    private static func leafCount(_ members: inout ExportMembers) throws(ExportFault) -> Int {
        members.has("leaves") ? try members.count("leaves") : 0
    }
}
