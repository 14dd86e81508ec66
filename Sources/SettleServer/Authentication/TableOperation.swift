import HTTPTypes

/// What may be done to a table, as the rules name it.
enum TableOperation: String, Sendable, Hashable, CaseIterable {
    /// Lists, items, attachments and live changes.
    case read
    case insert
    /// Changes of an item, by members or as a whole.
    case update
    case delete
    case undelete

    /// The problem for an operation that a table does not take.
    ///
    /// - Parameters:
    ///   - method: The method that was asked for.
    ///   - methods: What the table takes, named in `Allow`.
    /// - Returns: 405 with a sentence.
    static func problem(
        _ method: HTTPRequest.Method, allowing methods: [HTTPRequest.Method]
    ) -> Problem {
        let names = methods.map(\.rawValue).joined(separator: ", ")
        return Problem(
            .methodNotAllowed,
            "The rules of this server do not allow \(method.rawValue) here.",
            headers: [.allow: names])
    }
}
