import Settle
import SettleTableProtocol

// Documents whose attachments follow them, each in a part of its own.

extension CouchDatabase {
    /// A leaf of a document with the attachments that are wanted.
    ///
    /// - Returns: The parts, and the type of the whole; without attachments that is JSON.
    private func parts(
        _ id: String, _ leaf: RevisionTree.Leaf, _ tree: RevisionTree,
        _ options: CouchDocumentOptions, in snapshot: Snapshot
    ) throws -> (parts: CouchParts, type: String) {
        var options = options
        options.follows = true
        options.attachments = true
        var parts = CouchParts()
        let text = try Self.text(of: id, leaf, tree, options, in: snapshot)
        let following = try Self.following(id, leaf, tree, options, in: snapshot)
        guard !following.isEmpty else {
            parts.append(text)
            return (parts, "application/json")
        }
        let boundary = Multipart.newBoundary()
        parts.append("--\(boundary)\r\nContent-Type: application/json\r\n\r\n")
        parts.append(text)
        for attachment in following {
            let type = MediaType(attachment.contentType)?.text ?? MediaType.anyBytes
            parts.append(
                "\r\n--\(boundary)\r\nContent-Disposition: attachment; filename="
                    + "\(Multipart.quoted(attachment.name))\r\nContent-Type: \(type)\r\n"
                    + "Content-Length: \(attachment.length)\r\n\r\n")
            parts.append(attachment)
        }
        parts.append("\r\n--\(boundary)--")
        return (parts, "multipart/related; boundary=\"\(boundary)\"")
    }

    /// GET of a document with its attachments behind it.
    func documentWithParts(
        _ id: String, _ revision: String?, _ options: CouchDocumentOptions
    ) throws -> (parts: CouchParts, type: String, revision: String) {
        try database.read { snapshot in
            let (leaf, tree) = try leaf(revision, of: id, options, in: snapshot)
            let (parts, type) = try parts(id, leaf, tree, options, in: snapshot)
            return (parts, type, leaf.name.description)
        }
    }

    /// GET of a document with `open_revs`, each revision in a part of its own.
    func openRevisionsInParts(
        _ id: String, _ wanted: [String]?, _ options: CouchDocumentOptions
    ) throws -> (parts: CouchParts, type: String) {
        try database.read { snapshot in
            let tree = try tree(of: id, in: snapshot) ?? RevisionTree()
            if wanted == nil, tree.isEmpty { throw CouchError.missing }
            let boundary = Multipart.newBoundary()
            var all = CouchParts()
            for leaf in try Self.leaves(wanted, tree, options) {
                all.append("\r\n--\(boundary)\r\nContent-Type: ")
                switch leaf {
                case .success(let leaf):
                    let (parts, type) = try parts(id, leaf, tree, options, in: snapshot)
                    all.append("\(type)\r\n\r\n")
                    all.append(parts)
                case .failure(let missing):
                    all.append("application/json; error=\"true\"\r\n\r\n")
                    all.append(JSONText.text(of: ["missing": .string(missing.text)]))
                }
            }
            all.append("\r\n--\(boundary)--")
            return (all, "multipart/mixed; boundary=\"\(boundary)\"")
        }
    }
}
