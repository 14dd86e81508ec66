/// A JSON value in memory.
///
/// Whole numbers and numbers with a fraction or exponent are kept apart: `1` is `.integer(1)`,
/// `1.0` is `.double(1.0)`, and each goes back to text as it came.
///
/// Two values are equal when their packed forms would be: strings by their UTF-8 bytes (so a
/// composed and a decomposed accent differ), doubles by their bits (so `-0.0` differs from
/// `0.0`, and NaN equals itself), an integer never equals a double, the order of members never
/// counts. Member *names* are keys of a Swift dictionary, so one object cannot hold two names
/// that are canonically equivalent in Unicode.
///
/// ```swift
/// let value = try JSONValue(jsonText: #"{"price": 3, "tags": ["red", "ripe"]}"#)
/// print(value["price"]?.doubleValue ?? 0, value["tags"]?.arrayValue?.count ?? 0)
/// let text = JSONValue.object(["price": 4, "sold": true]).jsonText
/// ```
public enum JSONValue: Sendable {
    /// JSON `null`.
    case null
    /// JSON `true` or `false`.
    case bool(Bool)
    /// A number without fraction and exponent.
    case integer(Int64)
    /// A number with a fraction or an exponent. NaN and infinities have no place in JSON: the
    /// packed form refuses them, text shows them as `null`.
    case double(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object([String: JSONValue])
}

extension JSONValue: Hashable {
    /// Whether both are the same value; see the type for what that means.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): hasEqualMembers(left, right)
        default: false
        }
    }

    /// Feeds the value to a hasher.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.bitPattern)
        case .string(let value): hasher.combine(value)
        case .array(let elements): hasher.combine(elements)
        case .object(let members): hasher.combine(members)
        }
    }

    private static func hasEqualMembers(
        _ left: [String: JSONValue], _ right: [String: JSONValue]
    ) -> Bool {
        guard left.count == right.count else { return false }
        for (name, value) in left {
            guard let index = right.index(forKey: name) else { return false }
            let other = right[index]
            guard other.key.utf8.elementsEqual(name.utf8), other.value == value else {
                return false
            }
        }
        return true
    }
}
