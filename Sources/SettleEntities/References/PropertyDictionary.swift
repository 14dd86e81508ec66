public import Foundation

/// Properties by their keys.
///
/// ```swift
/// var address = PropertyDictionary()
/// address["street", as: "address"] = "12 New Street"
/// address.set("555-0199", for: PropertyKey(array: "phone"))
/// ```
public struct PropertyDictionary: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    private var values: [PropertyKey: PropertyValue]

    /// No properties.
    public init() {
        values = [:]
    }

    init(_ values: [PropertyKey: PropertyValue]) {
        self.values = values
    }

    /// Properties; of a key that stands twice the last one counts.
    public init(dictionaryLiteral elements: (PropertyKey, any PropertyConvertible)...) {
        values = Dictionary(elements.map { ($0.0, $0.1.propertyValue) }) { _, last in last }
    }

    /// The keys, in no order.
    public var keys: Set<PropertyKey> { Set(values.keys) }
    /// How many there are.
    public var count: Int { values.count }
    /// True when there are none.
    public var isEmpty: Bool { values.isEmpty }

    /// The keys and values, in no order.
    var all: [PropertyKey: PropertyValue] { values }

    /// The keys and values, in the order of the keys' texts.
    var sorted: [(key: PropertyKey, value: PropertyValue)] {
        if values.count < 2 { return values.map { (key: $0.key, value: $0.value) } }
        return values.map { (text: $0.key.description, property: (key: $0.key, value: $0.value)) }
            .sorted { $0.text < $1.text }.map(\.property)
    }

    /// The plain value of a key; nil when there is none.
    ///
    /// Setting nil takes the key out.
    public subscript(key: PropertyKey) -> Primitive? {
        get { values[key]?.value }
        set { values[key] = newValue.map { PropertyValue($0) } }
    }

    /// The plain value of a key with a type of its own; nil when the value has another type.
    public subscript(key: PropertyKey, as type: PropertyType) -> Primitive? {
        get { values[key]?.type == type ? values[key]?.value : nil }
        set { values[key] = newValue.map { PropertyValue($0, type: type) } }
    }

    /// The type of the value of a key; nil when there is none.
    public subscript(typeWithKey key: PropertyKey) -> PropertyType? { values[key]?.type }

    /// When the value of a key was set; nil when there is none, or it was not written yet.
    public subscript(datestampWithKey key: PropertyKey) -> Date? { values[key]?.datestamp }

    /// The value of a key with type and datestamp; nil when there is none.
    ///
    /// Setting nil takes the key out.
    public subscript(valueWithKey key: PropertyKey) -> PropertyValue? {
        get { values[key] }
        set { values[key] = newValue }
    }

    /// The entity that is the value of a key; nil when the value is none.
    public subscript(referenceWithKey key: PropertyKey) -> EntityReference? {
        get { values[key]?.reference }
        set { values[key] = newValue.map { PropertyValue($0) } }
    }

    /// Sets the value of a key.
    public mutating func set(_ value: any PropertyConvertible, for key: PropertyKey) {
        values[key] = value.propertyValue
    }

    /// Takes over what another dictionary has.
    public mutating func merge(_ other: PropertyDictionary) {
        values.merge(other.values) { _, other in other }
    }
}
