import Foundation
import Settle

/// A document as the tool shows it.
enum DocumentText {
    /// The document's members with its identifier.
    static func value(of document: Document) -> JSONValue {
        var members = document.json
        members["id"] = .string(document.id)
        return .object(members)
    }

    /// The heading, and the members with a level a line.
    static func lines(of document: Document, palette: Palette) -> [String] {
        [
            palette.text(heading(of: document), as: .heading),
            JSONRendering.indented(value(of: document), palette: palette),
        ]
    }

    /// A line with the identifier, the revision and the time of the last change.
    static func heading(of document: Document) -> String {
        let metaData = document.metaData
        var facts: [String] = []
        if let revision = metaData.revision { facts.append("revision \(revision)") }
        if let change = metaData.lastChange {
            facts.append("changed \(change.formatted(.iso8601))")
        }
        let heading = ScreenText.printable(document.id)
        return facts.isEmpty ? heading : heading + "  (\(facts.joined(separator: ", ")))"
    }
}
