import ArgumentParser
import Foundation
import Settle
import SettleEntities

/// `settle entities show`: one entity, as it is or was, and its history.
struct ShowEntityCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show an entity with its properties, as it is or was.",
        discussion: """
            Shows the properties with their types and datestamps. With --history it shows every entry \
            that there is of each property, with the device that made it; those that are current have \
            a star. With --as-of it shows the entity as it was at a date, by the datestamps of the \
            entries. A deleted entity is shown with --history or --as-of only.

            Nothing in the database is touched.

            Examples:
              settle entities show ./people anna
              settle entities show ./people anna --as-of 2026-12-24T18:00:00Z
              settle entities show ./people anna --history --json
            """)

    @OptionGroup var database: DatabaseArgument

    @Argument(help: "The identifier of the entity.")
    var identifier: String

    @Option(
        help: ArgumentHelp("Show it as it was at this date.", valueName: "date"),
        transform: DateArgument.init(parsing:))
    var asOf: DateArgument?

    @Flag(help: "Show all entries of all properties.")
    var history = false

    @Flag(help: "Print JSON: one object, or with --history one an entry.")
    var json = false

    @OptionGroup var screenOptions: ScreenOptions

    func validate() throws {
        guard asOf == nil || !history else {
            throw ValidationError("Give --as-of or --history, and not both.")
        }
    }

    func perform() async throws {
        let lines = try await database.path.withDatabase(isReadOnly: true) { database in
            let datastore = try await Datastore.open(over: database)
            return try await history ? entries(of: datastore) : properties(of: datastore)
        }
        let output = Output()
        for line in lines { try output.line(line) }
        try output.flush()
    }

    private func entries(of datastore: Datastore) async throws -> [String] {
        let entries = try await datastore.history(of: Entity.identifiedBy(identifier))
        guard !entries.isEmpty else { throw missing() }
        if json { return entries.map { JSONRendering.compact(EntityListing.json($0)) } }
        return EntityListing.lines(entries, on: screenOptions.screen)
    }

    private func properties(of datastore: Datastore) async throws -> [String] {
        let reference = Entity.identifiedBy(identifier)
        let found =
            if let asOf {
                try await datastore.get(allPropertiesOf: [reference], asOf: asOf.date)[0]
            } else {
                try await datastore.get(allPropertiesOf: [reference])[0]
            }
        guard found.isResolved else { throw missing() }
        if json { return [JSONRendering.compact(EntityListing.json(found))] }
        return EntityListing.lines(found, on: screenOptions.screen)
    }

    private func missing() -> CommandFailure {
        let moment = asOf.map { " at \(DateArgument.text(of: $0.date))" } ?? ""
        return CommandFailure(
            "There is no entity '\(identifier)' in '\(database.path.name)'\(moment). A deleted one is shown with "
                + "--history; 'settle entities list' lists those that are there.")
    }
}
