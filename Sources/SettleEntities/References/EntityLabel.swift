/// A text that names a meaning, such as that of a type; any text may be one.
public protocol EntityLabel: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral,
    CustomStringConvertible
where RawValue == String {
    /// The label of a text.
    init(rawValue: String)
}

extension EntityLabel {
    /// The label of a text.
    public init(_ name: String) {
        self.init(rawValue: name)
    }

    /// The label of a text.
    public init(stringLiteral name: String) {
        self.init(rawValue: name)
    }

    /// The text.
    public var description: String { rawValue }
}
