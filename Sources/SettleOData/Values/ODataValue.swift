package import SettleDocuments

/// What an expression gives for one item.
package enum ODataValue: Sendable, Hashable {
    /// JSON null, an absent member, or a result that does not exist (division by zero).
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    /// `createdAt`, `updatedAt`, or the literal of a moment.
    case instant(Instant)
    /// A guid literal, in lower case; equal to a string that says the same in any case.
    case guid(String)
    case array([JSONValue])
    case object([String: JSONValue])
    /// An array of an item as it is stored; equal to ``array(_:)`` of the same elements.
    case packedArray(PackedPart)
    /// An object of an item as it is stored; equal to ``object(_:)`` of the same members.
    case packedObject(PackedPart)

    /// The value of a stored JSON value.
    package init(_ json: JSONValue) {
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
    package func member(_ name: String) -> ODataValue {
        if case .packedObject(let part) = self { return part.member(name) }
        guard case .object(let members) = self, let value = members[name] else { return .null }
        return ODataValue(value)
    }

    /// The value a path of members leads to; null as soon as one is missing.
    package func value(at path: ArraySlice<String>) -> ODataValue {
        path.reduce(self) { value, name in value.member(name) }
    }

    /// This value with what is packed as a tree.
    ///
    /// - Complexity: All that is in it.
    package var unpacked: ODataValue {
        switch self {
        case .packedArray(let part), .packedObject(let part): ODataValue(part.json)
        default: self
        }
    }

    /// This value as a moment: an instant itself, or a string that is a date and time.
    package var asInstant: Instant? {
        switch self {
        case .instant(let instant): instant
        case .string(let text): Instant(text: text)
        default: nil
        }
    }

    /// This value as a day: the day in UTC of a moment, or a string that is a date.
    var asDay: Day? {
        if case .string(let text) = self, let day = Day(text: text) { return day }
        return asInstant.map { Day(of: $0) }
    }

    /// This value as a time of day: that in UTC of a moment, or a string that is a time of day.
    var asTimeOfDay: TimeOfDay? {
        if case .string(let text) = self, let time = TimeOfDay(text: text) { return time }
        return asInstant.map { TimeOfDay(of: $0) }
    }

    /// Whether this is null.
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }
}
