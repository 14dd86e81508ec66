/// Where a property of a model lies in its documents.
enum ModelPath<Model: DocumentModel> {
    /// The names that lead from the top of a document to the member of a property.
    ///
    /// - Precondition: The key path leads over stored properties of structs, and a property that is
    ///   written under another name stands in ``DocumentModel/memberNames``.
    static func names(of path: PartialKeyPath<Model>) -> [String] {
        let names = properties(of: path)
        var members: [String] = []
        for end in 1...names.count {
            let property = names[..<end].joined(separator: ".")
            members.append(Model.memberNames[property] ?? names[end - 1])
        }
        if members[0] == names[0], let keys = CodingKeysProbe.keys(of: Model.self) {
            precondition(
                keys.init(stringValue: names[0]) != nil,
                "\(Model.self) writes its property '\(names[0])' under another name, or not at all; give "
                    + "the name in '\(Model.self).memberNames'.")
        }
        return members
    }

    /// The names of the properties that a key path leads over.
    ///
    /// They are in its description (SE-0369), which has them from the type's metadata, in optimised
    /// programs too.
    private static func properties(of path: PartialKeyPath<Model>) -> [String] {
        let text = path.debugDescription
        let start = "\\\(Model.self)."
        let steps = text.hasPrefix(start) ? text.dropFirst(start.count) : ""
        precondition(
            !steps.isEmpty && !steps.contains("<"),
            "\(text) is no path over stored properties, so it has no place in a document.")
        return steps.split(separator: ".").map { step in
            String(step.prefix { $0 != "?" && $0 != "!" })
        }
    }
}

/// A decoder that notes by which keys a type is decoded, and refuses.
private final class CodingKeysProbe: Decoder {
    private struct Refused: Error {}

    private var found: (any CodingKey.Type)?
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The coding keys of a type; nil when it is not decoded by keys.
    static func keys(of type: any Decodable.Type) -> (any CodingKey.Type)? {
        let probe = CodingKeysProbe()
        _ = try? type.init(from: probe)
        return probe.found
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        found = type
        throw Refused()
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Refused() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Refused() }
}
