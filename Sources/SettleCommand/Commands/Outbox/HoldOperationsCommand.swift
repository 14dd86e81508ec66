import ArgumentParser
import Foundation
import Settle
import SettleOutbox

/// `settle outbox hold`: keeps operations from being started for a while.
struct HoldOperationsCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "hold",
        abstract: "Hold operations back until a date, or let go of them.",
        discussion: """
            An operation may be held for several reasons, each with a name and a date of its own, \
            and starts when the latest of the dates has come. The tool's reason is 'settle' unless \
            --context gives it another name; another hold for the same reason takes its place. \
            What depends on a held operation waits as well, and so do the later graphs of its \
            pipeline, unless these are started freely. Holds last over restarts.

            --release ends the holds of all reasons, or that of --context. An operation that is \
            active cannot be held.

            Examples:
              settle outbox hold ./shop 1B9D6BCD --for 2h
              settle outbox hold ./shop 1B9D6BCD --until 2026-12-24T18:00:00Z --context holidays
              settle outbox hold ./shop 1B9D6BCD --release
            """)

    /// What a hold of the tool is called unless somebody calls it otherwise.
    static let context = "settle"
    private static let contextLengthMax = 200

    @OptionGroup var database: DatabaseArgument

    @Argument(
        help: ArgumentHelp("Identifiers, or beginnings of them.", valueName: "id"),
        transform: OperationArgument.init(parsing:))
    var ids: [OperationArgument]

    @Option(
        help: ArgumentHelp(
            "The date: 2026-12-24T18:00:00Z, or a day for its beginning in UTC.",
            valueName: "date"),
        transform: DateArgument.init(parsing:))
    var until: DateArgument?

    @Option(
        name: .customLong("for"), parsing: .unconditional,
        help: ArgumentHelp("How long: seconds, or 15m, 2h, 7d.", valueName: "time"),
        transform: DurationArgument.init(parsing:))
    var duration: DurationArgument?

    @Option(help: ArgumentHelp("The name of the reason.", valueName: "name"))
    var context: String?

    @Flag(help: "Let go.")
    var release = false

    @Flag(help: "Print a JSON object for each operation that was changed, with its \"id\".")
    var json = false

    func validate() throws {
        guard [until != nil, duration != nil, release].count(where: { $0 }) == 1 else {
            throw ValidationError("Give one of --until, --for, and --release.")
        }
        if let until, until.date <= Date() {
            throw ValidationError("\(DateArgument.text(of: until.date)) has passed.")
        }
        if let context, !(1...Self.contextLengthMax).contains(context.utf8.count) {
            throw ValidationError("The name of a reason has 1 to \(Self.contextLengthMax) bytes.")
        }
    }

    func perform() async throws {
        let date = until?.date ?? duration.map(Self.end)
        let context = context
        let held = try await OutboxChange.run(in: database.path) { selection in
            try Self.waiting(selection.operations(ids))
        } change: { outbox, operation in
            if date == nil, context == nil {
                try outbox.releaseHolds(operation.id)
            } else {
                try outbox.hold(operation.id, until: date, context: context ?? Self.context)
            }
        }
        let output = Output()
        let count = Quantity.count(held.count, "operation")
        if json {
            for operation in held { try output.line(OperationEntry.line(of: operation.id)) }
        } else if let date {
            try output.line("\(count) held until \(DateArgument.text(of: date)).")
        } else {
            try output.line("\(count) released.")
        }
        try output.flush()
    }

    /// When a time that begins now has passed, in whole seconds.
    private static func end(of time: DurationArgument) -> Date {
        let end = Date().addingTimeInterval(time.duration / .seconds(1))
        return Date(timeIntervalSince1970: end.timeIntervalSince1970.rounded(.up))
    }

    /// The operations, of which none may be active.
    private static func waiting(_ operations: [QueuedOperation]) throws -> [QueuedOperation] {
        if let active = operations.first(where: { $0.status == .active }) {
            throw CommandFailure(
                "The operation \(active.id) is active and cannot be held any more, so nothing was "
                    + "changed. 'settle outbox skip' gives it up; if its process has ended, "
                    + "'settle outbox retry' gives it back to the queue.")
        }
        return operations
    }
}
