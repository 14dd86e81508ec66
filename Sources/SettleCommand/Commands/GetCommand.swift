import ArgumentParser
import Foundation
import Settle

/// `settle get`: documents by identifier, or all of them.
struct GetCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print documents by their identifiers, or all of them.",
        discussion: """
            Prints each document with its revision and the time of its last change, for people. \
            With --json prints one compact JSON object a line, which 'settle import' reads back.

            Ends with status 1 when a document is not there, after printing those that are.

            Examples:
              settle get ./shop item-1 item-2
              settle get ./shop --all --json > all.ndjson
              settle get ./shop --all | head
            """)

    @OptionGroup var database: DatabaseArgument

    @Argument(help: ArgumentHelp("Identifiers of documents.", valueName: "id"))
    var ids: [String] = []

    @Flag(help: "Print every document, in the order of the identifiers' bytes.")
    var all = false

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @OptionGroup var screenOptions: ScreenOptions

    func validate() throws {
        guard !all || ids.isEmpty else {
            throw ValidationError("Give identifiers of documents or --all, and not both.")
        }
        guard all || !ids.isEmpty else {
            throw ValidationError(
                "Give identifiers of documents, or --all; 'settle ls' lists them.")
        }
    }

    func perform() async throws {
        let output = Output()
        let palette = screenOptions.screen.palette
        let missing = try await database.path.withDatabase(isReadOnly: true) { database in
            let missing =
                try all
                ? printAll(of: database, to: output, palette)
                : printSome(of: database, to: output, palette)
            try output.flush()
            return missing
        }
        guard missing.isEmpty else {
            throw CommandFailure(MissingDocuments.sentence(missing, in: database.path.name))
        }
    }

    private func printSome(
        of database: Database, to output: Output, _ palette: Palette
    ) throws -> [String] {
        let documents = try database.read { snapshot in
            try ids.map { try snapshot.document($0) }
        }
        for document in documents {
            if let document { try self.print(document, to: output, palette) }
        }
        return zip(ids, documents).filter { $0.1 == nil }.map(\.0)
    }

    /// A snapshot keeps old pages from being used again, so all are read in pieces of many.
    private func printAll(
        of database: Database, to output: Output, _ palette: Palette
    ) throws -> [String] {
        let countMax = 1_000
        var last: String?
        while true {
            var documents: [Document] = []
            try database.read { snapshot in
                try snapshot.forEachDocument(after: last) { document in
                    documents.append(document)
                    return documents.count < countMax
                }
            }
            for document in documents { try self.print(document, to: output, palette) }
            try Task.checkCancellation()
            guard documents.count == countMax else { return [] }
            last = documents.last?.id
        }
    }

    private func print(
        _ document: Document, to output: Output, _ palette: Palette
    ) throws {
        if json { return try output.line(JSONRendering.compact(DocumentText.value(of: document))) }
        for line in DocumentText.lines(of: document, palette: palette) { try output.line(line) }
    }
}
