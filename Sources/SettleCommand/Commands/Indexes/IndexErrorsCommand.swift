import ArgumentParser
import Settle

/// `settle indexes errors`: the documents that an index could not map.
struct IndexErrorsCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "errors",
        abstract: "List the documents that could not be indexed, and why.",
        discussion: """
            A document whose map fails has no rows; the others are indexed all the same. A document \
            at which the application crashed is passed over until it is changed or the index has \
            another version. Shows the first 100 in the order of the identifiers, unless --limit \
            says otherwise.

            Examples:
              settle indexes errors ./shop byKind
              settle indexes errors ./shop byKind --limit 1000 --json
            """)

    @OptionGroup var database: DatabaseArgument

    @Argument(help: ArgumentHelp("The name of the index.", valueName: "name"))
    var name: String

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Show at most so many.", valueName: "n"),
        transform: CountArgument.positive(parsing:))
    var limit = CountArgument(100)

    @Flag(help: "Print a JSON object a document, with \"id\", \"reason\", and \"isCrash\".")
    var json = false

    @OptionGroup var screenOptions: ScreenOptions

    func perform() async throws {
        let (errors, count) = try await database.path.withDatabase(isReadOnly: true) { database in
            (
                try database.indexErrors(of: name, limit: limit.count),
                try database.indexStatus(named: name).errorCount
            )
        }
        let output = Output()
        if json {
            for error in errors { try output.line(text(of: error)) }
        } else {
            for line in lines(errors, of: count) { try output.line(line) }
        }
        try output.flush()
    }

    private func lines(_ errors: [IndexMapError], of count: Int) -> [String] {
        guard !errors.isEmpty else { return ["No errors."] }
        var table = TextTable([.name("document"), .left("reason")])
        for error in errors { table.add([error.documentId, error.reason]) }
        guard errors.count < count else { return table.lines(on: screenOptions.screen) }
        return table.lines(on: screenOptions.screen) + [
            "", "\(Quantity.number(errors.count)) of \(Quantity.count(count, "error")) shown.",
        ]
    }

    private func text(of error: IndexMapError) -> String {
        JSONRendering.compact([
            "id": .string(error.documentId), "reason": .string(error.reason),
            "isCrash": .bool(error.isCrash),
        ])
    }
}
