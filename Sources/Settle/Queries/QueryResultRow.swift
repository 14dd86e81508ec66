public import SettleDocuments

/// One row of the answer to a query.
public struct QueryResultRow: Sendable, Equatable {
    /// The document the row was made for; nil for a reduced row.
    public let documentId: String?
    /// The key as JSON: as it was emitted, or the key of the group; null for a row over everything.
    public let keyJSON: JSONValue
    /// The value as JSON: as it was emitted, or reduced; null when there is none.
    public let valueJSON: JSONValue
    /// The row's document, when the query asked for documents and it is there: the document the
    /// row was made for, or, when the value is an object with a string `_id`, the one that names.
    public let document: Document?

    /// The key; nil for a row over everything.
    public var key: Any? { hasKey ? DynamicValue.any(keyJSON) : nil }
    /// The value; nil when the map gave none.
    public var value: Any? { hasValue ? DynamicValue.any(valueJSON) : nil }

    private let hasKey: Bool
    private let hasValue: Bool

    init(documentId: String?, key: JSONValue?, value: JSONValue?, document: Document?) {
        self.documentId = documentId
        self.document = document
        keyJSON = key ?? .null
        valueJSON = value ?? .null
        hasKey = key != nil
        hasValue = value != nil
    }
}
