import ArgumentParser
import Settle
import SettleOutbox

/// `settle outbox skip`: gives operations up.
struct SkipOperationsCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "skip",
        abstract: "Give operations up: take them out of the outbox without carrying them out.",
        discussion: """
            What waited for them may start. An operation that is active is cancelled in the \
            application that works at it; what it has done on the service by then stays done. \
            There is no way back: the documents stay, but what the operations were to do is \
            forgotten.

            Examples:
              settle outbox skip ./shop 1B9D6BCD 9F3A
              settle outbox skip ./shop --pipeline photos --all
            """)

    @OptionGroup var database: DatabaseArgument

    @Argument(
        help: ArgumentHelp("Identifiers, or beginnings of them.", valueName: "id"),
        transform: OperationArgument.init(parsing:))
    var ids: [OperationArgument] = []

    @Option(help: ArgumentHelp("With --all: the pipeline.", valueName: "name"))
    var pipeline: String?

    @Flag(help: "Skip every operation of the pipeline.")
    var all = false

    @Flag(help: "Print a JSON object for each operation that was changed, with its \"id\".")
    var json = false

    func validate() throws {
        if ids.isEmpty, all, pipeline != nil { return }
        guard !ids.isEmpty, !all, pipeline == nil else {
            throw ValidationError(
                "Give identifiers of operations, or --pipeline NAME with --all, and not both.")
        }
    }

    func perform() async throws {
        let skipped = try await OutboxChange.run(in: database.path) { selection in
            try pipeline.map { try selection.operations(in: $0) } ?? selection.operations(ids)
        } change: { outbox, operation in
            try outbox.skip(operation.id)
        }
        let output = Output()
        if json {
            for operation in skipped { try output.line(OperationEntry.line(of: operation.id)) }
        } else {
            try output.line("\(Quantity.count(skipped.count, "operation")) skipped.")
        }
        try output.flush()
        let activeCount = skipped.count { $0.status == .active }
        if activeCount > 0 {
            StandardError.line(
                "Of these \(Quantity.count(activeCount, "operation")) had been started; what was "
                    + "done on the service by then stays done.")
        }
    }
}
