import ArgumentParser
import Foundation
import Settle
import SettleEntities

/// `settle entities export`: a datastore as an interchange.
struct ExportEntitiesCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write all entities with their history as an interchange.",
        discussion: """
            Writes a JSON object with a list "entities", an entity a line, with every entry of every \
            property and deleted entities, too. Equal stores give equal files. It is one state of \
            the database, written in constant memory; the file takes its place when it is whole. A \
            file that is there is only replaced with --force.

            Nothing in the database is touched.

            Examples:
              settle entities export ./people people.json
              settle entities export ./people - | gzip > people.json.gz
            """)

    @OptionGroup var database: DatabaseArgument

    @Argument(help: "The file to write; - for standard output.", completion: .file())
    var file: String

    @Flag(
        name: [.customLong("force"), .customLong("overwrite")],
        help: "Replace a file that is there.")
    var force = false

    @Flag(help: "Print the counts as a JSON object.")
    var json = false

    func validate() throws {
        guard !json || file != "-" else {
            throw ValidationError("With - the output is the interchange; leave --json out.")
        }
    }

    func perform() async throws {
        guard force || file == "-" || !FileManager.default.fileExists(atPath: file) else {
            throw CommandFailure(
                "There is a file '\(file)' already. Give --force to replace it, or another name.")
        }
        let output = Output()
        let count = try await database.path.withDatabase(isReadOnly: true) { database in
            let datastore = try await Datastore.open(over: database)
            if file == "-" { return try await datastore.encodeJSON(receive: output.bytes) }
            return try await datastore.encodeJSON(to: URL(fileURLWithPath: file))
        }
        if json {
            try output.line(JSONRendering.compact(["entities": .integer(Int64(count))]))
        } else if file != "-" {
            try output.line("\(Quantity.count(count, "entity", plural: "entities")) exported.")
        }
        try output.flush()
    }
}
