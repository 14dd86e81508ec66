public import Foundation
import Settle

/// A value of the interchange: what JSON can express, and dates, bytes and UUIDs for those who keep them as they are.
public enum InterchangeValue: Sendable, Hashable {
    /// A truth value.
    case boolean(Bool)
    /// A whole number.
    case integer(Int)
    /// A number.
    case double(Double)
    /// A text.
    case string(String)
    /// Values in an order.
    case list([InterchangeValue])
    /// Values by names.
    case dictionary([String: InterchangeValue])
    /// A point in time; only with coders that keep it.
    case date(Date)
    /// Bytes; only with coders that keep them.
    case data(Data)
    /// A UUID; only with coders that keep it.
    case uuid(UUID)

    /// The text; nil for other values.
    public var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The value of a name in a dictionary; nil when there is none, or for other values.
    public subscript(name: String) -> InterchangeValue? {
        if case .dictionary(let members) = self { members[name] } else { nil }
    }

    /// The value as JSON; dates, bytes and UUIDs as ``JSONInterchangeEncoder`` writes them.
    var json: JSONValue {
        switch self {
        case .boolean(let flag): .bool(flag)
        case .integer(let number): .integer(Int64(number))
        case .double(let number): .double(number)
        case .string(let text): .string(text)
        case .list(let elements): .array(elements.map(\.json))
        case .dictionary(let members): .object(members.mapValues(\.json))
        case .date(let date): JSONInterchangeEncoder().encodePrimitive(date).json
        case .data(let data): JSONInterchangeEncoder().encodePrimitive(data).json
        case .uuid(let uuid): .string(uuid.uuidString)
        }
    }

    /// The value that JSON is; nil for null, which is none.
    init?(_ json: JSONValue) {
        switch json {
        case .null: return nil
        case .bool(let flag): self = .boolean(flag)
        case .integer(let number): self = .integer(Int(number))
        case .double(let number): self = .double(number)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .list(elements.compactMap { InterchangeValue($0) })
        case .object(let members):
            self = .dictionary(members.compactMapValues { InterchangeValue($0) })
        }
    }

    /// Whether JSON has a null in it, which is no value anywhere.
    static func hasNull(_ json: JSONValue) -> Bool {
        switch json {
        case .null: true
        case .array(let elements): elements.contains(where: hasNull)
        case .object(let members): members.values.contains(where: hasNull)
        default: false
        }
    }
}
