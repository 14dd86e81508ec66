import SettleDocuments

// Texts for debuggers and logs of the app; the library itself writes no contents anywhere.

extension Document: CustomStringConvertible {
    /// The identifier, the revision, and the members as JSON, cut after 400 characters.
    public var description: String {
        var words = ["'\(id)'", revisionText ?? "not saved"]
        if metaData.isDeleted { words.append("deleted") }
        if !attachments.isEmpty {
            words.append("attachments: \(attachments.map(\.name).joined(separator: ", "))")
        }
        words.append(JSONValue.object(json).shortText)
        return words.joined(separator: " ")
    }
}

extension QueryResultRow: CustomStringConvertible {
    /// The key, the value, and the document's identifier; key and value as JSON, each cut after 400
    /// characters.
    public var description: String {
        let row = "\(keyJSON.shortText): \(valueJSON.shortText)"
        return documentId.map { "\(row) of '\($0)'" } ?? row
    }
}

extension QueryResultEnumerator: CustomStringConvertible {
    /// The number of rows, and the first ten of them.
    public var description: String {
        if let error { return "failed: \(error)" }
        let rows = prefix(10).map(\.description).joined(separator: ", ")
        return "\(count) rows [\(rows)\(count > 10 ? ", …" : "")]"
    }
}

extension Stored: CustomStringConvertible {
    /// The model, its identifier and the revision that was read, cut after 400 characters.
    public var description: String {
        "'\(id)' \(revision ?? "not saved") \(String(describing: model).shortened)"
    }
}

extension JSONValue {
    /// The beginning of the value as JSON text.
    fileprivate var shortText: String { jsonText.shortened }
}

extension String {
    fileprivate var shortened: String { count > 400 ? prefix(400) + "…" : self }
}
