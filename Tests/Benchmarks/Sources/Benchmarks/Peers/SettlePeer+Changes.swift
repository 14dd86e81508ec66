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

    /// Stores documents at random again, each in a commit of its own, one after the other.
    ///
    /// - Returns: What each commit took in milliseconds, the shortest first.
    func updateSingly(_ documents: DocumentSet, count: Int) async throws -> [Double] {
        var times: [Double] = []
        for pick in documents.picks(count) {
            let document = try Self.document(documents.texts[pick])
            let begun = ContinuousClock.now
            try await database.update(document)
            times.append((ContinuousClock.now - begun) / .milliseconds(1))
        }
        return times.sorted()
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
