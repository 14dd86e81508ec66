import ArgumentParser
import Foundation
import Settle
import SettleEntities

/// `settle entities import`: an interchange into a datastore.
struct ImportEntitiesCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Read an interchange: a JSON file with entities.",
        discussion: """
            Reads a JSON object with a list "entities", as 'settle entities export' writes it, or one \
            that is made by hand. Every entry is merged with what is there by its datestamp, so \
            reading a file twice changes nothing. Entities without a datestamp get the date of the \
            file, and those from standard input the beginning of 1970, so that reading them again changes \
            nothing. Those without an identifier or a type are passed over and named.

            Nothing is stored unless all of the file can be read. The database is made if there is \
            none.

            Examples:
              settle entities import ./people people.json
            """)

    @OptionGroup var database: DatabaseArgument

    @Argument(help: "The file to read; - for standard input.", completion: .file())
    var file: String

    @Flag(help: "Print the counts as a JSON object.")
    var json = false

    func perform() async throws {
        // Opened first, so that a name that is wrong makes no database.
        let source = try ImportSource(path: file)
        let text = file == "-" ? try await source.all() : nil
        let summary = try await database.path.withDatabase(create: true) { database in
            let datastore = try await Datastore.open(over: database)
            if let text { return try await datastore.decode(json: Data(text)) }
            return try await datastore.decode(jsonAt: URL(fileURLWithPath: file))
        }
        for skipped in summary.skipped {
            let name =
                skipped.identifier.map { "'\($0)', number \(skipped.number)," }
                ?? "number \(skipped.number)"
            StandardError.line("Entity \(name) was passed over: \(skipped.reason).")
        }
        let output = Output()
        if json {
            try output.line(
                JSONRendering.compact([
                    "entities": .integer(Int64(summary.entityCount)),
                    "skipped": .integer(Int64(summary.skipped.count)),
                ]))
        } else {
            try output.line(
                "\(Quantity.count(summary.entityCount, "entity", plural: "entities")) read.")
        }
        try output.flush()
    }
}
