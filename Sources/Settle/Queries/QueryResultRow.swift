public import SettleDocuments
import SettleIndexing

/// One row of the answer to a query.
///
/// Small to copy. Neighbouring rows share their memory: one that is kept keeps up to 255 others.
///
/// ```swift
/// for row in try await database.runQuery(on: "visitsByCustomer", with: perCustomer) {
///     print(try row.key(as: String.self), try row.value(as: Int.self))
/// }
/// ```
public struct QueryResultRow: Sendable, Equatable {
    private let row: IndexRow
    // Documents are large, and most rows have none: an answer of many rows would be several times
    // as long.
    private let found: FoundDocument?

    init(_ row: consuming IndexRow) {
        self.row = row
        found = nil
    }

    init(_ row: consuming IndexRow, document: Document?) {
        self.row = row
        found = document.map { FoundDocument($0) }
    }

    /// The document the row was made for; nil for a reduced row.
    public var documentId: String? { row.documentID }
    /// The key as JSON: as it was emitted, or the key of the group; null for a row over everything.
    public var keyJSON: JSONValue { row.key ?? .null }
    /// The value as JSON: as it was emitted, or reduced; null when there is none.
    public var valueJSON: JSONValue { row.value ?? .null }
    /// The row's document, when the query asked for documents and it is there: the document the
    /// row was made for, or, when the value is an object with a string `_id`, the one that names.
    public var document: Document? { found?.document }

    /// The key; nil for a row over everything.
    public var key: Any? { row.key.map { DynamicValue.any($0) } }
    /// The value; nil when the map gave none.
    public var value: Any? { row.value.map { DynamicValue.any($0) } }
}

/// A document that a row was answered with.
///
/// Another revision is another answer, also with equal members: who keeps the old one cannot save it.
private final class FoundDocument: Sendable, Equatable {
    let document: Document

    init(_ document: Document) {
        self.document = document
    }

    static func == (left: FoundDocument, right: FoundDocument) -> Bool {
        left.document == right.document
            && left.document.revisionText == right.document.revisionText
            && left.document.facts.expiration == right.document.facts.expiration
    }
}
