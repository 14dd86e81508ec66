/// What the value of a property means: a label that is independent of the kind of value.
///
/// A string of the type `address`, say. Where none is given it is that of the value's kind.
public struct PropertyType: EntityLabel {
    /// The label.
    public let rawValue: String

    /// The type with a label.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The type of values of a kind of which nothing else is said.
    public init(_ kind: Primitive.Kind) {
        self.init(rawValue: kind.rawValue)
    }

    /// A truth value.
    public static let boolean = PropertyType(.boolean)
    /// Bytes.
    public static let data = PropertyType(.data)
    /// A point in time.
    public static let date = PropertyType(.date)
    /// A number.
    public static let double = PropertyType(.double)
    /// Another entity.
    public static let entity = PropertyType(.entity)
    /// A whole number.
    public static let integer = PropertyType(.integer)
    /// A text.
    public static let string = PropertyType(.string)
    /// Values in an order.
    public static let list = PropertyType(.list)
    /// Values by names.
    public static let dictionary = PropertyType(.dictionary)
    /// What identifies something.
    public static let identifier: PropertyType = "identifier"
    /// Anything.
    public static let value: PropertyType = "value"
}
