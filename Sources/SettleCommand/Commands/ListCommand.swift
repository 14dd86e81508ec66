import ArgumentParser
import Foundation
import Settle

/// `settle ls`: the databases in a folder, or the documents in a database.
struct ListCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List the databases in a folder, or the documents in a database.",
        discussion: """
            Of a folder it lists the databases, with the number of documents and the size of each; \
            without an argument that is the folder you are in. Of a database it lists the documents \
            in the order of their identifiers' bytes: identifier, revision, time of the last \
            change, and the member "type" if there is any. The first 100 are shown unless --limit \
            or --all says otherwise; with --json all of them.

            A path that ends in a slash is a folder. Nothing in a database is touched.

            Examples:
              settle ls
              settle ls ./databases --json
              settle ls ./shop
              settle ls ./shop --prefix order- --limit 20
              settle ls ./shop --after order-0815 --json
            """)

    @Argument(
        help: "A folder, or a database: a folder and a name, for example ./shop.",
        completion: .directory)
    var path = "."

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only documents whose identifiers begin so.", valueName: "text"))
    var prefix: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only documents that come after this one.", valueName: "id"))
    var after: String?

    @OptionGroup var length: LengthOptions

    @Flag(help: "Print a JSON object a database, or a document.")
    var json = false

    @OptionGroup var screenOptions: ScreenOptions

    func perform() async throws {
        guard let database = try namedDatabase() else { return try await listDatabases() }
        let count = length.countMax(isForPrograms: json)
        let output = Output()
        let listing = DocumentListing(
            prefix: prefix?.isEmpty == true ? nil : prefix, after: after, limit: count)
        try await database.withDatabase(isReadOnly: true) { database in
            if json {
                try listing.forEachPage(of: database) { entries in
                    for entry in entries { try output.line(entry.json) }
                }
            } else {
                for line in try listing.lines(of: database, on: screenOptions.screen) {
                    try output.line(line)
                }
            }
        }
        try output.flush()
    }

    /// The database that the path names; nil when it is a folder.
    private func namedDatabase() throws -> DatabasePath? {
        var attributes: [FileAttributeKey: Any]?
        var isClosed = false
        do {
            attributes = try FileManager.default.attributesOfItem(atPath: path + "/.")
        } catch {
            isClosed = (error as? CocoaError)?.code == .fileReadNoPermission
        }
        let isFolder = attributes?[.type] as? FileAttributeType == .typeDirectory
        let isMeantAsFolder =
            (path.hasSuffix("/") && !path.hasSuffix(".settle/"))
            || [".", ".."].contains(path) || path.hasSuffix("/.") || path.hasSuffix("/..")
        if isMeantAsFolder {
            guard !isClosed else {
                throw CommandFailure(
                    "The folder '\(path)' may not be looked into. Look at the permissions of it "
                        + "and of those above it.")
            }
            guard isFolder else { throw CommandFailure("There is no folder '\(path)'.") }
            guard prefix == nil, after == nil else {
                throw CommandFailure(
                    "'\(path)' is a folder; --prefix and --after are for the documents of a "
                        + "database.")
            }
            return nil
        }
        let database = try DatabasePath(parsing: path)
        // What is neither is reported as a database that is not there.
        return isFolder && !path.hasSuffix(".settle") && !database.isThere ? nil : database
    }

    private func listDatabases() async throws {
        let folder = URL(fileURLWithPath: path, isDirectory: true)
        var entries: [DatabaseEntry] = []
        for name in try Database.allDatabaseNames(underLocation: folder) {
            try Task.checkCancellation()
            entries.append(await DatabaseEntry.of(name, in: folder))
        }
        let output = Output()
        if json {
            for entry in entries { try output.line(entry.json) }
        } else if entries.isEmpty {
            try output.line("No databases.")
        } else {
            for line in DatabaseEntry.lines(of: entries, on: screenOptions.screen) {
                try output.line(line)
            }
        }
        try output.flush()
        let failed = entries.count { $0.failure != nil }
        if failed > 0 {
            throw CommandFailure(
                "\(Quantity.count(failed, "database")) could not be opened; the list says why.")
        }
    }
}
