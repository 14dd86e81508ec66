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
