import Settle

extension CouchDatabase {
    /// `_all_docs`: the documents by identifier, in the order of its bytes.
    ///
    /// - Returns: JSON text, in pieces.
    /// - Throws: ``DatabaseError``.
    /// - Complexity: As the range, what is passed over, and up to ``CouchListReader/countMax`` documents before it.
    func allDocuments(_ listing: CouchListing) -> CouchPieces {
        CouchPieces([.reader(CouchListReader(self, listing))])
    }

    /// The row of a document in a list of them, which may not be there.
    func row(
        _ key: JSONValue, _ listing: CouchListing, in snapshot: Snapshot
    ) throws -> [UInt8] {
        guard let id = key.stringValue, let tree = try tree(of: id, in: snapshot),
            let winner = tree.winner
        else {
            return JSONText.text(of: ["key": key, "error": "not_found"])
        }
        var text = Array("{\"id\":".utf8)
        JSONText.append(id, to: &text)
        text += Array(",\"key\":".utf8)
        JSONText.append(id, to: &text)
        text += Array(",\"value\":{\"rev\":".utf8)
        JSONText.append(winner.name.description, to: &text)
        if winner.isDeleted { text += Array(",\"deleted\":true".utf8) }
        text += Array("}".utf8)
        if listing.includesDocuments {
            text += Array(",\"doc\":".utf8)
            text +=
                winner.isDeleted
                ? Array("null".utf8)
                : try Self.text(of: id, winner, tree, listing.options, in: snapshot)
        }
        return text + Array("}".utf8)
    }
}
