import ArgumentParser
import Foundation
import Settle
import SettleREST
import SettleSync

extension SyncCommand {
    /// Refuses what goes with tables alone.
    func validateCouch() throws {
        guard urls.contains(where: CouchRemote.isAddress) else {
            guard couch.isEmpty else {
                throw ValidationError(
                    "--user, --password-file, --create-database and --selector are for databases of "
                        + "CouchDB's protocol, couchdb+http(s)://HOST/DATABASE.")
            }
            return
        }
        guard urls.count == 1 else {
            throw ValidationError(
                "A database of CouchDB's protocol replicates by itself; give one address.")
        }
        if !query.isEmpty || dialect != nil || attachments != nil || onlyChanges || reconcile
            || !type.isEmpty || allTypes || keepOrder
        {
            throw ValidationError(
                "A database of CouchDB's protocol replicates as a whole. --selector and --channel choose "
                    + "documents; what chooses rows of tables, and says how they travel, does not go "
                    + "with it.")
        }
    }

    /// Replicates with a database of CouchDB's protocol.
    func performCouch(_ url: String, _ output: Output) async throws {
        var configuration = try CouchRemote.configuration(
            parsing: url, isRepeating: isRepeating, channels: channel, token: try shown.token(),
            couch)
        configuration.direction =
            pullOnly ? .serverToClient : pushOnly ? .clientToServer : .bidirectional
        configuration.pageSize = pageSize.count
        configuration.conflictHandler = onConflict.handler
        configuration.pollInterval = .seconds(interval)
        try await database.path.withDatabase(create: true) { [configuration] database in
            if isRepeating {
                try await goOn(database, output) {
                    try await database.startReplication(with: configuration)
                }
            } else {
                try await once(database, configuration, output)
            }
        }
    }

    private func once(
        _ database: Database, _ configuration: ReplicationConfiguration, _ output: Output
    ) async throws {
        let progress = ReplicationProgress()
        let events = database.replicationEvents
        let listening = Task { await name(events, progress) }
        let begun = ContinuousClock.now
        let result: Result<ReplicationSummary, any Error>
        do {
            result = .success(try await database.replicate(with: configuration))
        } catch {
            // One that could not begin has no events.
            listening.cancel()
            result = .failure(error)
        }
        await listening.value
        progress.end()
        let summary = try result.get()
        try output.line(
            line(
                for: summary, with: configuration.url.absoluteString,
                elapsed: begun.duration(to: .now)))
        try output.flush()
        try checkConflicts(in: database, summary)
    }

    /// Shows how far it is, and names what does not go through, until it ends.
    private func name(
        _ events: AsyncStream<ReplicationEvent>, _ progress: ReplicationProgress
    ) async {
        var count = 0
        for await event in events {
            progress.show(event)
            switch event {
            case .rejected(let id, let reason) where count < Self.listCountMax:
                count += 1
                progress.end()
                StandardError.line("\(Self.name(id)): \(ScreenText.printable(reason))")
            case .setAside(let item) where count < Self.listCountMax:
                count += 1
                progress.end()
                Self.name(item)
            case .completed, .failed, .stopped: return
            default: break
            }
        }
    }

    private func checkConflicts(in database: Database, _ summary: ReplicationSummary) throws {
        let conflicted = try database.conflictedDocuments()
        for document in conflicted.prefix(Self.listCountMax) {
            StandardError.line("\(Self.name(document.id)): changed at several places.")
        }
        var sentences: [String] = []
        if summary.rejected > 0 {
            sentences.append(
                "The server refused \(Quantity.count(summary.rejected, "document")). Each is offered "
                    + "again when it changes.")
        }
        if !conflicted.isEmpty {
            let verb = conflicted.count == 1 ? "conflict is" : "conflicts are"
            sentences.append(
                "\(Quantity.number(conflicted.count)) \(verb) left; sync again with --on-conflict "
                    + "local, server, latest or merge.")
        }
        guard sentences.isEmpty else {
            throw CommandFailure(sentences.joined(separator: " "))
        }
    }
}
