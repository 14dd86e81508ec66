import SettleDocuments

/// What the names of a query mean in one row.
struct QueryScope {
    /// The values of the names in FROM; those that are undefined are left out.
    var aliases: [String: JSONValue] = [:]
    /// The rows of a group, where an expression is over a group.
    var group: [[String: JSONValue]]?
    var context: QueryContext

    /// The same query in another row.
    func with(_ aliases: [String: JSONValue]) -> QueryScope {
        QueryScope(aliases: aliases, context: context)
    }
}

/// What is the same in all rows of a query.
struct QueryContext {
    var parameters: [String: JSONValue] = [:]
    /// The user-defined functions of the collection.
    var functions: [String: @Sendable ([JSONValue?]) -> JSONValue?] = [:]
}
