import SettleDocuments
import SettleIndexing

extension Database {
    /// A reduce function over values of a type.
    ///
    /// ```swift
    /// let byPlace = Database.Index(
    ///     name: "byPlace", version: "1", typedReduce: .init(Double.self) { $0.reduce(0, +) }
    /// ) { document, addIndexRow in
    ///     addIndexRow(document["place"], document["amount"])
    /// }
    /// ```
    ///
    /// Values are decoded as members of documents are, so that `Double` takes every number, whole ones too.
    /// Rows without a value, or with null, are passed over; the function is never called without values,
    /// and where there are none the result is null. A value of another kind makes the rows that sum
    /// it up fail with `indexFailed`; it is never left out.
    public struct TypedReduce: Sendable {
        /// The function as the layer below calls it.
        let function: @Sendable ([JSONValue], [JSONValue?], Bool) throws -> JSONValue

        /// A function whose result is of the kind of the values, such as a sum.
        ///
        /// - Parameters:
        ///   - type: The values' type.
        ///   - combine: Makes one of many; called with values, and with results of its own.
        public init<Value: Codable & SendableMetatype>(
            _ type: Value.Type, _ combine: @escaping @Sendable (_ values: [Value]) throws -> Value
        ) {
            self.init(type, into: type, reduce: combine, rereduce: combine)
        }

        /// A function whose result is of another kind than the values, such as an average's sum and count.
        ///
        /// - Parameters:
        ///   - type: The values' type.
        ///   - result: The results' type.
        ///   - reduce: Makes a result of values.
        ///   - rereduce: Makes a result of results.
        public init<Value: Decodable & SendableMetatype, Result: Codable & SendableMetatype>(
            _ type: Value.Type, into result: Result.Type,
            reduce: @escaping @Sendable (_ values: [Value]) throws -> Result,
            rereduce: @escaping @Sendable (_ results: [Result]) throws -> Result
        ) {
            function = { _, values, isRereduced in
                if isRereduced {
                    let results: [Result] = try Self.decoded(values)
                    return results.isEmpty ? .null : try Self.json(rereduce(results))
                }
                let values: [Value] = try Self.decoded(values)
                return values.isEmpty ? .null : try Self.json(reduce(values))
            }
        }

        private static func decoded<Value: Decodable>(_ values: [JSONValue?]) throws -> [Value] {
            try values.compactMap { value in
                guard let value, !value.isNull else { return nil }
                do {
                    return try value.decode(Value.self)
                } catch {
                    throw IndexError.reduceFailed(reason: "a value is no \(Value.self)")
                }
            }
        }

        private static func json(_ result: some Encodable) throws -> JSONValue {
            do {
                return try PackedValue(encoding: result, leaves: DocumentCodingLeaves()).value()
            } catch {
                throw IndexError.reduceFailed(
                    reason:
                        "the reduce function returned a \(type(of: result)) that JSON cannot express"
                )
            }
        }

        /// The function as an index shows it; it answers `NSNull` where it fails.
        var closure: Reduce {
            { [function] keys, values, rereduce in
                let result = try? function(
                    keys.map { try DynamicValue.json($0) ?? .null },
                    values.map { try DynamicValue.json($0) }, rereduce)
                return DynamicValue.any(result ?? .null)
            }
        }
    }
}
