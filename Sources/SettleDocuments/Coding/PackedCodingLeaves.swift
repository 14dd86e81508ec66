/// How types that JSON has no form for are written, such as dates and raw data.
///
/// SettleDocuments knows no Foundation, so the layer that does gives the forms. They are asked for
/// the types they handle and for no others, so that all others pass quickly.
package protocol PackedCodingLeaves: Sendable {
    /// Whether values of that type have a form of their own.
    func handles(_ type: any Any.Type) -> Bool

    /// The value of that type that the JSON stands for.
    ///
    /// - Parameters:
    ///   - type: A type that `handles(_:)` says yes to.
    ///   - json: What stands in the document, never null.
    /// - Returns: nil when the JSON stands for no such value, which becomes a `DecodingError`.
    func decode(_ type: any Decodable.Type, from json: JSONValue) -> (any Decodable)?

    /// The JSON that stands for the value.
    ///
    /// - Parameter value: A value of a type that `handles(_:)` says yes to.
    /// - Returns: nil when the value has no form, which becomes an `EncodingError`.
    func encode(_ value: any Encodable) -> JSONValue?
}
