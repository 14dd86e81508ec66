public import Settle

/// What one commit changed in a document, for merging later.
public struct FieldChanges: Sendable, Hashable {
    /// The members that were changed or removed, as they were before; those that are not in it
    /// were added.
    public var old: [String: JSONValue]
    /// The members that were changed or added, as they are after; those that are not in it were
    /// removed.
    public var new: [String: JSONValue]

    /// Changes.
    public init(old: [String: JSONValue] = [:], new: [String: JSONValue] = [:]) {
        self.old = old
        self.new = new
    }

    /// Whether nothing was changed.
    public var isEmpty: Bool { old.isEmpty && new.isEmpty }

    /// The names of the members that were changed, added, or removed.
    public var names: Set<String> { Set(old.keys).union(new.keys) }

    /// What differs between two documents; the members of a document that is not there are none.
    public init(from before: Document?, to after: Document?) {
        let old = before?.json ?? [:]
        let new = after?.json ?? [:]
        self.old = old.filter { new[$0.key] != $0.value }
        self.new = new.filter { old[$0.key] != $0.value }
    }

    /// Makes these changes in another state of the document, where that has what there was before.
    ///
    /// The merge of three versions: what somebody else changed stays, unless it is a member that was
    /// changed here too. For several operations, one after the other, in their order.
    ///
    /// - Parameter document: The other state, as it came from the service for example.
    /// - Returns: The names of the members that are left as they are there, because they are neither
    ///   what they were before nor what they were changed to.
    @discardableResult
    public func apply(to document: inout Document) -> Set<String> {
        var conflicts: Set<String> = []
        for name in names {
            let there = document[json: name]
            if there == new[name] { continue }
            if there == old[name] {
                document[json: name] = new[name]
            } else {
                conflicts.insert(name)
            }
        }
        return conflicts
    }

    /// These changes and then others, as one.
    public func followed(by later: FieldChanges) -> FieldChanges {
        let touched = Set(old.keys).union(new.keys)
        var first = old
        for (name, value) in later.old where !touched.contains(name) { first[name] = value }
        var last = new
        for name in later.old.keys { last[name] = nil }
        for (name, value) in later.new { last[name] = value }
        // A member that is again what it was has not changed.
        let same = Set(first.keys.filter { last[$0] == first[$0] })
        return FieldChanges(
            old: first.filter { !same.contains($0.key) },
            new: last.filter { !same.contains($0.key) })
    }
}
