import Settle

extension SettlePeer {
    /// Goes through the changes of all documents with the documents, and reads `type` and `amount`.
    func followChanges() async throws -> FieldSums {
        var sums = FieldSums()
        for try await element in database.changes(since: 0, includesDocuments: true) {
            guard let document = element.document else { continue }
            sums.addScanned(document)
        }
        return sums
    }

    /// Makes a document of every row, in the order of the identifiers, and reads the same.
    func scanDocuments() throws -> FieldSums {
        try database.read { snapshot in
            var sums = FieldSums()
            try snapshot.forEachDocument { document in
                sums.addScanned(document)
                return true
            }
            return sums
        }
    }
}

extension FieldSums {
    fileprivate mutating func addScanned(_ document: Document) {
        count += 1
        amounts += document.integer("amount") ?? 0
        textBytes += document.string("type")?.utf8.count ?? 0
    }
}
