import ArgumentParser
import Settle
import SettleOutbox

/// `settle outbox retry`: has operations started now that would be started later.
struct RetryOperationsCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "End the waits and holds of operations, so that they start at once.",
        discussion: """
            An operation that has failed waits before it is tried again, and one may be held for \
            other reasons; both end here, and the application starts it as soon as its turn comes. \
            What it depends on has to be done first all the same.

            An operation that is active, because the process that worked at it has ended, is given \
            back to the queue. If the process still works at it, that work is cancelled and begun \
            anew. With --all those that are active are left alone; the application gives them back \
            by itself when it is started.

            Examples:
              settle outbox retry ./shop 1B9D6BCD
              settle outbox retry ./shop --all
              settle outbox retry ./shop --all --pipeline photos
            """)

    @OptionGroup var database: DatabaseArgument

    @Argument(
        help: ArgumentHelp("Identifiers, or beginnings of them.", valueName: "id"),
        transform: OperationArgument.init(parsing:))
    var ids: [OperationArgument] = []

    @Flag(help: "Retry every operation that is held or waits after a failure.")
    var all = false

    @Option(help: ArgumentHelp("With --all: only those of this pipeline.", valueName: "name"))
    var pipeline: String?

    @Flag(help: "Print a JSON object for each operation that was changed, with its \"id\".")
    var json = false

    func validate() throws {
        guard all != !ids.isEmpty else {
            throw ValidationError("Give identifiers of operations, or --all, and not both.")
        }
        if pipeline != nil, !all { throw ValidationError("--pipeline goes with --all.") }
    }

    func perform() async throws {
        let retried = try await OutboxChange.run(in: database.path) { selection in
            guard all else { return try selection.operations(ids) }
            return try selection.operations(in: pipeline).filter {
                $0.status != .active && !$0.holds.isEmpty
            }
        } change: { outbox, operation in
            if operation.status == .active { try outbox.giveBack(operation.id) }
            try outbox.releaseHolds(operation.id)
        }
        let output = Output()
        if json {
            for operation in retried { try output.line(OperationEntry.line(of: operation.id)) }
        } else {
            for line in Self.report(retried) { try output.line(line) }
        }
        try output.flush()
    }

    private static func report(_ operations: [QueuedOperation]) -> [String] {
        let active = operations.filter { $0.status == .active }
        let held = operations.filter { $0.status != .active && !$0.holds.isEmpty }
        let others = operations.count - active.count - held.count
        var lines: [String] = []
        if !held.isEmpty || operations.isEmpty {
            lines.append("\(Quantity.count(held.count, "operation")) released.")
        }
        if !active.isEmpty {
            lines.append("\(Quantity.count(active.count, "operation")) given back.")
        }
        if others > 0 {
            lines.append("\(Quantity.count(others, "operation")) not held; nothing changed there.")
        }
        return lines
    }
}
