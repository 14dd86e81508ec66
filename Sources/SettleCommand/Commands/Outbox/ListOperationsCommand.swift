import ArgumentParser
import Foundation
import Settle
import SettleOutbox

/// `settle outbox list`: which operations there are, and where they stand.
struct ListOperationsCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the pipelines of an outbox with their operations.",
        discussion: """
            Shows each pipeline with its counts, and its operations in the order of their graphs: \
            the commits they were added in. An operation is active when it was started, held when \
            it waits for a date, unknown when the application that runs its pipeline does not know \
            its type, and pending otherwise. 'waits for' names the operations that must be done \
            before; 'starts' counts how often it was started.

            Shows the first 100 operations unless --limit says otherwise; with --json all of them. \
            What is in an operation is shown with --content only. Nothing in the database is \
            touched.

            Examples:
              settle outbox ./shop
              settle outbox ./shop --pipeline photos --limit 10
              settle outbox ./shop --json | jq -r 'select(.status == "held").id'
            """)

    @OptionGroup var database: DatabaseArgument

    @Option(help: ArgumentHelp("Only this pipeline.", valueName: "name"))
    var pipeline: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Show at most so many operations.", valueName: "n"),
        transform: CountArgument.positive(parsing:))
    var limit: CountArgument?

    @Flag(help: "Show what is in each operation, and the changes it has recorded.")
    var content = false

    @Flag(help: "Print a JSON object an operation.")
    var json = false

    @OptionGroup var screenOptions: ScreenOptions

    private static let limitForPeople = 100

    func perform() async throws {
        let listing = try await database.path.withDatabase(isReadOnly: true) { database in
            try database.read(named: "settle outbox") { snapshot in
                try find(OperationSelection(in: snapshot, of: database))
            }
        }
        let output = Output()
        let lines = json ? listing.json : listing.lines(on: screenOptions.screen)
        for line in lines { try output.line(line) }
        try output.flush()
    }

    private func find(_ selection: OperationSelection) throws -> OutboxListing {
        if let pipeline { try selection.check(pipeline: pipeline) }
        let limit = limit?.count ?? (json ? .max : Self.limitForPeople)
        let now = Date()
        var ids: Set<UUID> = []
        var pipelines: [OutboxListing.Pipeline] = []
        var shown = 0
        for name in selection.snapshot.pipelineNames {
            var found = OutboxListing.Pipeline(name: name)
            let isWanted = pipeline == nil || pipeline == name
            try selection.snapshot.forEachOperation(in: name) { operation in
                // Names are told apart from those of all pipelines.
                ids.insert(operation.id)
                guard isWanted else { return true }
                let isShown = shown < limit
                let entry = try OperationEntry(
                    operation, now: now, includesContent: content && isShown)
                found.counts[entry.standing, default: 0] += 1
                if isShown {
                    found.operations.append(entry)
                    shown += 1
                }
                return true
            }
            if isWanted { pipelines.append(found) }
        }
        return OutboxListing(pipelines, names: OperationNames(ids))
    }
}
