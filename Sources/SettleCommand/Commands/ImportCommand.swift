import ArgumentParser
import Settle

/// `settle import`: documents from JSON text into a database.
struct ImportCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Store documents from a JSON file or from standard input.",
        discussion: """
            Reads one JSON object a line (NDJSON) or one array of objects, of any size: only a \
            batch at a time is in memory. The database is made when there is none.

            The member "id" of an object becomes the document's identifier; without one it gets a \
            random one. --id-member takes another member, a string or a whole number.

            At the first line that is no document the import ends with status 1, names the line, \
            and says how many documents were stored before it; nothing after it is stored.

            Examples:
              settle import ./shop items.ndjson
              settle import ./shop --id-member sku items.json
              curl -s https://example.org/items.json | settle import ./shop -
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
            What to do with a document whose identifier is there already: replace it, skip the new \
            one, or fail.
            """)
    var existing: Importer.Existing = .replace

    @Flag(help: "Print the counts as a JSON object.")
    var json = false

    func perform() async throws {
        let source = try ImportSource(path: file)
        let begun = ContinuousClock.now
        let progress = Progress("Importing", counting: "documents")
        let counts: Importer.Counts
        do {
            defer { progress.end() }
            counts = try await database.path.withDatabase(create: true) { database in
                let importer = Importer(into: database, idMember: idMember, existing: existing)
                return try await importer.run(source.next) { counts, bytesRead in
                    let fraction = source.size.map { Double(bytesRead) / Double(max($0, 1)) }
                    progress.update(counts.stored + counts.skipped, fraction: fraction)
                }
            }
        } catch let stopped as Importer.Stopped {
            throw failure(stopped, source: source)
        }
        try report(counts, elapsed: begun.duration(to: .now))
    }

    private func report(_ counts: Importer.Counts, elapsed: Duration) throws {
        let output = Output()
        if json {
            try output.line(
                JSONRendering.compact([
                    "added": .integer(Int64(counts.added)),
                    "replaced": .integer(Int64(counts.replaced)),
                    "skipped": .integer(Int64(counts.skipped)),
                ]))
        } else {
            var line = "\(Quantity.count(counts.stored, "document")) stored"
            if counts.replaced > 0 {
                line += " (\(Quantity.number(counts.replaced)) in place of older ones)"
            }
            if counts.skipped > 0 {
                line += ", \(Quantity.number(counts.skipped)) skipped"
            }
            line += " in \(Quantity.time(elapsed))"
            try output.line(line + ".")
        }
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
            text += " To go on, import the whole file again: documents with an identifier take"
            text += " each other's place, those without one would come twice."
        }
        guard stopped.isInterrupted else { return CommandFailure(text) }
        return Interrupted(text)
    }
}

extension Importer.Existing: ExpressibleByArgument {}
