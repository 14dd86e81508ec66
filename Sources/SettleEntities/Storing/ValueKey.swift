import Settle

/// Values as they stand in the keys of the index: equal values have equal keys.
///
/// Values of different kinds may share a key, so who asks looks at the value itself.
enum ValueKey {
    /// Longer texts have their digest in the index.
    private static let textLengthMax = 200
    private static let digestMark = "#"

    static func json(_ value: Primitive) -> JSONValue {
        json(stored: PrimitiveForm.json(value), isText: value.kind != .data)
    }

    /// The key of a value as it is stored.
    ///
    /// - Parameters:
    ///   - json: The member `value` of an entry.
    ///   - isText: False for bytes, whose text may be long.
    /// - Returns: The value itself when it is short, a digest otherwise.
    static func json(stored json: JSONValue, isText: Bool) -> JSONValue {
        switch json {
        case .string(let text) where isText && text.utf8.count <= textLengthMax: json
        case .integer, .double, .bool, .null: json
        default:
            .array([
                .string(digestMark),
                .string(ContentDigest(of: Array(json.jsonText.utf8)).description),
            ])
        }
    }
}
