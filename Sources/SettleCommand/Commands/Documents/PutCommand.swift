import ArgumentParser
import Foundation
import Settle

/// `settle put`: stores documents that are given as JSON.
struct PutCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Store documents from the command line, a file, or standard input.",
        discussion: """
            A document is a JSON object. Give one, or several, or an array of them, as an argument, \
            as the path of a file, or with - on standard input; there, one object a line will do \
            too. All of them are stored, or with status 1 none. The database is made when there is \
            none. For many documents 'settle import' is made.

            The member "id" is the identifier; without it --id says it, or the document gets a \
            random one. A document that is there already is left alone, and the command ends with \
            status 1, unless you say what is meant: --replace puts the new one in its place; \
            --merge changes the members that are given and no others, in objects inside objects \
            too, and removes those that are given as null; --revision replaces it only if this is \
            its revision. Attachments and the date of expiration stay.

            Prints the identifier and the new revision of each document.

            Examples:
              settle put ./shop '{"id":"apple","price":3}'
              settle put ./shop --merge '{"id":"apple","price":4}'
              settle put ./shop --id pear --replace pear.json
              settle put ./shop --revision 2-5f1c… '{"id":"apple","price":5}'
              curl -s https://example.org/item.json | settle put ./shop -
            """)

    @OptionGroup var database: DatabaseArgument

    @Argument(
        help: ArgumentHelp(
            "JSON, or the path of a file with JSON, or - for standard input.",
            valueName: "document"),
        completion: .file())
    var sources: [String]

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The identifier, if there is one document.", valueName: "id"))
    var id: String?

    @Flag(help: "Put the document in the place of one that is there.")
    var replace = false

    @Flag(help: "Change only the members that are given; null removes one.")
    var merge = false

    @Option(
        help: ArgumentHelp(
            "Replace the document only if this is its revision.", valueName: "revision"))
    var revision: String?

    @Flag(help: "Print a JSON object a document, with \"id\", \"revision\", and \"change\".")
    var json = false

    func validate() throws {
        guard !sources.isEmpty else {
            throw ValidationError("Give documents as JSON, the path of a file, or -.")
        }
        guard !replace || (!merge && revision == nil) else {
            throw ValidationError(
                "--replace takes the place of whatever is there, and goes without --merge and "
                    + "--revision.")
        }
    }

    func perform() async throws {
        var documents: [TypedDocument] = []
        for source in sources { documents += try await DocumentSource(source).documents() }
        if id != nil || revision != nil, documents.count != 1 {
            throw CommandFailure(
                "--id and --revision are for one document, and \(documents.count) are given.")
        }
        if let id {
            if let given = documents[0].givenId, given != id {
                throw CommandFailure(
                    "The document says that its identifier is '\(ScreenText.printable(given))', "
                        + "and --id says '\(ScreenText.printable(id))'.")
            }
            documents[0].givenId = id
        }
        try Task.checkCancellation()
        let put = DocumentPut(
            existing: replace ? .replace : merge ? .merge : .refuse, revision: revision)
        let changes = try await database.path.withDatabase(create: true) { [documents] database in
            try await database.write { try put.store(documents, in: $0) }
        }
        let output = Output()
        for change in changes { try output.line(json ? change.json : change.line) }
        try output.flush()
    }
}
