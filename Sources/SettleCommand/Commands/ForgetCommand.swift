import ArgumentParser
import Settle
import SettleREST
import SettleSync

/// `settle forget`: removes what is shared with a table, here and only here.
struct ForgetCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Remove the documents that are shared with a table, here and not there.",
        discussion: """
            The documents go as if they had never been here, and the next sync begins at the \
            beginning: what may still be seen comes again. Nothing is deleted on the server.

            Where a type was given with 'settle sync --type', only documents of that type go, and \
            what waits for other tables is not looked at.

            Refused while anything has not been sent to the table, or is an unresolved \
            conflict; --discard-pending gives that up.

            A database of CouchDB's protocol shares all documents, and those that conflict go with all \
            of their versions.

            Examples:
              settle forget ./shop http://127.0.0.1:8080/tables/items
              settle forget ./shop http://127.0.0.1:8080/tables/items --discard-pending
            """)

    @OptionGroup var database: DatabaseArgument

    @Argument(
        help: ArgumentHelp(
            """
            The table, http://HOST:PORT/tables/NAME, the collection of Cosmos DB, \
            https://HOST/dbs/DATABASE/colls/COLLECTION, or the database of CouchDB's protocol, \
            couchdb+https://HOST/DATABASE.
            """, valueName: "url"))
    var url: String

    @Flag(help: "Give up what has not been sent.")
    var discardPending = false

    @Flag(help: "Print a JSON object with \"removed\", a count.")
    var json = false

    /// What the database calls the remote.
    private func remote() throws -> String {
        if CouchRemote.isAddress(url) {
            return try CouchBackend(CouchRemote.configuration(parsing: url)).identifier
        }
        return CollectionRemote.isAddress(url)
            ? try CollectionRemote.identifier(of: CollectionRemote.configuration(parsing: url).url)
            : try TableRemote.identifier(of: TableRemote.configuration(parsing: url, token: nil))
    }

    func perform() async throws {
        let remote = try remote()
        let count = try await database.path.withDatabase { database in
            do {
                return try await database.purgeReplicatedDocuments(
                    of: remote, discardingPendingOperations: discardPending)
            } catch let error as ReplicationError where error.code == .pendingOperations {
                throw CommandFailure(
                    "\(error.message) On the command line that is 'settle sync' or "
                        + "--discard-pending.")
            }
        }
        let output = Output()
        try output.line(
            json
                ? JSONRendering.compact(["removed": .integer(Int64(count))])
                : "\(Quantity.count(count, "document")) removed here.")
        try output.flush()
    }
}
