import ArgumentParser
import Settle

/// `settle stats`: counts and sizes.
struct StatsCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show counts, sizes, and readers of a database.",
        discussion: """
            Shows how many documents, tombstones, and contents of attachments there are, when the \
            next document expires, how large the file, its tables, and its indexes are, and who \
            reads.

            Examples:
              settle stats ./shop
              settle stats ./shop --json
            """)

    @OptionGroup var database: DatabaseArgument

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var screenOptions: ScreenOptions

    func perform() async throws {
        let report = try await database.path.withDatabase(isReadOnly: true) { database in
            StatisticsReport(try database.statistics(), indexes: try database.indexStatuses())
        }
        let output = Output()
        if json {
            try output.line(report.json)
        } else {
            for line in report.lines(on: screenOptions.screen) { try output.line(line) }
        }
        try output.flush()
    }
}
