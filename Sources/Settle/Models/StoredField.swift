@_spi(Reflection) import Swift

/// A stored property of a struct or class, as its metadata has it.
struct StoredField {
    /// The name of the property.
    let name: String
    /// Where it begins in a value; one without content has the place of another.
    let offset: Int
    /// Its type.
    let type: any Any.Type

    /// The stored properties of a type, in the order of their declarations.
    ///
    /// - Returns: nil when the type is no struct or class, or the program has no such metadata.
    static func all(of type: any Any.Type) -> [StoredField]? {
        var fields: [StoredField] = []
        // `classType`, which is a variable that Swift 6 does not let us read.
        let options = _EachFieldOptions(rawValue: type is AnyClass ? 1 : 0)
        let isComplete = unsafe _forEachField(of: type, options: options) { name, offset, type, _ in
            fields.append(
                StoredField(name: unsafe String(cString: name), offset: offset, type: type))
            return true
        }
        return isComplete ? fields : nil
    }

    /// The type that an optional type wraps; nil for others.
    static func wrapped(in type: any Any.Type) -> (any Any.Type)? {
        (type as? any Wrapping.Type)?.wrapped
    }
}

private protocol Wrapping {
    static var wrapped: any Any.Type { get }
}

extension Optional: Wrapping {
    fileprivate static var wrapped: any Any.Type { Wrapped.self }
}
