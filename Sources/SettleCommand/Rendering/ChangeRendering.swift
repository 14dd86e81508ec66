import Settle

/// The changes of a database as `settle watch` shows them.
struct ChangeRendering {
    /// Whether for programs, otherwise for people.
    let isJSON: Bool
    /// The name of the database.
    let name: String

    /// What is said at the beginning.
    func greeting(_ start: UInt64) -> String {
        "Watching '\(name)' after the sequence \(start). Ctrl-C ends it."
    }

    /// What is said after an interruption.
    func farewell(_ last: UInt64) -> String {
        "Ended at the sequence \(last); --since \(last) goes on from there."
    }

    /// The lines of a change: one, and for people those of the document.
    func lines(for element: ChangeFeed.Element) -> [String] {
        if isJSON { return [JSONRendering.compact(value(of: element))] }
        let document = element.document.map { JSONRendering.indented(DocumentText.value(of: $0)) }
        return [text(of: element.change)] + (document.map { [$0] } ?? [])
    }

    private func value(of element: ChangeFeed.Element) -> JSONValue {
        let change = element.change
        var members: [String: JSONValue] = [
            "id": .string(change.documentId),
            "isDeleted": .bool(change.isDeleted),
            "isPurged": .bool(change.isPurged),
            "origin": change.origin.map { .string($0) } ?? .null,
            "revision": change.revision.isEmpty ? .null : .string(change.revision),
            "sequence": .integer(Int64(clamping: change.sequence)),
        ]
        members["document"] = element.document.map(DocumentText.value)
        return .object(members)
    }

    private func text(of change: DocumentChange) -> String {
        let sequence = String(change.sequence)
        let indent = String(repeating: " ", count: max(0, 8 - sequence.count))
        let verb = change.isPurged ? "purged " : change.isDeleted ? "deleted" : "saved  "
        var text = "\(indent)\(sequence)  \(verb)  \(ScreenText.printable(change.documentId))"
        if !change.revision.isEmpty { text += "  \(change.revision)" }
        if let origin = change.origin { text += "  from \(ScreenText.printable(origin))" }
        return text
    }
}
