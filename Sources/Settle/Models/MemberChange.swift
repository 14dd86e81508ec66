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
            // Another case of an enumeration with values: two of them are none.
            let isAnother =
                !was.isEmpty && !becomes.isEmpty && was.keys.allSatisfy { becomes[$0] == nil }
            if isAnother, current != original { throw Overlap() }
            for name in Set(was.keys).union(becomes.keys) {
                members[name] = try changed(
                    members[name], from: stored[name], before: was[name], after: becomes[name])
            }
            return .object(members)
        }
        guard current == original else { throw Overlap() }
        guard case .array(let was)? = before, case .array(let becomes)? = after,
            case .array(let stored)? = current
        else { return after }
        let elements = try ElementMatching(stored: stored, before: was)?.elements(becomes) {
            try changed($0, from: $0, before: $1, after: $2) ?? $2
        }
        return elements.map { .array($0) } ?? after
    }
}
