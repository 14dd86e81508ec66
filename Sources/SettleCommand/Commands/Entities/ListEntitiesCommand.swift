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

    @OptionGroup var length: LengthOptions

    @Flag(help: "Print a JSON object an entity.")
    var json = false

    @OptionGroup var screenOptions: ScreenOptions

    func perform() async throws {
        let output = Output()
        try await database.path.withDatabase { database in
            let datastore = try await Datastore.open(over: database)
            let all = try await datastore.get(
                allEntitiesOfType: type.map { EntityType($0) } ?? .entity)
            let shown = all.prefix(length.countMax(isForPrograms: json))
            if json {
                try await print(shown, of: datastore, on: output)
                return
            }
            let entities = try await datastore.get(properties: [.name], of: Array(shown))
                .filter(\.isResolved)
            for line in EntityListing.lines(entities, on: screenOptions.screen) {
                try output.line(line)
            }
            if shown.count < all.count {
                try output.line(
                    "\(Quantity.number(all.count - shown.count)) more; --all shows them.")
            }
        }
        try output.flush()
    }

    /// Prints entities with their properties, a page in memory at once.
    ///
    /// An entity that is deleted before its page is read is left out.
    private func print(
        _ entities: ArraySlice<EntityReference>, of datastore: Datastore, on output: Output
    ) async throws {
        var rest = entities
        while !rest.isEmpty {
            let page = Array(rest.prefix(Self.pageLength))
            rest = rest.dropFirst(page.count)
            for entity in try await datastore.get(allPropertiesOf: page) where entity.isResolved {
                try output.line(JSONRendering.compact(EntityListing.json(entity)))
            }
        }
    }

    private static let pageLength = 500
}
