import SettleDocuments

extension QueryResultRow {
    /// The key as a type that can decode itself: `[String].self`, `Int.self`, or a type of the app.
    ///
    /// - Parameter type: The type; an optional one takes a null.
    /// - Returns: The key.
    /// - Throws: `DecodingError` when it is something else.
    public func key<Key: Decodable>(as type: Key.Type) throws -> Key {
        try keyJSON.decode(type)
    }

    /// The value as a type that can decode itself; `Double` takes every number, `Int` every whole one.
    ///
    /// - Parameter type: The type; an optional one takes a row without a value.
    /// - Returns: The value.
    /// - Throws: `DecodingError` when it is something else.
    public func value<Value: Decodable>(as type: Value.Type) throws -> Value {
        try valueJSON.decode(type)
    }
}
