import ArgumentParser
import Settle

/// `settle indexes remove`: takes an index out of a database.
struct RemoveIndexCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Take an index out of the database and free its pages.",
        discussion: """
            The documents stay. The freed pages are used again; 'settle compact' gives them back to \
            the file system. An application whose code makes the index has it rebuilt.

            Examples:
              settle indexes remove ./shop byKind
            """)

    @OptionGroup var database: DatabaseArgument

    @Argument(help: ArgumentHelp("The name of the index.", valueName: "name"))
    var name: String

    @Flag(help: "Print a JSON object with \"removed\", the name.")
    var json = false

    func perform() async throws {
        try await database.path.withDatabase { try await $0.removeIndex(named: name) }
        let output = Output()
        try output.line(
            json
                ? JSONRendering.compact(["removed": .string(name)])
                : ScreenText.printable("Index '\(name)' removed."))
        try output.flush()
    }
}
