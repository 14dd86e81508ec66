import ArgumentParser
import Foundation
import Settle
import SettleREST
import SettleSync

/// `settle sync`: replication with a table of a server.
struct SyncCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Replicate a database with a table of a server.",
        discussion: """
            First sends what was changed here, then fetches what was changed there, deletions \
            included. The database is made when there is none. What could not be sent waits in it \
            and is sent the next time.

            A conflict is a document that was changed on both sides. --on-conflict says who wins:
            local or server, the latest by their clocks, or merge, which takes each member from the \
            side that changed it. With leave, the default, both versions are kept and the document \
            waits; run the command again with another answer.

            With --channel only documents in one of these channels are fetched. With --repeat the \
            command goes on until it is interrupted; what other processes change in the database is \
            sent after the next rest (see --interval).

            Rows that were deleted for good, and rows that left a channel of a server that does not
            report it, stay here until --reconcile lists everything and removes what is gone. \
            Attachments travel with their documents if the server has them, as 'settle serve' \
            does; --no-attachments leaves them where they are.

            Ends with status 1 when the replication failed, when conflicts are left, and when the \
            server refused documents; what was done is printed all the same.

            Examples:
              settle sync ./shop http://127.0.0.1:8080/tables/items
              settle sync ./shop https://example.org/tables/items --token-file token
              settle sync ./europe http://127.0.0.1:8080/tables/cities --channel continent-EU
            """)

    @OptionGroup var database: DatabaseArgument

    @Argument(help: ArgumentHelp("The table: http://HOST:PORT/tables/NAME.", valueName: "url"))
    var url: String

    @OptionGroup var shown: TokenArgument

    @Option(help: ArgumentHelp("Fetch only this channel; may be given often.", valueName: "name"))
    var channel: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            What the server speaks: v1 (Mobile Services), v2 (Mobile Apps, settle serve) or v3 \
            (Datasync). Found out by its answers when it is not given.
            """))
    var dialect: DialectArgument?

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            """
            Send and fetch attachments, too. Found out by the server's answers when neither is \
            given.
            """))
    var attachments: Bool?

    @Flag(help: "List everything, and remove documents here that are gone there.")
    var reconcile = false

    @Flag(help: "Send only the members that changed, in the place of whole documents.")
    var onlyChanges = false

    @Flag(help: "Send nothing; what was changed here waits.")
    var pullOnly = false

    @Flag(help: "Fetch nothing; what was changed here is sent.")
    var pushOnly = false

    @Flag(name: .customLong("repeat"), help: "Go on until interrupted.")
    var isRepeating = false

    @Option(
        help: ArgumentHelp(
            "With --repeat, how long to rest when nothing happens, in seconds.",
            valueName: "seconds"))
    var interval: Double = 5

    @Option(help: "Who wins when a document was changed on both sides.")
    var onConflict: ConflictArgument = .leave

    @Flag(help: "Print the counts as a JSON object, with --repeat one a cycle.")
    var json = false

    func validate() throws {
        guard interval > 0, interval.isFinite else {
            throw ValidationError("--interval is a number of seconds above 0.")
        }
        guard !pullOnly || !pushOnly else {
            throw ValidationError("--pull-only and --push-only leave nothing to do; give one.")
        }
        guard !pushOnly || !reconcile else {
            throw ValidationError(
                "--reconcile lists what is on the server, which --push-only does not look at.")
        }
    }

    func perform() async throws {
        var configuration = try TableRemote.configuration(
            parsing: url, token: try shown.token(), isRepeating: isRepeating,
            direction: pullOnly ? .serverToClient : pushOnly ? .clientToServer : .bidirectional,
            channels: channel, dialect: dialect,
            carriesAttachments: attachments)
        configuration.reconciling = reconcile ? .atStart : .never
        configuration.sendsOnlyChanges = onlyChanges
        configuration.conflictHandler = onConflict.handler
        configuration.pollInterval = .seconds(interval)
        let chosen = configuration
        let output = Output(isLineBuffered: true)
        try await database.path.withDatabase(create: true) { database in
            if isRepeating {
                try await goOn(database, chosen, output)
            } else {
                try await once(database, chosen, output)
            }
        }
    }

    private func once(
        _ database: Database, _ configuration: ReplicationConfiguration, _ output: Output
    ) async throws {
        let progress = ReplicationProgress()
        let events = database.replicationEvents
        let listening = Task { for await event in events { progress.show(event) } }
        defer {
            listening.cancel()
            progress.end()
        }
        let begun = ContinuousClock.now
        let summary = try await database.replicate(with: configuration)
        progress.end()
        try output.line(line(for: summary, elapsed: begun.duration(to: .now)))
        try output.flush()
        try checkLeftovers(
            of: database, with: try TableRemote.identifier(of: configuration))
    }

    /// Replicates until the task is cancelled, which is how this is meant to end.
    private func goOn(
        _ database: Database, _ configuration: ReplicationConfiguration, _ output: Output
    ) async throws {
        let progress = ReplicationProgress()
        let events = database.replicationEvents
        try await database.startReplication(with: configuration)
        var isFirst = true
        do {
            for await event in events {
                progress.show(event)
                switch event {
                case .completed(let summary):
                    progress.end()
                    // What was changed a moment ago is read again and changes nothing.
                    var news = summary
                    news.received = 0
                    if isFirst || news != ReplicationSummary() {
                        try output.line(line(for: summary, elapsed: nil))
                    }
                    isFirst = false
                case .failed(let error):
                    progress.end()
                    // After these it is over; after all others it goes on by itself.
                    if [.localFailure, .stoppedByConflictHandler].contains(error.code) {
                        throw error
                    }
                    StandardError.line("\(error.message) Trying again.")
                default: break
                }
            }
        } catch {
            await database.stopReplication()
            throw error
        }
        progress.end()
        await database.stopReplication()
    }

    private func line(for summary: ReplicationSummary, elapsed: Duration?) -> String {
        json ? SummaryText.json(summary) : SummaryText.sentence(summary, elapsed: elapsed)
    }

    private func checkLeftovers(of database: Database, with remote: String) throws {
        let rejected = try database.rejectedOperations(with: remote)
        for operation in rejected.prefix(Self.listCountMax) {
            if case .rejected(let reason) = operation.state {
                StandardError.line("\(name(operation.documentId)): \(ScreenText.printable(reason))")
            }
        }
        let conflicts = try database.replicationConflicts(with: remote)
        for conflict in conflicts.prefix(Self.listCountMax) {
            StandardError.line("\(name(conflict.documentId)): changed here and on the server.")
        }
        var sentences: [String] = []
        if !rejected.isEmpty {
            sentences.append(
                "The server refused \(Quantity.count(rejected.count, "document")). Correct what it "
                    + "says is wrong; each is sent again with the next sync, until 'settle withdraw' "
                    + "gives it up.")
        }
        if !conflicts.isEmpty {
            let verb = conflicts.count == 1 ? "conflict is" : "conflicts are"
            sentences.append(
                "\(Quantity.number(conflicts.count)) \(verb) left; sync again with --on-conflict "
                    + "local, server, latest or merge.")
        }
        guard sentences.isEmpty else {
            throw CommandFailure(sentences.joined(separator: " "))
        }
    }

    private static let listCountMax = 10

    private func name(_ id: String) -> String { "'\(ScreenText.printable(id))'" }
}
