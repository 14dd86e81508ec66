public import Foundation
import SettlePrimitives

/// The plain value of a property.
///
/// Seven kinds are single values; lists and dictionaries hold any of them, and each other. Values are compared
/// by kind and content, texts by their bytes and doubles by their bits: `.integer(1)` is not `.double(1)`, and a composed
/// accent is not a decomposed one. So of two values that differ in anything, none is taken for the other.
public enum Primitive: Sendable, Hashable {
    /// A whole number.
    case integer(Int)
    /// A number that is finite.
    case double(Double)
    /// A truth value.
    case boolean(Bool)
    /// A text.
    case string(String)
    /// A point in time, kept to the microsecond, in the years 0 to 9999.
    case date(Date)
    /// Bytes.
    case data(Data)
    /// Another entity, by its identifier. It need not be there.
    case entity(String)
    /// Values in an order.
    case list([Primitive])
    /// Values by names.
    case dictionary([String: Primitive])

    /// The kinds of values, by the names that the interchange has for them.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The kind of each case of ``Primitive``.
        case integer, double, boolean, string, date, data, entity, list, dictionary
    }

    /// What kind of value it is.
    public var kind: Kind {
        switch self {
        case .integer: .integer
        case .double: .double
        case .boolean: .boolean
        case .string: .string
        case .date: .date
        case .data: .data
        case .entity: .entity
        case .list: .list
        case .dictionary: .dictionary
        }
    }
}

extension Primitive {
    /// Whether both have the same kind and content; see the type.
    public static func == (left: Primitive, right: Primitive) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
        case (.boolean(let left), .boolean(let right)): left == right
        case (.string(let left), .string(let right)), (.entity(let left), .entity(let right)):
            left.hasSameBytes(as: right)
        case (.date(let left), .date(let right)): left == right
        case (.data(let left), .data(let right)): left == right
        case (.list(let left), .list(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)):
            left.count == right.count
                && left.allSatisfy { name, value in
                    guard let place = right.index(forKey: name) else { return false }
                    return right[place].key.hasSameBytes(as: name) && right[place].value == value
                }
        default: false
        }
    }

    /// The whole number; nil for another kind.
    public var integer: Int? { if case .integer(let value) = self { value } else { nil } }
    /// The number, also of a whole one; nil for another kind.
    public var double: Double? {
        switch self {
        case .double(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }
    /// The truth value; nil for another kind.
    public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    /// The text; nil for another kind.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The point in time; nil for another kind.
    public var date: Date? { if case .date(let value) = self { value } else { nil } }
    /// The bytes; nil for another kind.
    public var data: Data? { if case .data(let value) = self { value } else { nil } }
    /// The identifier of the entity; nil for another kind.
    public var entity: String? { if case .entity(let value) = self { value } else { nil } }
    /// The values in their order; nil for another kind.
    public var list: [Primitive]? { if case .list(let value) = self { value } else { nil } }
    /// The values by their names; nil for another kind.
    public var dictionary: [String: Primitive]? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    /// The identifiers of all entities in the value, at any depth, in the order in which they occur.
    var entities: [String] {
        switch self {
        case .entity(let identifier): [identifier]
        case .list(let elements): elements.flatMap(\.entities)
        case .dictionary(let members): members.sorted { $0.key < $1.key }.flatMap(\.value.entities)
        default: []
        }
    }
}
