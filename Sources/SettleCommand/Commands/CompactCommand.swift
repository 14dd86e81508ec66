import ArgumentParser
import Settle

/// `settle compact`: gives free space back.
struct CompactCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Give the space of deleted and replaced documents back to the file system.",
        discussion: """
            Writes the file anew beside the old one, which takes room for both, and exchanges them \
            when the new one is whole and on the disk. A crash leaves the one or the other. No \
            other process may have the database open. Damage is copied as it is: run 'settle check' \
            first when in doubt.

            Examples:
              settle compact ./shop
              settle compact ./shop --json
            """)

    @OptionGroup var database: DatabaseArgument

    @Flag(help: "Print the sizes as a JSON object.")
    var json = false

    func perform() async throws {
        let progress = Progress("Compacting", counting: "bytes")
        let result = try await database.path.withDatabase { database in
            defer { progress.end() }
            return try await database.compact { progress.update($0) }
        }
        let output = Output()
        if json {
            try output.line(
                JSONRendering.compact([
                    "bytesBefore": .integer(Int64(result.bytesBefore)),
                    "bytesAfter": .integer(Int64(result.bytesAfter)),
                    "removedContents": .integer(Int64(result.removedContentCount)),
                ]))
        } else {
            try output.line(
                "\(Quantity.bytes(result.bytesBefore)) before, "
                    + "\(Quantity.bytes(result.bytesAfter)) after.")
        }
        try output.flush()
    }
}
