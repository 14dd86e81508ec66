extension JSONValue {
    /// Whether this is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The boolean, or nil when this is something else.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number as a 64-bit integer, or nil when this is no number or not exactly a whole one in range.
    ///
    /// A double such as `2.0` counts, because many JSON writers make no difference.
    public var integerValue: Int64? {
        switch self {
        case .integer(let value): value
        case .double(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The number as a double, or nil when this is no number.
    ///
    /// Integers beyond 2^53 are rounded to the nearest double.
    public var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The string, or nil when this is something else.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements, or nil when this is no array.
    public var arrayValue: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members, or nil when this is no object.
    public var objectValue: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The member of that name; nil when it is absent or this is no object.
    ///
    /// Setting a member of an object adds, replaces or (with nil) removes it.
    /// - Precondition: Only an object's members are set.
    public subscript(name: String) -> JSONValue? {
        get {
            if case .object(let members) = self { members[name] } else { nil }
        }
        set {
            guard case .object(var members) = self else {
                preconditionFailure("A member can be set only on a JSON object.")
            }
            self = .null  // Lets go of the dictionary, so that it is changed in place.
            members[name] = newValue
            self = .object(members)
        }
    }

    /// The element at that index; nil when this is no array or has no such element.
    public subscript(index: Int) -> JSONValue? {
        if case .array(let elements) = self, elements.indices.contains(index) {
            elements[index]
        } else {
            nil
        }
    }
}

// Not ExpressibleByNilLiteral: in `isKnown ? value : nil` the compiler would take the nil for JSON
// null where an absent value is meant. Null is written `.null`.
extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// `true` and `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }

    /// A number with a fraction or exponent.
    public init(floatLiteral value: Double) { self = .double(value) }

    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }

    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// An object.
    /// - Precondition: No name is given twice.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(Dictionary(uniqueKeysWithValues: members))
    }
}
