public import Foundation

/// The value of a property, what it means, and when it was set.
public struct PropertyValue: Sendable, Hashable {
    /// What is given as a value.
    enum Content: Sendable, Hashable {
        case primitive(Primitive)
        case reference(EntityReference)
    }

    let content: Content
    /// What the value means; that of the value's kind unless another was given.
    public var type: PropertyType
    /// When the value was set.
    ///
    /// Nil in a value that is to be written, for now; with a date of its own the value takes its place among
    /// the others by that date.
    public var datestamp: Date?

    init(content: Content, type: PropertyType?, datestamp: Date?) {
        self.content = content
        switch content {
        case .primitive(let value): self.type = type ?? PropertyType(value.kind)
        case .reference: self.type = type ?? .entity
        }
        self.datestamp = datestamp
    }

    /// A value.
    ///
    /// - Parameters:
    ///   - value: The plain value.
    ///   - type: What it means; nil for the type of its kind.
    ///   - datestamp: When it was set; nil for now.
    public init(_ value: Primitive, type: PropertyType? = nil, datestamp: Date? = nil) {
        self.init(content: .primitive(value), type: type, datestamp: datestamp)
    }

    /// A relationship: a value that is another entity.
    ///
    /// - Parameters:
    ///   - reference: The entity. It is resolved, and where it says so created, by the operation that writes the value.
    ///   - type: The kind of relationship; nil for none in particular.
    ///   - datestamp: When it was set; nil for now.
    public init(_ reference: EntityReference, type: PropertyType? = nil, datestamp: Date? = nil) {
        self.init(content: .reference(reference), type: type, datestamp: datestamp)
    }

    /// The value of anything that can be one, with another type.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - type: What it means.
    public init(_ value: any PropertyConvertible, as type: PropertyType) {
        self = value.propertyValue
        self.type = type
    }

    /// The plain value; nil for a reference that is not resolved.
    public var value: Primitive? {
        switch content {
        case .primitive(let value): value
        case .reference(let reference): reference.identifier.map { .entity($0) }
        }
    }

    /// The entity that is the value; nil for other kinds.
    public var reference: EntityReference? {
        switch content {
        case .primitive(.entity(let identifier)): Entity.identifiedBy(identifier)
        case .primitive: nil
        case .reference(let reference): reference
        }
    }
}

/// What can be the value of a property, as it is.
///
/// Strings, numbers, truth values, dates, bytes, references to entities, and arrays and dictionaries of those that are
/// plain.
public protocol PropertyConvertible {
    /// The value, without a datestamp unless it has one.
    var propertyValue: PropertyValue { get }
}

extension PropertyValue: PropertyConvertible {
    /// The value itself.
    public var propertyValue: PropertyValue { self }
}

extension Primitive: PropertyConvertible {
    /// The value, of the type of its kind.
    public var propertyValue: PropertyValue { PropertyValue(self) }
}

extension String: PropertyConvertible {
    /// A text.
    public var propertyValue: PropertyValue { PropertyValue(.string(self)) }
}

extension Int: PropertyConvertible {
    /// A whole number.
    public var propertyValue: PropertyValue { PropertyValue(.integer(self)) }
}

extension Double: PropertyConvertible {
    /// A number.
    public var propertyValue: PropertyValue { PropertyValue(.double(self)) }
}

extension Bool: PropertyConvertible {
    /// A truth value.
    public var propertyValue: PropertyValue { PropertyValue(.boolean(self)) }
}

extension Date: PropertyConvertible {
    /// A point in time.
    public var propertyValue: PropertyValue { PropertyValue(.date(self)) }
}

extension Data: PropertyConvertible {
    /// Bytes.
    public var propertyValue: PropertyValue { PropertyValue(.data(self)) }
}

extension UUID: PropertyConvertible {
    /// A text, of the type ``PropertyType/identifier``.
    public var propertyValue: PropertyValue {
        PropertyValue(.string(uuidString), type: .identifier)
    }
}

extension EntityReference: PropertyConvertible {
    /// A relationship.
    public var propertyValue: PropertyValue { PropertyValue(self) }
}

extension Array: PropertyConvertible where Element == Primitive {
    /// A list.
    public var propertyValue: PropertyValue { PropertyValue(.list(self)) }
}

extension Dictionary: PropertyConvertible where Key == String, Value == Primitive {
    /// A dictionary.
    public var propertyValue: PropertyValue { PropertyValue(.dictionary(self)) }
}

extension Primitive: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// A list.
    public init(arrayLiteral elements: Primitive...) { self = .list(elements) }
    /// A dictionary; of a name that stands twice the last one counts.
    public init(dictionaryLiteral members: (String, Primitive)...) {
        self = .dictionary(Dictionary(members) { _, last in last })
    }
}
