import ArgumentParser
import Settle
import SettleOutbox
import SettleSync

/// `settle check`: looks at everything in a database.
struct CheckCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Look at everything in a database and name what is wrong.",
        discussion: """
            Reads every page and every row of every table, those of the outbox and of replications \
            among them, follows pointers, counts again, works out revisions and digests and \
            everything that indexes have summed up once more, and changes nothing. With --deep it \
            also makes the rows of declared indexes from every document, to compare them. Prints \
            one finding a line, and ends with status 1 when there is any. A database with findings \
            is best restored from a backup. When pages are damaged, only they are named.

            Examples:
              settle check ./shop
              settle check ./shop --deep
              settle check ./shop --json
            """)

    @OptionGroup var database: DatabaseArgument

    @Flag(help: "Compare the rows of declared indexes with what each document gives, too.")
    var deep = false

    @Flag(help: "Print one JSON object a finding, and nothing when there is none.")
    var json = false

    func perform() async throws {
        let begun = ContinuousClock.now
        let progress = Progress("Checking", counting: "rows")
        let findings = try await database.path.withDatabase(isReadOnly: true) { database in
            defer { progress.end() }
            database.addSideTableCheck(.outbox)
            database.addSideTableCheck(.replication)
            return try await database.check(isDeep: deep) { progress.update($0) }
        }
        let output = Output()
        for finding in findings { try output.line(text(of: finding)) }
        if findings.isEmpty, !json {
            try output.line("Nothing is wrong. (\(Quantity.time(begun.duration(to: .now))))")
        }
        try output.flush()
        guard findings.isEmpty else {
            throw CommandFailure(
                "\(Quantity.count(findings.count, "finding")) in '\(database.path.name)'. Restore "
                    + "it from a backup, and keep the damaged one until you have.")
        }
    }

    private func text(of finding: CheckFinding) -> String {
        guard json else { return ScreenText.printable(finding.description) }
        return JSONRendering.compact([
            "place": .string(finding.place), "problem": .string(finding.problem),
        ])
    }
}
