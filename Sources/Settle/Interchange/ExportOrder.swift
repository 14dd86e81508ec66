import SettleDocuments
import SettleStorage

/// The order that the lines of an export must have: header, contents and documents, end.
struct ExportOrder {
    /// The fault of a file that is not there to its end.
    static let cutOff = ExportFault(
        "The file ends here without the last line of an export: it was cut off. Copy it again, or "
            + "export again.")

    private enum Place: Equatable {
        case beginning, inside, end
        /// In a content, of which so many bytes were there.
        case content(ContentDigest, length: Int)
    }

    private var place = Place.beginning
    private var header: ExportHeader?
    private var counted = ExportEnd()
    private var sequence: UInt64 = 0
    /// The document that leaves may follow.
    private var lastId: String?

    /// The format that the header names.
    var format: Int64 { header?.format ?? ExportHeader.plainFormat }

    /// Takes the next line.
    ///
    /// - Throws: ``ExportFault`` without its line number when it may not stand here.
    mutating func take(_ line: ExportLine) throws(ExportFault) {
        switch (line, place) {
        case (.header(let header), .beginning):
            self.header = header
            place = .inside
        case (_, .beginning):
            throw ExportHeader.missing
        case (_, .end):
            throw ExportFault("Something follows the last line of the export. Export again.")
        case (.header, _):
            throw ExportFault("A second export begins here; import each from a file of its own.")
        case (.chunk(let chunk), .inside):
            try take(chunk, of: chunk.digest, at: 0)
        case (.chunk(let chunk), .content(let digest, let length)):
            try take(chunk, of: digest, at: length)
        case (_, .content):
            throw ExportFault("A content ends before its last piece. Export again.")
        case (.document(let document), .inside):
            try take(document)
        case (.end(let end), .inside):
            try take(end)
        }
    }

    /// Notes the end of the file.
    ///
    /// - Throws: ``ExportFault`` when the export is cut off.
    func finish() throws(ExportFault) {
        switch place {
        case .end: return
        case .beginning: throw ExportHeader.missing
        case .inside, .content: throw Self.cutOff
        }
    }

    private mutating func take(
        _ chunk: ExportChunk, of digest: ContentDigest, at offset: Int
    ) throws(ExportFault) {
        guard chunk.digest == digest, chunk.offset == offset else {
            throw ExportFault("A piece of a content is missing before this line. Export again.")
        }
        guard chunk.isLast || !chunk.bytes.isEmpty else {
            throw ExportFault("A piece of a content is empty. Export again.")
        }
        if chunk.isLast {
            counted.contentCount += 1
            place = .inside
        } else {
            place = .content(digest, length: offset + chunk.bytes.count)
        }
    }

    private mutating func take(_ document: ExportedDocument) throws(ExportFault) {
        if document.isLeaf {
            guard lastId.map({ $0.utf8.elementsEqual(document.id.utf8) }) ?? false else {
                throw ExportFault(
                    "The leaf does not follow its document: lines were moved. Export again.",
                    documentId: document.id)
            }
            counted.leafCount += 1
            return
        }
        lastId = document.id
        guard document.record.sequence > sequence else {
            throw ExportFault(
                "The sequence of the document is not above the one before: lines were copied, or "
                    + "moved. Export again.", documentId: document.id)
        }
        sequence = document.record.sequence
        if document.record.isDeleted {
            counted.tombstoneCount += 1
        } else {
            counted.documentCount += 1
        }
    }

    private mutating func take(_ end: ExportEnd) throws(ExportFault) {
        guard end == counted, end.documentCount == header?.documentCount,
            end.tombstoneCount == header?.tombstoneCount, end.leafCount == header?.leafCount,
            sequence <= header?.lastSequence ?? 0
        else {
            throw ExportFault(
                "The export says that it holds other numbers of documents and contents than it "
                    + "does: lines are missing. Copy it again, or export again.")
        }
        place = .end
    }
}
