import ArgumentParser
import Settle

/// `settle delete`: deletes documents.
struct DeleteCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete documents.",
        discussion: """
            A tombstone stays of each, so that replication passes the deletion on. All of them are \
            deleted, or with status 1 none: when one is not there, or has another revision than \
            --revision says.

            Examples:
              settle delete ./shop apple pear
              settle delete ./shop apple --revision 2-5f1c…
            """)

    @OptionGroup var database: DatabaseArgument

    @Argument(help: ArgumentHelp("Identifiers of documents.", valueName: "id"))
    var ids: [String]

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Delete the document only if this is its revision.", valueName: "revision"))
    var revision: String?

    @Flag(help: "Print a JSON object a document, with \"id\" and \"revision\" of its tombstone.")
    var json = false

    func validate() throws {
        guard !ids.isEmpty else { throw ValidationError("Give identifiers of documents.") }
        guard revision == nil || ids.count == 1 else {
            throw ValidationError("--revision is for one document.")
        }
    }

    func perform() async throws {
        let name = database.path.name
        let deleted = try await database.path.withDatabase { database in
            try await database.write { [ids, revision] transaction in
                var found: [Document?] = []
                for id in ids { found.append(try transaction.document(id)) }
                let missing = zip(ids, found).filter { $0.1 == nil }.map(\.0)
                guard missing.isEmpty else {
                    throw CommandFailure(
                        MissingDocuments.sentence(missing, in: name) + " Nothing was deleted.")
                }
                if let revision { try DocumentPut.require(revision, of: ids[0], found[0]) }
                return try ids.map { id in
                    try transaction.delete(documentWithId: id)
                    let change = try transaction.lastChange(of: id)
                    return (id: id, revision: change?.revision ?? "")
                }
            }
        }
        let output = Output()
        for (id, revision) in deleted {
            try output.line(
                json
                    ? JSONRendering.compact(["id": .string(id), "revision": .string(revision)])
                    : "\(ScreenText.printable(id))  \(revision)  deleted")
        }
        try output.flush()
    }
}

/// Documents that are named and not there.
enum MissingDocuments {
    /// A sentence that names them.
    static func sentence(_ ids: [String], in database: String) -> String {
        let names = ids.map { "'\(ScreenText.printable($0))'" }.joined(separator: ", ")
        let verb = ids.count == 1 ? "There is no document" : "There are no documents"
        return "\(verb) \(names) in '\(database)'."
    }
}
