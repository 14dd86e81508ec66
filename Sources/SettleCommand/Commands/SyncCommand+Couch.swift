import ArgumentParser
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
            couch.credentials, options: couch)
        let remote = try CouchBackend(configuration).identifier
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
                try await once(database, output) {
                    let result: Result<ReplicationSummary, ReplicationError>
                    do {
                        result = .success(try await database.replicate(with: configuration))
                    } catch let error as ReplicationError {
                        result = .failure(error)
                    }
                    return [(remote, result)]
                }
            }
        }
    }
}
