import Foundation
import HTTPTypes
import Settle

/// Writing a document: its text, what would be different, and saving it.
enum EditPage {
    /// The form with the text of a document, or for a new one.
    static func content(_ request: PageRequest) throws -> PageContent {
        guard request.isWritable else { throw PageProblem.readOnly }
        guard let id = request.values.filled("id") else {
            return PageContent(
                title: "New document", blocks: [.form(form("", revision: "", "{\n  \n}", request))])
        }
        guard let document = try request.database.read({ try $0.document(id) }) else {
            throw PageProblem.missing("There is no document '\(VisibleText.beginning(of: id))'.")
        }
        let title = "Edit \(VisibleText.beginning(of: id))"
        guard let text = JSONLayout.indented(.object(document.json), bytesMax: textMax) else {
            return PageContent(
                title: title,
                blocks: [
                    .text(
                        "The document has more than \(Amounts.bytes(textMax)) of JSON, which is too much for a form. "
                            + "'settle put' takes it from a file.")
                ])
        }
        return PageContent(
            title: title,
            blocks: [
                .form(form(id, revision: document.metaData.revision ?? "", text, request))
            ])
    }

    /// The longest text that is edited: a form of it is up to three times as long.
    private static let textMax = 4 << 20

    private static func form(
        _ id: String, revision: String, _ text: String, _ request: PageRequest
    ) -> Form {
        let name = Field(
            name: "id", label: "Identifier", value: id,
            hint: "1 to 255 bytes, not beginning with _.")
        let area = Field(name: "text", label: "Members, as JSON", value: text, kind: .area)
        return Form(
            action: request.address("document/review"),
            fields: revision.isEmpty ? [name, area] : [area],
            hidden: revision.isEmpty ? [] : [("id", id), ("revision", revision)],
            button: "Show what is different")
    }

    /// What a text would change, with the button that saves it.
    static func review(_ request: PageRequest) throws -> PageContent {
        let edit = try Edit(request)
        let current = try request.database.read { try $0.document(edit.id) }
        var blocks: [Block] = []
        if let current, current.metaData.revision != edit.revision {
            blocks.append(
                .warning(
                    edit.revision == nil
                        ? "There is a document with this identifier already. Saving is refused."
                        : "The document was changed meanwhile. Saving is refused; edit it as it is now.",
                    link: PageLink(
                        text: "Edit it as it is now",
                        address: request.address("edit", ["id": edit.id]))))
        }
        let table = differences(from: current?.json ?? [:], to: edit.members)
        blocks.append(.table(table))
        blocks.append(
            .form(
                Form(
                    action: request.address("document/save"),
                    hidden: [
                        ("id", edit.id), ("revision", edit.revision ?? ""),
                        ("text", JSONValue.object(edit.members).jsonText),
                    ],
                    button: "Save")))
        return PageContent(
            title: "Differences in \(VisibleText.beginning(of: edit.id))", blocks: blocks)
    }

    /// The members that differ.
    static func differences(
        from old: [String: JSONValue], to new: [String: JSONValue]
    ) -> Table {
        var table = Table(
            caption: "What is different", columns: ["Member", "Before", "After"],
            emptiness: "Nothing is different.")
        let names = Set(old.keys).union(new.keys)
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for name in names where old[name] != new[name] {
            table.add(
                .name(name), .stored(old[name]?.jsonText ?? "—"),
                .stored(new[name]?.jsonText ?? "—"))
        }
        return table
    }

    /// Saves a text.
    ///
    /// - Returns: The document.
    /// - Throws: ``PageProblem`` 409 when the document is another than the text was made of.
    static func save(_ request: PageRequest) async throws -> String {
        let edit = try Edit(request)
        try await request.database.write { transaction in
            guard let current = try transaction.document(edit.id) else {
                guard edit.revision == nil else { throw PageProblem.changed(edit.id) }
                _ = try transaction.add(edit.document)
                return
            }
            guard current.metaData.revision == edit.revision else {
                throw PageProblem.changed(edit.id)
            }
            var document = current
            for name in current.json.keys where edit.members[name] == nil {
                document[json: name] = nil
            }
            for (name, value) in edit.members where current[json: name] != value {
                document[json: name] = value
            }
            _ = try transaction.update(document)
        }
        return edit.id
    }

    /// Deletes a document, leaving a tombstone.
    ///
    /// - Throws: ``PageProblem`` 409 when it was changed since the page was made.
    static func delete(_ request: PageRequest) async throws -> String {
        let (id, revision) = (try request.required("id"), request.values["revision"])
        try await request.database.write { transaction in
            guard try transaction.document(id)?.metaData.revision == revision else {
                throw PageProblem.changed(id)
            }
            _ = try transaction.delete(documentWithId: id)
        }
        return id
    }

    /// Removes a document without a trace.
    ///
    /// - Throws: ``PageProblem`` 409 when it was changed since the page was made.
    static func purge(_ request: PageRequest) async throws {
        let (id, revision) = (try request.required("id"), request.values["revision"])
        try await request.database.write { transaction in
            guard
                try transaction.document(id, includingDeleted: true)?.metaData.revision == revision
            else { throw PageProblem.changed(id) }
            _ = try transaction.purge(documentsWithIds: [id])
        }
    }
}

/// What a form has of a document.
private struct Edit {
    let id: String
    /// The revision that the text was made of; nil for a new document.
    let revision: String?
    let members: [String: JSONValue]

    init(_ request: PageRequest) throws {
        id = try request.required("id")
        revision = request.values.filled("revision")
        _ = try request.required("text")
        guard case .object(var members)? = try request.json("text") else {
            throw PageProblem.unusable("A document is a JSON object. Go back and write one.")
        }
        if let named = members.removeValue(forKey: "id"), named != .string(id) {
            throw PageProblem.unusable(
                "The member 'id' is another identifier than that of the document. Leave it out.")
        }
        self.members = members
    }

    /// A new document.
    var document: Document {
        var document = Document(id: id)
        for (name, value) in members { document[json: name] = value }
        return document
    }
}

extension PageProblem {
    /// Something was to be changed where nothing may be.
    static let readOnly = PageProblem(
        status: .forbidden,
        message:
            "Nothing may be changed here. 'settle inspect' changes something with --write only.")

    /// A document that is another than the page showed.
    static func changed(_ id: String) -> PageProblem {
        PageProblem(
            status: .conflict,
            message:
                "The document '\(VisibleText.beginning(of: id))' was changed meanwhile, so nothing was done. "
                + "Look at it again.")
    }
}
