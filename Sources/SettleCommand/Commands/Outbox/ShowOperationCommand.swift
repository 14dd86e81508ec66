import ArgumentParser
import Foundation
import Settle
import SettleOutbox

/// `settle outbox show`: one operation with all that is known of it.
struct ShowOperationCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show an operation with all its facts.",
        discussion: """
            Shows where the operation stands, which documents it is about, what it waits for, what \
            was done before it, and until when it is held for which reasons. With --content also \
            what is in it, and what its commit changed in the documents, if that was recorded.

            Examples:
              settle outbox show ./shop 1B9D6BCD
              settle outbox show ./shop 1B9D6BCD --content --json
            """)

    @OptionGroup var database: DatabaseArgument

    @Argument(
        help: ArgumentHelp("The identifier, or the beginning of it.", valueName: "id"),
        transform: OperationArgument.init(parsing:))
    var operation: OperationArgument

    @Flag(help: "Show what is in the operation, and the changes it has recorded.")
    var content = false

    @Flag(help: "Print a JSON object.")
    var json = false

    func perform() async throws {
        let lines = try await database.path.withDatabase(isReadOnly: true) { database in
            try database.read(named: "settle outbox") { snapshot in
                try find(OperationSelection(in: snapshot, of: database))
            }
        }
        let output = Output()
        for line in lines { try output.line(line) }
        try output.flush()
    }

    private func find(_ selection: OperationSelection) throws -> [String] {
        var lines: [String] = []
        for found in try selection.operations([operation]) {
            let entry = try OperationEntry(found, now: Date(), includesContent: content)
            // Only those that it waits for have to be told apart from all others.
            let names = OperationNames(entry.dependencies.isEmpty ? [] : try selection.ids())
            lines +=
                json
                ? [JSONRendering.compact(entry.json)] : OperationText(entry, names).lines
        }
        return lines
    }
}
