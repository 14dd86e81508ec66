import ArgumentParser
import Foundation
import Logging
import Settle
import SettleInspector

/// `settle inspect`: a database in a browser.
struct InspectCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Look into a database in a browser.",
        discussion: """
            Prints an address of this machine that shows the database: documents, indexes with \
            charts, changes while they happen, the outbox, replications, entities. Other processes \
            may use the database meanwhile; their changes are seen within a tenth of a second.

            The address lets one browser in, once; that browser then stays let in until the command \
            ends. Nothing is changed by looking. With --write pages can change documents, build and \
            remove indexes, hold, retry and skip operations of the outbox, and resolve conflicts. \
            When the database is removed or replaced meanwhile, every page says so and does nothing.

            Ctrl-C ends it with status 0.

            Examples:
              settle inspect ./shop
              settle inspect ./shop --write --port 9000
            """)

    @OptionGroup var database: DatabaseArgument

    @Flag(help: "Let pages change the database.")
    var write = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The port to listen on; 0 takes a free one.", valueName: "port"),
        transform: CountArgument.port(parsing:))
    var port: UInt16 = 0

    @Flag(help: "Print the address as a JSON object with \"url\".")
    var json = false

    func perform() async throws {
        let (write, port, json) = (write, Int(port), json)
        let path = database.path
        try await path.withDatabase(isReadOnly: !write) { database in
            let file = WatchedFile(path)
            var configuration = InspectorConfiguration(port: port, allowsWriting: write)
            configuration.isThere = { file.isThere }
            let inspector = Inspector(
                of: database, configuration: configuration,
                logger: Logger(label: "settle.inspector") {
                    StreamLogHandler.standardError(label: $0)
                }
            ) { address in
                // A reader that has gone has no use for the address.
                try? Self.announce(address, of: database.name, isWritable: write, json: json)
            }
            do {
                try await inspector.run()
            } catch  where Task.isCancelled {
                // Ended as it is meant to be.
            }
        }
    }

    private static func announce(
        _ address: URL, of name: String, isWritable: Bool, json: Bool
    ) throws {
        let output = Output()
        if json {
            try output.line(JSONRendering.compact(["url": .string(address.absoluteString)]))
        } else {
            let mode = isWritable ? "which may be changed" : "read only"
            try output.line("The database \(ScreenText.printable(name)), \(mode), is shown at")
            try output.line(address.absoluteString)
            try output.line("The address lets one browser in. Ctrl-C ends it.")
        }
        try output.flush()
    }
}
