import ArgumentParser
import Foundation
import Settle

/// `settle import`: documents from JSON text, or from an export, into a database.
struct ImportCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Store documents from JSON, CSV, an export, or standard input.",
        discussion: """
            Reads one JSON object a line (NDJSON) or one array of objects, of any size: only a \
            batch at a time is in memory. The database is made when there is none.

            The member "id" of an object becomes the document's identifier; without one it gets a \
            random one. --id-member takes another member, a string or a whole number.

            At the first line that is no document the import ends with status 1, names the line, \
            and says how many documents were stored before it; nothing after it is stored.

            With --csv each row of a table is a document, whose members the first row names. A \
            number, true and false are read as such where no quotes stand around them, an empty \
            field makes no member, and all else is text; so are codes like 007 or 12e5, and numbers \
            with more digits than a number keeps. --text takes every field as text. The column \
            "id", or that of --id-member, is the identifier.

            A file that 'settle export' wrote is recognised by its first line. Its documents keep \
            their revisions, dates, and attachments, and tombstones come along. All of it is \
            looked at before anything is stored.

            Examples:
              settle import ./shop items.ndjson
              settle import ./shop --id-member sku items.json
              curl -s https://example.org/items.json | settle import ./shop -
              settle import ./shop --csv --id-member sku items.csv
              settle import ./copy shop.export --on-existing replace
            """)

    @OptionGroup var database: DatabaseArgument

    @Argument(
        help: "The file to read, or - for standard input.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "The member that holds the identifier, when it is not \"id\".", valueName: "name"))
    var idMember: String?

    @Option(
        help: """
            What to do with a document whose identifier is there already: keep the one that is \
            there, replace it, or fail. Without it plain JSON replaces, and an export keeps.
            """)
    var onExisting: ExistingArgument?

    @Option(
        help: ArgumentHelp(
            """
            The folder with the contents of attachments that were exported to files, when it does \
            not lie beside the export.
            """, valueName: "folder"),
        completion: .directory)
    var contents: String?

    @Flag(help: "Read a table with a title for each column (CSV, RFC 4180).")
    var csv = false

    @Option(
        help: ArgumentHelp(
            "What stands between the fields of --csv: one character, or tab.",
            valueName: "character"),
        transform: SeparatorArgument.init(parsing:))
    var separator: SeparatorArgument?

    @Flag(help: "Take every field of --csv as text.")
    var text = false

    @Flag(help: "Print the counts as a JSON object.")
    var json = false

    func validate() throws {
        guard !csv else { return }
        if separator != nil { throw ValidationError("--separator goes with --csv.") }
        if text { throw ValidationError("--text goes with --csv.") }
    }

    func perform() async throws {
        let source = try ImportSource(path: file)
        let beginning = ForeignFile.withoutMark(try await source.beginning())
        if let kind = ForeignFile(beginning: beginning), !(csv && kind.isTable) {
            throw CommandFailure("\(source.name) cannot be imported. \(kind.sentence)")
        }
        if csv { return try await importPlain(source, beginning, csvParser) }
        if Database.isExport(Data(beginning)) {
            try await importExport(source, beginning)
        } else {
            try await importPlain(source, beginning, JSONDocumentParser(idMember: idMember))
        }
    }

    private var csvParser: CSVDocumentParser {
        CSVDocumentParser(
            separator: (separator ?? .comma).byte, idMember: idMember, isText: text)
    }

    private func importExport(_ source: ImportSource, _ beginning: [UInt8]) async throws {
        guard idMember == nil else {
            throw CommandFailure(
                "\(source.name) is an export, whose documents have identifiers; leave --id-member "
                    + "out.")
        }
        let isPipe = file == "-"
        let url =
            isPipe
            ? try await source.spooled(after: beginning) : URL(fileURLWithPath: file)
        defer { if isPipe { try? FileManager.default.removeItem(at: url) } }
        let run = ExportImport(
            url: url, existing: onExisting?.existing ?? .keep,
            contents: contents.map { URL(fileURLWithPath: $0, isDirectory: true) },
            name: isPipe ? "on \(source.name)" : nil)
        let begun = ContinuousClock.now
        let summary = try await database.path.withDatabase(create: true, run.perform)
        try report(ImportReport(summary), elapsed: begun.duration(to: .now))
    }

    private func importPlain(
        _ source: ImportSource, _ beginning: [UInt8], _ parser: any DocumentParser
    ) async throws {
        guard contents == nil else {
            throw CommandFailure("\(source.name) is no export; leave --contents out.")
        }
        let begun = ContinuousClock.now
        let progress = Progress("Importing", counting: "documents")
        let counts: Importer.Counts
        do {
            defer { progress.end() }
            counts = try await database.path.withDatabase(create: true) { database in
                let importer = Importer(
                    into: database, parsing: parser, existing: onExisting?.existing ?? .replace)
                var waiting: [UInt8]? = beginning
                return try await importer.run {
                    defer { waiting = nil }
                    if let waiting, !waiting.isEmpty { return waiting }
                    return try await source.next()
                } progress: { counts, bytesRead in
                    let fraction = source.size.map { Double(bytesRead) / Double(max($0, 1)) }
                    progress.update(counts.stored + counts.kept, fraction: fraction)
                }
            }
        } catch let stopped as Importer.Stopped {
            throw failure(stopped, source: source)
        }
        try report(ImportReport(counts), elapsed: begun.duration(to: .now))
    }

    private func report(_ report: ImportReport, elapsed: Duration) throws {
        let output = Output()
        try output.line(json ? report.json : report.sentence(elapsed: elapsed))
        try output.flush()
    }

    private func failure(_ stopped: Importer.Stopped, source: ImportSource) -> any Error {
        let place = stopped.line.map { "\(source.name), line \($0): " } ?? ""
        let stored = Quantity.count(stopped.counts.stored, "document")
        var text = place + stopped.reason
        if stopped.counts.stored == 0 {
            text += " Nothing was stored."
        } else {
            text += " \(stored) before it \(stopped.counts.stored == 1 ? "is" : "are") stored."
            // With fail, those that are stored now would be the next failure.
            if onExisting != .fail {
                text += " To go on, import the whole file again: documents with an identifier take"
                text += " each other's place, those without one would come twice."
            }
        }
        guard stopped.isInterrupted else { return CommandFailure(text) }
        return Interrupted(text)
    }
}
