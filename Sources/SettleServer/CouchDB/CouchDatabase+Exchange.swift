import Settle

// What replicators ask for many documents at once.

extension CouchDatabase {
    /// POST to `_bulk_get`.
    ///
    /// - Returns: JSON text, in pieces.
    /// - Throws: ``CouchError`` for a body without a list of documents.
    func bulkGet(
        _ body: [String: JSONValue], _ options: CouchDocumentOptions
    ) throws(CouchError) -> CouchPieces {
        guard let wanted = body["docs"]?.arrayValue else {
            throw .badRequest("Missing JSON list of 'docs'.")
        }
        return CouchPieces([
            .text(Array("{\"results\":[".utf8)), .reader(CouchBulkReader(self, wanted, options)),
            .text(Array("]}\n".utf8)),
        ])
    }

    /// POST to `_revs_diff` or `_missing_revs`: what is missing here.
    ///
    /// - Returns: JSON text.
    func difference(_ body: [String: JSONValue], isFull: Bool) throws -> [UInt8] {
        try database.read { snapshot in
            var text = Array((isFull ? "{" : "{\"missing_revs\":{").utf8)
            var isFirst = true
            for (id, value) in body {
                guard let texts = value.arrayValue?.compactMap(\.stringValue) else {
                    throw CouchError.badRequest("Request body must be a JSON object")
                }
                let names = try texts.map { text throws(CouchError) in
                    guard let name = RevisionName(text) else { throw CouchError.invalidRevision }
                    return name
                }
                let tree = try tree(of: id, in: snapshot) ?? RevisionTree()
                let missing = tree.missing(of: names)
                if missing.isEmpty { continue }
                if !isFirst { text.append(UInt8(ascii: ",")) }
                isFirst = false
                JSONText.append(id, to: &text)
                text += Array((isFull ? ":{\"missing\":" : ":").utf8)
                JSONText.append(Self.list(missing), to: &text)
                guard isFull else { continue }
                let ancestors = tree.possibleAncestors(of: missing)
                if !ancestors.isEmpty {
                    text += Array(",\"possible_ancestors\":".utf8)
                    JSONText.append(Self.list(ancestors), to: &text)
                }
                text.append(UInt8(ascii: "}"))
            }
            return text + Array((isFull ? "}" : "}}").utf8)
        }
    }

    private static func list(_ names: [RevisionName]) -> JSONValue {
        .array(names.map { .string($0.description) })
    }
}
