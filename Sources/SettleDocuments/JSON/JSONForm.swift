/// A JSON value, packed as it was read or as a tree, whichever is there.
///
/// What is only handed on stays packed; a tree is made for whoever asks for one.
package enum JSONForm: Sendable {
    /// A sound value, such as what a text was packed into.
    case packed(PackedValue)
    case value(JSONValue)

    /// The value as a tree.
    ///
    /// - Complexity: That of making it, each time, when it is packed.
    package var value: JSONValue {
        switch self {
        case .value(let value): return value
        case .packed(let packed):
            do {
                return try packed.value()
            } catch {
                preconditionFailure("A packed value must be sound: \(error)")
            }
        }
    }

    /// The packed value; nil for a tree.
    package var packed: PackedValue? {
        if case .packed(let packed) = self { packed } else { nil }
    }

    /// The member of that name; nil when it is absent or this is no object.
    package subscript(name: String) -> JSONForm? {
        switch self {
        case .value(let value): value[name].map { .value($0) }
        // It is sound, so whatever fails is an absent member.
        case .packed(let packed): (try? packed.packedMember(name)).map { .packed($0) }
        }
    }

    /// The member of that name as a tree; nil when it is absent or this is no object.
    package func member(_ name: String) -> JSONValue? {
        switch self {
        case .value(let value): value[name]
        case .packed(let packed): try? packed.member(name)
        }
    }

    /// The elements, in the form that they are in; nil when this is no array.
    package var elements: [JSONForm]? {
        switch self {
        case .value(let value): value.arrayValue?.map { .value($0) }
        case .packed(let packed): (try? packed.elements())?.map { .packed($0) }
        }
    }
}

extension JSONForm: Hashable {
    /// Whether both are the same value, in whichever form.
    package static func == (left: JSONForm, right: JSONForm) -> Bool {
        // The packed form of equal values may differ in the spelling of names alone.
        if case (.packed(let one), .packed(let other)) = (left, right), one == other { return true }
        return left.value == right.value
    }

    package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}
