package import Settle

extension Database {
    /// The members of all documents, by identifier: what two devices agree on when they have come to
    /// rest.
    ///
    /// - Parameter withNulls: Whether members that are null count; some servers show them for every
    ///   column of a table.
    /// - Returns: The documents that are not deleted.
    /// - Throws: `DatabaseError` when the database cannot be read.
    package func contents(
        withNulls: Bool = false
    ) throws -> [String: [String: JSONValue]] {
        try read { snapshot in
            var contents: [String: [String: JSONValue]] = [:]
            try snapshot.forEachDocument { document in
                contents[document.id] = document.json.filter {
                    withNulls || !$0.value.isNull
                }
                return true
            }
            return contents
        }
    }
}
