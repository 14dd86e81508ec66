/// Where a property of a model lies in its documents.
enum ModelPath<Model: DocumentModel> {
    /// A stored property on the way, and the type that has it; nil when it is not known.
    private struct Step {
        let property: String
        let owner: (any Any.Type)?
    }

    /// The names that lead from the top of a document to the member of a property.
    ///
    /// A property that stands in ``DocumentModel/memberNames`` has the name from there, and its type is not
    /// asked. The model's `id` is the member `id`, whatever its coding key.
    ///
    /// - Precondition: The key path leads over stored properties of structs; a property that is
    ///   written under another name stands in ``DocumentModel/memberNames``; and no two properties whose
    ///   types have a single value could be meant.
    static func names(of path: PartialKeyPath<Model>) -> [String] {
        let steps = steps(of: path)
        var members: [String] = []
        var property = ""
        for step in steps {
            property += (property.isEmpty ? "" : ".") + step.property
            if let name = Model.memberNames[property] {
                members.append(name)
                continue
            }
            if property != Document.idMember, let owner = step.owner as? any Decodable.Type {
                precondition(
                    !CodingKeysProbe.refute(step.property, of: owner),
                    "\(owner) writes its property '\(step.property)' under another name, or not at "
                        + "all; give the name for '\(property)' in '\(Model.self).memberNames'.")
            }
            members.append(step.property)
        }
        return members
    }

    /// The properties that a key path leads over.
    ///
    /// Their names are in its description (SE-0369), which has them from the type's metadata, in
    /// optimised programs too. It names the first property at a place: where properties without content
    /// share the place with another, the types tell which one is meant.
    private static func steps(of path: PartialKeyPath<Model>) -> [Step] {
        let text = path.debugDescription
        let start = "\\\(Model.self)."
        var names = text.hasPrefix(start) ? text.dropFirst(start.count) : ""
        precondition(
            !names.isEmpty && !names.contains("<"),
            "\(text) is no path over stored properties, so it has no place in a document.")
        var value = type(of: path).valueType
        // At the end, `?` makes the whole an optional.
        if names.last == "?", let wrapped = StoredField.wrapped(in: value) {
            names.removeLast()
            value = wrapped
        }
        let described = names.split(separator: ".")[...]
        let ways = ways(described, from: Model.self, to: value)
        guard let way = ways.first else {
            return described.enumerated().map { place, step in
                Step(property: property(step), owner: place == 0 ? Model.self : nil)
            }
        }
        precondition(
            ways.count == 1,
            "\(text) may be one of the properties "
                + ways.map { "'\($0.map(\.property).joined(separator: "."))'" }
                .joined(separator: ", ")
                + " of \(Model.self), which cannot be told apart: their type has a single value.")
        return way
    }

    /// The ways over stored properties that have a description and lead to a type.
    private static func ways(
        _ described: ArraySlice<Substring>, from owner: any Any.Type, to value: any Any.Type
    ) -> [[Step]] {
        guard let step = described.first, let fields = StoredField.all(of: owner),
            let place = fields.first(where: { $0.name == property(step) })?.offset
        else { return [] }
        let rest = described.dropFirst()
        var ways: [[Step]] = []
        for field in fields where field.offset == place {
            let first = Step(property: field.name, owner: owner)
            guard let reached = unwrapped(field.type, step) else { continue }
            if rest.isEmpty {
                if reached == value { ways.append([first]) }
            } else {
                ways += Self.ways(rest, from: reached, to: value).map { [first] + $0 }
            }
        }
        return ways
    }

    private static func property(_ step: Substring) -> String {
        String(step.prefix { $0 != "?" && $0 != "!" })
    }

    /// The type behind the question and exclamation marks of a step; nil when it is no such optional.
    private static func unwrapped(
        _ type: any Any.Type, _ step: Substring
    ) -> (any Any.Type)? {
        var type = type
        for _ in step.drop(while: { $0 != "?" && $0 != "!" }) {
            guard let wrapped = StoredField.wrapped(in: type) else { return nil }
            type = wrapped
        }
        return type
    }
}
