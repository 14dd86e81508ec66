import ArgumentParser
import Foundation
import Settle
import SettleServer

/// `settle copy-tables`: from one store of a server to another.
struct CopyTablesCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "copy-tables",
        abstract: "Copy the tables of a server from one store to another.",
        discussion: """
            A store is the folder of 'settle serve --directory' or the address of a PostgreSQL \
            database. To its clients a server over the copy is the same server: items keep their \
            times and versions, and deleted items and attachments come along.

            The source is only read, and may be in use; a folder that a server is at work in is \
            refused as the destination. A copy that was broken off is made again; it \
            passes over what is there already. To move a server without losing a write: copy while \
            it runs, stop it, copy once more (that is quick), and start it over the copy. A \
            destination that was written to on its own is refused, as soon as that shows; so start \
            nothing over a copy before the last one is made.

            Examples:
              settle copy-tables ./server postgres://settle@db.example.com/settle
              settle copy-tables postgres://settle@db.example.com/settle ./server
            """)

    @Argument(help: "Where the tables are: a folder, or the address of a PostgreSQL database.")
    var source: StoreArgument

    @Argument(help: "Where they go: a folder, or the address of a PostgreSQL database.")
    var destination: StoreArgument

    @Option(
        help: ArgumentHelp(
            "The rules of the server, for the indexes that they name.", valueName: "file"),
        completion: .file())
    var rules: String?

    @Flag(help: "Say what was done as a JSON object.")
    var json = false

    func perform() async throws {
        if let folder = source.folder, !Self.isFolder(folder) {
            throw CommandFailure(
                "There is no folder '\(source.shown)'; name the one of 'settle serve --directory'.")
        }
        let begun = ContinuousClock.now
        let progress = Progress("Copying", counting: "items")
        defer { progress.end() }
        let copy = StoreCopy(
            from: source.store, to: destination.store,
            rules: try rules.map { try AccessRules(contentsOf: URL(fileURLWithPath: $0)) })
        let summary = try await copy.run { _, count in progress.update(count) }
        progress.end()
        let output = Output()
        if json {
            try output.line(
                JSONRendering.compact([
                    "tables": .integer(Int64(summary.tableCount)),
                    "copied": .integer(Int64(summary.copiedCount)),
                    "equal": .integer(Int64(summary.equalCount)),
                    "contents": .integer(Int64(summary.contentCount)),
                ]))
        } else {
            try output.line(
                "Copied \(summary.copiedCount) items of \(summary.tableCount) tables and "
                    + "\(summary.contentCount) contents to \(destination.shown) in "
                    + "\(Quantity.time(begun.duration(to: .now))); \(summary.equalCount) were there "
                    + "already.")
        }
        try output.flush()
    }

    private static func isFolder(_ url: URL) -> Bool {
        (try? url.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true
    }
}
