import ArgumentParser
import Foundation
import Settle

/// `settle edit`: a document in an editor.
struct EditCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change a document in your editor.",
        discussion: """
            Opens the document as JSON in $VISUAL, or $EDITOR, or vi, and stores what was saved \
            there. A text that is no document is opened once more with a line that says what is \
            wrong with it, until it is right; saved again as it was, or empty, it ends the command.

            If the document was changed by somebody else meanwhile, nothing is stored. Whenever \
            the text cannot be stored, it is left in a file that the error names. Attachments and \
            the date of expiration stay.

            Examples:
              settle edit ./shop apple
              settle edit ./shop pear --create
              EDITOR='code --wait' settle edit ./shop apple
            """)

    @OptionGroup var database: DatabaseArgument

    @Argument(help: ArgumentHelp("The identifier of the document.", valueName: "id"))
    var id: String

    @Flag(help: "Begin a new document if there is none.")
    var create = false

    @Flag(help: "Print a JSON object with \"id\", \"revision\", and \"change\".")
    var json = false

    func perform() async throws {
        let found = try await find()
        let session = try EditSession(id: id, members: found?.json ?? [:])
        let outcome = try await session.edited()
        guard let members = outcome, members != found?.json || found == nil else {
            session.discard()
            guard let found else {
                throw CommandFailure("Nothing was written, so nothing was stored.")
            }
            return try report(
                DocumentPut.Change(
                    id: id, revision: found.metaData.revision ?? "", name: "unchanged"))
        }
        let change: DocumentPut.Change
        do {
            change = try await store(members, over: found)
        } catch is CancellationError {
            throw Interrupted(
                "Interrupted; nothing was stored. Your text is in '\(session.path)'.")
        } catch {
            throw CommandFailure(
                "\(FailureText.sentence(for: error)) Your text is in '\(session.path)'.")
        }
        session.discard()
        try report(change)
    }

    private func find() async throws -> Document? {
        let name = database.path.name
        return try await database.path.withDatabase(isReadOnly: true) { database in
            let found = try database.read { try $0.document(id) }
            guard found != nil || create else {
                throw CommandFailure(
                    MissingDocuments.sentence([id], in: name) + " --create begins one.")
            }
            return found
        }
    }

    private func store(
        _ members: [String: JSONValue], over found: Document?
    ) async throws -> DocumentPut.Change {
        try await database.path.withDatabase { database in
            try await database.write { [id] transaction in
                let now = try transaction.document(id)
                guard now?.metaData.revision == found?.metaData.revision else {
                    let state = now?.metaData.revision.map { "it is at revision \($0) now" }
                    throw CommandFailure(
                        "The document '\(ScreenText.printable(id))' was changed while you edited "
                            + "it: \(state ?? "it was deleted"). Nothing was stored.")
                }
                var document = now ?? Document(id: id)
                document.replaceMembers(with: members)
                let saved = try transaction.save(document)
                return DocumentPut.Change(
                    id: id, revision: saved.metaData.revision ?? "",
                    name: now == nil ? "added" : "replaced")
            }
        }
    }

    private func report(_ change: DocumentPut.Change) throws {
        let output = Output()
        try output.line(json ? change.json : change.line)
        try output.flush()
    }
}
