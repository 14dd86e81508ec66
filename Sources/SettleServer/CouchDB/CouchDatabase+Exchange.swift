import Settle

// What replicators ask for many documents at once.

extension CouchDatabase {
    /// POST to `_bulk_get`.
    func bulkGet(_ body: [String: JSONValue], _ options: CouchDocumentOptions) throws -> [UInt8] {
        guard let wanted = body["docs"]?.arrayValue else {
            throw CouchError.badRequest("Missing JSON list of 'docs'.")
        }
        return try database.read { snapshot in
            let results = try wanted.map { request -> [UInt8] in
                let id = request["id"]?.stringValue ?? ""
                let revision = request["rev"]?.stringValue
                var options = options
                options.attachmentsSince =
                    request["atts_since"]?.arrayValue?.compactMap(\.stringValue)
                let documents = try bulkGet(id, revision, options, in: snapshot)
                var text = Array("{\"id\":".utf8)
                JSONText.append(id, to: &text)
                return text + Array(",\"docs\":[".utf8) + Array(documents.joined(separator: [0x2C]))
                    + Array("]}".utf8)
            }
            return Array("{\"results\":[".utf8) + Array(results.joined(separator: [0x2C]))
                + Array("]}".utf8)
        }
    }

    private func bulkGet(
        _ id: String, _ revision: String?, _ options: CouchDocumentOptions, in snapshot: Snapshot
    ) throws -> [[UInt8]] {
        let tree = try tree(of: id, in: snapshot) ?? RevisionTree()
        func missing(_ text: String) -> [UInt8] {
            JSONText.text(of: [
                "error": [
                    "id": .string(id), "rev": .string(text), "error": "not_found",
                    "reason": "missing",
                ]
            ])
        }
        if revision == nil, tree.isEmpty { return [missing("undefined")] }
        // Without a revision, all leaves.
        return try Self.leaves(revision.map { [$0] }, tree, options).map { leaf in
            switch leaf {
            case .success(let leaf):
                return Array("{\"ok\":".utf8)
                    + (try Self.text(of: id, leaf, tree, options, in: snapshot)) + [0x7D]
            case .failure(let found): return missing(found.text)
            }
        }
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
