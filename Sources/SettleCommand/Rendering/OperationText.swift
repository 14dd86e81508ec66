import Foundation
import Settle
import SettleOutbox

/// An operation of the outbox with all its facts, for people.
struct OperationText {
    private let entry: OperationEntry
    private let names: OperationNames

    /// The text of an operation.
    ///
    /// - Parameters:
    ///   - entry: The operation.
    ///   - names: The operations of its outbox.
    init(_ entry: OperationEntry, _ names: OperationNames) {
        self.entry = entry
        self.names = names
    }

    /// A line a fact, and then, if it was asked for, the content.
    var lines: [String] {
        var table = TextTable([.left("fact"), .left("value")])
        for (fact, value) in facts { table.add([fact, value]) }
        return table.lines(isTitled: false) + (entry.content.map(lines(of:)) ?? [])
    }

    private var facts: [(String, String)] {
        var facts = [
            ("operation", entry.id.uuidString), ("type", entry.type),
            ("pipeline", entry.pipeline), ("graph", String(entry.graph)),
            ("status", entry.standing.rawValue), ("priority", Quantity.number(entry.priority)),
            ("starts", Quantity.number(entry.startCount)),
        ]
        for id in entry.documentIds { facts.append(("document", id)) }
        for id in entry.dependencies {
            facts.append(
                names.contains(id)
                    ? ("waits for", names.short(id)) : ("done before", id.uuidString))
        }
        for (context, date) in entry.holds.sorted(by: { $0.key < $1.key }) {
            facts.append(("hold", "\(context), until \(DateArgument.text(of: date))"))
        }
        if let failure = entry.failure {
            let date = DateArgument.text(of: failure.date)
            facts.append(("failed", "\(date): \(ScreenText.printable(failure.message))"))
        }
        return facts
    }

    private func lines(of content: OperationEntry.Content) -> [String] {
        ["content", JSONRendering.indented(content.operation)]
            + content.changedFields.sorted { $0.key < $1.key }.flatMap { id, fields in
                [
                    "changes of \(ScreenText.printable(id))",
                    JSONRendering.indented([
                        "old": .object(fields.old), "new": .object(fields.new),
                    ]),
                ]
            }
            + (content.notes.isEmpty
                ? [] : ["notes", JSONRendering.indented(.object(content.notes))])
    }
}
