import ArgumentParser
import Settle
import SettleEntities

/// `settle entities list`: the entities of a type.
struct ListEntitiesCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List entities, all or those of a type.",
        discussion: """
            Shows of each entity its identifier, type, name, when it was first added and when it was \
            last changed. A type stands for those that conform to it, too. The first 100 are shown \
            unless --limit or --all says otherwise; with --json all of them, with their properties.

            Examples:
              settle entities list ./people
              settle entities list ./people --type person --limit 20
            """)

    @OptionGroup var database: DatabaseArgument

    @Option(
        help: ArgumentHelp(
            "Only entities of this type, or of one that conforms to it.", valueName: "type"))
    var type: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Show at most so many.", valueName: "n"),
        transform: CountArgument.positive(parsing:))
    var limit: CountArgument?

    @Flag(help: "Show all entities.")
    var all = false

    @Flag(help: "Print a JSON object an entity.")
    var json = false

    @OptionGroup var screenOptions: ScreenOptions

    private static let limitForPeople = 100

    func validate() throws {
        guard !all || limit == nil else {
            throw ValidationError("Give --limit or --all, and not both.")
        }
    }

    func perform() async throws {
        let entities = try await database.path.withDatabase { database in
            try await Datastore.open(over: database)
                .get(allPropertiesOfType: type.map { EntityType($0) } ?? .entity)
        }
        let count = limit?.count ?? (json || all ? entities.count : Self.limitForPeople)
        let shown = Array(entities.prefix(count))
        let output = Output()
        if json {
            for entity in shown {
                try output.line(JSONRendering.compact(EntityListing.json(entity)))
            }
        } else {
            for line in EntityListing.lines(shown, on: screenOptions.screen) {
                try output.line(line)
            }
            if shown.count < entities.count {
                try output.line(
                    "\(Quantity.number(entities.count - shown.count)) more; --all shows them.")
            }
        }
        try output.flush()
    }
}
