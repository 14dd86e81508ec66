import ArgumentParser
import Settle

/// `settle indexes list`: which indexes a database has, and how they are.
struct ListIndexesCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the indexes of a database.",
        discussion: """
            Shows of each index its version, how many rows it has, how many documents could not be \
            indexed, whether it is up to date, and what it is made of. It brings none up to date; \
            the next query does. The version of an index that an application makes with code is \
            the one its rows were made by.

            Examples:
              settle indexes ./shop
              settle indexes ./shop --json
            """)

    @OptionGroup var database: DatabaseArgument

    @Flag(
        help: """
            Print a JSON object an index; its "declaration" is what 'settle indexes add \
            --declaration' reads.
            """)
    var json = false

    @OptionGroup var screenOptions: ScreenOptions

    func perform() async throws {
        let listing = try await database.path.withDatabase(isReadOnly: true) { database in
            IndexListing(try database.indexStatuses(), lastSequence: try database.lastSequence)
        }
        let output = Output()
        let lines = json ? listing.json : listing.lines(on: screenOptions.screen)
        for line in lines { try output.line(line) }
        try output.flush()
    }
}
