import ArgumentParser
import Settle
import SettleEntities

/// `settle entities types`: the types and how many entities each has.
struct ListEntityTypesCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "types",
        abstract: "List the types of the entities with their counts.",
        discussion: """
            Counts the entities that are not deleted. An entity has one type; what its type conforms \
            to is not counted again.

            Examples:
              settle entities types ./people
              settle entities ./people --json
            """)

    @OptionGroup var database: DatabaseArgument

    @Flag(help: "Print a JSON object a type.")
    var json = false

    @OptionGroup var screenOptions: ScreenOptions

    func perform() async throws {
        let types = try await database.path.withDatabase { database in
            try await Datastore.open(over: database).getAllEntityTypes()
        }
        let output = Output()
        let lines =
            json ? EntityListing.json(types) : EntityListing.lines(types, on: screenOptions.screen)
        for line in lines { try output.line(line) }
        try output.flush()
    }
}
