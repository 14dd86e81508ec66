import Foundation
import Settle

/// A place in a text where no document could be made of it.
struct ImportFault: Error, Equatable {
    /// The line where it was noticed, from 1.
    let line: Int
    /// What is wrong and what to do.
    let message: String
}

/// A document that was found in a text.
struct FoundDocument {
    var document: Document
    /// The line it begins on, from 1.
    var line: Int
    /// How long its text is.
    var byteCount: Int
}

/// Makes documents of a stream of text, holding one of them at a time.
protocol DocumentParser {
    /// Takes the next bytes and gives out each document that is complete with them.
    ///
    /// - Throws: ``ImportFault``, after the documents before it were given out; or what `each` throws. The parser is of no
    ///   use afterwards.
    mutating func add(_ bytes: [UInt8], each: (FoundDocument) throws -> Void) throws

    /// Ends the text.
    ///
    /// - Throws: As ``add(_:each:)``.
    mutating func end(each: (FoundDocument) throws -> Void) throws
}

/// Documents as JSON text: one a line, or an array.
struct JSONDocumentParser: DocumentParser {
    private var splitter = RecordSplitter()
    private let reader: DocumentReader

    /// - Parameter idMember: The member that holds the identifier when it is not `id`.
    init(idMember: String? = nil) {
        reader = DocumentReader(idMember: idMember)
    }

    mutating func add(_ bytes: [UInt8], each: (FoundDocument) throws -> Void) throws {
        var found: [RecordSplitter.Record] = []
        let result = Result { try splitter.add(bytes) { found.append($0) } }
        try give(found, each)
        try result.get()
    }

    mutating func end(each: (FoundDocument) throws -> Void) throws {
        var found: [RecordSplitter.Record] = []
        let result = Result { try splitter.end { found.append($0) } }
        try give(found, each)
        try result.get()
    }

    private func give(
        _ records: [RecordSplitter.Record], _ each: (FoundDocument) throws -> Void
    ) throws {
        for record in records {
            try each(
                FoundDocument(
                    document: try reader.document(from: record, inArray: splitter.isArray),
                    line: record.line, byteCount: record.bytes.count))
        }
    }
}
