import Settle

/// What an expression gives for one item.
enum ODataValue: Sendable, Equatable {
    /// JSON null, an absent member, or a result that does not exist (division by zero).
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    /// `createdAt`, `updatedAt`, or a `datetime` literal.
    case instant(Instant)
    /// A `guid` literal, in lower case; equal to a string that says the same in any case.
    case guid(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The value of a stored JSON value.
    init(_ json: JSONValue) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(value)
        case .array(let value): self = .array(value)
        case .object(let value): self = .object(value)
        }
    }

    /// The member of an object; null when this is no object or has no such member.
    func member(_ name: String) -> ODataValue {
        guard case .object(let members) = self, let value = members[name] else { return .null }
        return ODataValue(value)
    }

    /// The value a path of members leads to; null as soon as one is missing.
    func value(at path: ArraySlice<String>) -> ODataValue {
        path.reduce(self) { value, name in value.member(name) }
    }

    /// This value as a moment: an instant itself, or a string that is a date and time.
    var asInstant: Instant? {
        switch self {
        case .instant(let instant): instant
        case .string(let text): Instant(text: text)
        default: nil
        }
    }

    var isNull: Bool {
        if case .null = self { true } else { false }
    }
}
