import ArgumentParser
import Foundation
import Settle

/// `settle indexes add`: declares an index and builds it.
struct AddIndexCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Declare an index, store it in the database, and build it.",
        discussion: """
            Each --key names a member of the documents, or a member of a member as in address.city; \
            several make an array key. A document that has none of them is left out, and so is one \
            that --filter does not let through.

            If there is an index with this name that is made of something else or has another \
            version, nothing is changed unless --replace is given; then the old one answers those \
            who ask with --stale until the new one is complete. The same command once more brings \
            the index up to date, and goes on with a build that was interrupted.

            Examples:
              settle indexes add ./shop --name byKind --key kind --value price --reduce sum
              settle indexes add ./shop --name byCity --key type --key address.city \\
                --filter '{"type":"order","amount":{"$gt":5}}' --value amount --reduce stats
              settle indexes add ./shop --declaration byCity.json
            """)

    @OptionGroup var database: DatabaseArgument

    @Option(help: ArgumentHelp("The name queries use.", valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Any text, 1 unless given; another one, with --replace, has the index rebuilt.",
            valueName: "text"))
    var version: String?

    @OptionGroup var options: IndexOptions

    @Flag(help: "Put it in the place of another index of this name.")
    var replace = false

    @Option(
        help: ArgumentHelp(
            "A file with the declaration as a JSON object, instead of the options above.",
            valueName: "file"),
        completion: .file())
    var declaration: String?

    @Flag(help: "Print a JSON object with \"index\", \"rows\" and \"errors\".")
    var json = false

    func validate() throws {
        if declaration != nil {
            guard name == nil, version == nil, options.isEmpty else {
                throw ValidationError("--declaration goes without all other options but --replace.")
            }
            return
        }
        guard name != nil else {
            throw ValidationError("Give the index a --name, or a --declaration.")
        }
        guard !options.key.isEmpty else {
            throw ValidationError("Say what to order by: at least one --key, such as --key name.")
        }
        try IndexOptions.check(name: name)
    }

    func perform() async throws {
        let begun = ContinuousClock.now
        let declared = try declared()
        let progress = Progress("Indexing", counting: "documents")
        let status = try await database.path.withDatabase { database in
            defer { progress.end() }
            if !replace {
                try IndexReplacement.refuse(
                    declared, in: database,
                    advice: "Take another name, or give --replace to have that one replaced.")
            }
            do {
                try await Interruption.waiting {
                    try await database.addIndex(declared.index) { progress.update($0) }
                }
            } catch is CancellationError {
                throw Interrupted(
                    ScreenText.printable(
                        "Interrupted before the index '\(declared.name)' was complete. The same "
                            + "command goes on with it."))
            }
            return try database.indexStatus(named: declared.name)
        }
        let output = Output()
        guard !json else {
            try output.line(
                JSONRendering.compact([
                    "index": .string(declared.name), "rows": .integer(Int64(status.rowCount)),
                    "errors": .integer(Int64(status.errorCount)),
                ]))
            return try output.flush()
        }
        try output.line(
            ScreenText.printable(
                "Index '\(declared.name)' has \(Quantity.count(status.rowCount, "row")). "
                    + "(\(Quantity.time(begun.duration(to: .now))))"))
        try output.flush()
        if status.errorCount > 0 {
            StandardError.line(
                "\(Quantity.count(status.errorCount, "document")) could not be indexed; "
                    + "'settle indexes errors' says why.")
        }
    }

    private func declared() throws -> Database.IndexDeclaration {
        if let declaration { return try DeclarationFile.read(declaration) }
        return options.declaration(named: name ?? "", version: version ?? "1")
    }
}

/// A file that holds the declaration of an index.
private enum DeclarationFile {
    /// The declaration in a file.
    ///
    /// - Throws: ``CommandFailure`` when the file cannot be read or holds none.
    static func read(_ path: String) throws -> Database.IndexDeclaration {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure("The file '\(path)' cannot be read. Is it there?")
        }
        do {
            return try Database.IndexDeclaration(parsing: String(decoding: data, as: UTF8.self))
        } catch {
            throw CommandFailure(
                "The file '\(path)' holds no declaration of an index. "
                    + FailureText.sentence(for: error))
        }
    }
}
