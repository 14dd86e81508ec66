import ArgumentParser
import Foundation
import Settle

/// `settle export`: a whole database as text.
struct ExportCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write all documents to a file that 'settle import' reads back.",
        discussion: """
            Writes one JSON object a line, from which 'settle import' makes an equal database: \
            documents with revisions, dates, and attachments, and tombstones. Contents of attachments stand in the file, unless --contents names a \
            folder for them or --without-contents leaves them out. Indexes are not exported.

            All of it is one state of the database, written in constant memory. The file takes its \
            place when it is whole; an interrupted export leaves none. A file that is there is only \
            replaced with --force, or when you say so on the terminal; a folder, or a file of the \
            database itself, never.

            Examples:
              settle export ./shop shop.export
              settle export ./shop shop.export --contents shop.contents
              settle export ./shop - | gzip > shop.export.gz
            """)

    @OptionGroup var database: DatabaseArgument

    @Argument(
        help: "The file to write, or - for standard output.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "A folder for the contents of attachments, a file each.", valueName: "folder"),
        completion: .directory)
    var contents: String?

    @Flag(help: "Leave the contents of attachments out; they are described only.")
    var withoutContents = false

    @Flag(
        name: [.customLong("force"), .customLong("overwrite")],
        help: "Replace a file that is there without asking.")
    var force = false

    @Flag(help: "Print the counts as a JSON object.")
    var json = false

    func validate() throws {
        guard contents == nil || !withoutContents else {
            throw ValidationError("Give --contents or --without-contents, and not both.")
        }
        guard !json || file != "-" else {
            throw ValidationError("With - the output is the export; leave --json out.")
        }
    }

    func perform() async throws {
        try await confirmReplacing()
        let begun = ContinuousClock.now
        let progress = Progress("Exporting", counting: "documents")
        let summary = try await database.path.withDatabase(isReadOnly: true) { database in
            defer { progress.end() }
            return try await export(database, progress)
        }
        if summary.missingContentCount > 0 {
            StandardError.line(
                "\(Quantity.count(summary.missingContentCount, "attachment")) without content in "
                    + "the database: described only.")
        }
        if file != "-" { try report(summary, elapsed: begun.duration(to: .now)) }
    }

    /// Asks whether a file that is there may be replaced.
    private func confirmReplacing() async throws {
        guard file != "-", !force, FileManager.default.fileExists(atPath: file) else { return }
        guard !FileManager.default.isFolder(file) else {
            throw CommandFailure("'\(file)' is a folder. Give the path of a file to write.")
        }
        guard Terminal.canAsk else {
            throw CommandFailure(
                "There is a file '\(file)' already. Give --force to replace it, or another name.")
        }
        let question = "Replace the file '\(file)', which is there already?"
        guard try await Interruption.waiting(for: { Terminal.confirms(question) }) else {
            throw CommandFailure("The file '\(file)' was left alone; nothing was exported.")
        }
    }

    private var attachments: ExportedAttachments {
        if withoutContents { return .described }
        guard let contents else { return .inline }
        return .directory(URL(fileURLWithPath: contents, isDirectory: true))
    }

    private func export(_ database: Database, _ progress: Progress) async throws -> ExportSummary {
        if file == "-" {
            let output = Output()
            let summary = try await database.exportDocuments(
                attachments: attachments, progress: { progress.update($0) },
                receive: { try output.bytes($0) })
            try output.flush()
            return summary
        }
        return try await database.exportDocuments(
            to: URL(fileURLWithPath: file), attachments: attachments,
            progress: { progress.update($0) })
    }

    private func report(_ summary: ExportSummary, elapsed: Duration) throws {
        let output = Output()
        if json {
            try output.line(
                JSONRendering.compact([
                    "documents": .integer(Int64(summary.documentCount)),
                    "tombstones": .integer(Int64(summary.tombstoneCount)),
                    "contents": .integer(Int64(summary.contentCount)),
                    "missingContents": .integer(Int64(summary.missingContentCount)),
                    "lastSequence": .integer(Int64(clamping: summary.lastSequence)),
                    "bytes": .integer(Int64(summary.byteCount)),
                ]))
        } else {
            var parts = [Quantity.count(summary.documentCount, "document")]
            if summary.tombstoneCount > 0 {
                parts.append(Quantity.count(summary.tombstoneCount, "tombstone"))
            }
            if summary.contentCount > 0 {
                parts.append(Quantity.count(summary.contentCount, "content") + " of attachments")
            }
            try output.line(
                "\(parts.joined(separator: ", ")) exported, \(Quantity.bytes(summary.byteCount)), "
                    + "in \(Quantity.time(elapsed)).")
        }
        try output.flush()
    }
}
