import Settle
import SettleREST
import SettleSync

extension SyncCommand {
    /// What a replication did, by its remote.
    typealias RemoteResult = (
        remote: String, result: Result<ReplicationSummary, ReplicationError>
    )

    /// Replicates once, and says what came of each remote and what is left.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - output: Where it is said what was done.
    ///   - replicate: Replicates.
    /// - Throws: The last failure; `CommandFailure` when something is left.
    func once(
        _ database: Database, _ output: Output, replicate: () async throws -> [RemoteResult]
    ) async throws {
        let progress = ReplicationProgress()
        let events = database.replicationEvents
        let listening = Task { for await event in events { progress.show(event) } }
        defer {
            listening.cancel()
            progress.end()
        }
        let begun = ContinuousClock.now
        let results = try await replicate()
        progress.end()
        let elapsed = begun.duration(to: .now)
        for result in results {
            guard let summary = try? result.result.get() else { continue }
            try output.line(line(for: summary, with: result.remote, elapsed: elapsed))
        }
        try output.flush()
        for result in results { try nameSetAside(in: database, of: result.remote) }
        let errors = results.compactMap { result -> ReplicationError? in
            guard case .failure(let error) = result.result else { return nil }
            return error
        }
        for error in errors.dropLast() { StandardError.line(error.message) }
        if let error = errors.last { throw error }
        try checkLeftovers(of: database, with: results.map(\.remote))
    }

    /// What came of each table, by its remote.
    func results(
        _ database: Database, _ targets: [ReplicationTarget]
    ) async throws -> [RemoteResult] {
        guard query.isSelection, let target = targets.first else {
            return try await database.replicate(
                with: targets, keepingCommitOrder: keepOrder
            ).map { ($0.remote, $0.result) }
        }
        let remote = target.backend.identifier
        do {
            let summary = try await database.pull(
                query.selection, with: target.configuration)
            return [(remote, .success(summary))]
        } catch let error as ReplicationError {
            return [(remote, .failure(error))]
        }
    }

    /// Names the rows that cannot be documents here.
    private func nameSetAside(in database: Database, of remote: String) throws {
        let items = try database.setAsideItems(with: remote)
        for item in items.prefix(Self.listCountMax) { Self.name(item) }
        guard items.count > 0 else { return }
        StandardError.line(
            items.count == 1
                ? "1 row of the server cannot be a document here. It is read again when it changes."
                : "\(Quantity.number(items.count)) rows of the server cannot be documents here. Each "
                    + "is read again when it changes.")
    }

    static func name(_ item: SetAsideItem) {
        StandardError.line(ScreenText.printable("\(item)"))
    }

    /// Replicates until the task is cancelled, which is how this is meant to end.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - output: Where it is said what was done.
    ///   - start: Starts what is to go on.
    /// - Throws: What ends the replications.
    func goOn(
        _ database: Database, _ output: Output, start: () async throws -> Void
    ) async throws {
        let progress = ReplicationProgress()
        let reports = database.replicationReports
        try await start()
        var known: Set<String> = []
        do {
            for await report in reports {
                progress.show(report.event)
                let remote = report.remote ?? ""
                switch report.event {
                case .completed(let summary):
                    progress.end()
                    let isFirst = known.insert(remote).inserted
                    // What was changed a moment ago is read again and changes nothing.
                    var news = summary
                    news.received = 0
                    if isFirst || news != ReplicationSummary() {
                        try output.line(line(for: summary, with: remote, elapsed: nil))
                    }
                case .setAside(let item):
                    progress.end()
                    Self.name(item)
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

    /// What a replication did; of several tables with the one it is about.
    func line(
        for summary: ReplicationSummary, with remote: String, elapsed: Duration?
    ) -> String {
        let table = urls.count > 1 ? remote : nil
        if json { return SummaryText.json(summary, of: table) }
        let sentence = SummaryText.sentence(summary, elapsed: elapsed)
        return table.map { "\(ScreenText.printable($0)): \(sentence)" } ?? sentence
    }

    private func checkLeftovers(of database: Database, with remotes: [String]) throws {
        let rejected = try remotes.flatMap { try database.rejectedOperations(with: $0) }
        for operation in rejected.prefix(Self.listCountMax) {
            if case .rejected(let reason) = operation.state {
                StandardError.line(
                    "\(Self.name(operation.documentId)): \(ScreenText.printable(reason))")
            }
        }
        let conflicts = try remotes.flatMap { try database.replicationConflicts(with: $0) }
        for conflict in conflicts.prefix(Self.listCountMax) {
            StandardError.line("\(Self.name(conflict.documentId)): changed here and on the server.")
        }
        let conflicted =
            urls.contains(where: CouchRemote.isAddress) ? try database.conflictedDocuments() : []
        for document in conflicted.prefix(Self.listCountMax) {
            StandardError.line("\(Self.name(document.id)): changed at several places.")
        }
        var sentences: [String] = []
        if !rejected.isEmpty {
            sentences.append(
                "The server refused \(Quantity.count(rejected.count, "document")). Correct what it "
                    + "says is wrong; each is sent again with the next sync, until 'settle withdraw' "
                    + "gives it up.")
        }
        let conflictCount = conflicts.count + conflicted.count
        if conflictCount > 0 {
            let verb = conflictCount == 1 ? "conflict is" : "conflicts are"
            sentences.append(
                "\(Quantity.number(conflictCount)) \(verb) left; sync again with --on-conflict "
                    + "local, server, latest or merge.")
        }
        guard sentences.isEmpty else {
            throw CommandFailure(sentences.joined(separator: " "))
        }
    }

    static let listCountMax = 10

    static func name(_ id: String) -> String { "'\(ScreenText.printable(id))'" }
}
