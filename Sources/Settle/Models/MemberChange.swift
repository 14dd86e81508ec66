import SettleDocuments

/// What was changed among the members that a model writes.
struct MemberChange {
    /// Both sides changed the same.
    struct Overlap: Error {}

    /// What the model wrote as it was read.
    let before: [String: JSONValue]
    /// What it writes now.
    let after: [String: JSONValue]

    /// Changes a document.
    ///
    /// - Parameters:
    ///   - document: The document, as it was when the model was read, or later.
    ///   - original: The document as it was then.
    /// - Throws: ``Overlap`` when the document differs from the original in what was changed.
    func apply(to document: inout Document, from original: Document) throws {
        for name in Set(before.keys).union(after.keys) where before[name] != after[name] {
            let current = document[json: name]
            let changed = try Self.changed(
                current, from: original[json: name], before: before[name], after: after[name])
            if changed != current { document[json: name] = changed }
        }
    }

    /// A value with what was changed in it.
    ///
    /// - Parameters:
    ///   - current: What is stored; nil for nothing.
    ///   - original: What was stored when the model was read.
    ///   - before: What the model made of that.
    ///   - after: What the model writes now.
    /// - Returns: The value; nil for nothing.
    /// - Throws: ``Overlap``.
    private static func changed(
        _ current: JSONValue?, from original: JSONValue?, before: JSONValue?, after: JSONValue?
    ) throws -> JSONValue? {
        if before == after || current == after { return current }
        if case .object(let was)? = before, case .object(let becomes)? = after,
            case .object(let stored)? = original, case .object(var members)? = current
        {
            for name in Set(was.keys).union(becomes.keys) {
                members[name] = try changed(
                    members[name], from: stored[name], before: was[name], after: becomes[name])
            }
            return .object(members)
        }
        guard current == original else { throw Overlap() }
        guard case .array(let was)? = before, case .array(let becomes)? = after,
            case .array(let stored)? = current, was.count == stored.count
        else { return after }
        return .array(try elements(stored, before: was, after: becomes))
    }

    /// What an element of an array is recognised by: its `id`, or else all of it.
    private enum ElementKey: Hashable {
        case id(JSONValue)
        case whole(JSONValue)

        init(_ element: JSONValue) {
            if let id = element["id"], !id.isNull {
                self = .id(id)
            } else {
                self = .whole(element)
            }
        }
    }

    /// The elements of an array: those that were there keep what the model does not know of them.
    private static func elements(
        _ stored: [JSONValue], before: [JSONValue], after: [JSONValue]
    ) throws -> [JSONValue] {
        // The places of the elements with one key, the last first.
        var places: [ElementKey: [Int]] = [:]
        for (place, element) in before.enumerated().reversed() {
            places[ElementKey(element), default: []].append(place)
        }
        return try after.map { element in
            guard let place = places[ElementKey(element)]?.popLast() else { return element }
            let current = stored[place]
            return try changed(current, from: current, before: before[place], after: element)
                ?? element
        }
    }
}
