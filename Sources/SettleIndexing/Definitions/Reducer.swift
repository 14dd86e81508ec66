package import SettleDocuments

/// Makes one value of the values of many rows.
package enum Reducer: Sendable {
    /// One of the functions that come with the database.
    case builtIn(BuiltInReducer)
    /// A function of the application, called as CouchDB calls it: with the keys and values of
    /// rows, or, when `rereduce` is true, with no keys and the results of earlier calls.
    case custom(
        @Sendable (_ keys: [JSONValue], _ values: [JSONValue?], _ rereduce: Bool) throws
            -> JSONValue)

    /// Reduces the values of rows.
    ///
    /// - Throws: ``IndexError/reduceFailed(reason:)`` when a value is not of the kind the function
    ///   works on; what a custom function throws.
    package func reduce(keys: [JSONValue], values: [JSONValue?]) throws -> JSONValue {
        switch self {
        case .builtIn(let function): try function.reduce(values)
        case .custom(let function): try function(keys, values, false)
        }
    }

    /// Reduces the results of earlier calls.
    ///
    /// - Throws: as ``reduce(keys:values:)``.
    package func rereduce(_ partials: [JSONValue]) throws -> JSONValue {
        switch self {
        case .builtIn(let function): try function.rereduce(partials)
        case .custom(let function): try function([], partials, true)
        }
    }
}
