import ArgumentParser
import Foundation
import Settle
import SettleREST
import SettleSync

/// `settle sync`: replication with tables of servers, with collections of Cosmos DB, and with CouchDB.
struct SyncCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Replicate a database with tables of servers, Cosmos DB, or CouchDB.",
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
            sent with the next poll: after --interval, and after up to twenty times that with a server \
            that is listened to.

            Rows that were deleted for good, and rows that left a channel of a server that does not
            report it, stay here until --reconcile lists everything and removes what is gone. \
            Attachments travel with their documents if the server has them, as 'settle serve' \
            does; --no-attachments leaves them where they are.

            A database may hold the documents of several tables. Give the tables one after the other, \
            and with --type, once for each in the same order, which documents are theirs: those \
            with this member 'type'. What is fetched gets that type, which is not sent. The type is \
            stored in the database; it need not be given again, and 'settle forget' goes by it. \
            --all-types takes it back. With --keep-order what is changed in different tables \
            is sent in the order in which it was changed.

            --filter fetches only rows that fulfil a condition, in the server's words. What is fetched \
            goes on where it got to, for each filter by itself; --query-id gives that a name of its \
            own. With --order-by, --limit and --offset rows are fetched once, from the beginning, and \
            nothing is kept of how far that got. What was changed here is sent first in any case.

            A row that cannot be a document here, because of its identifier, a number or its size, is set
            aside and named; the others go on.

            A collection of Cosmos DB has the address https://HOST/dbs/DATABASE/colls/COLLECTION. The \
            account's key comes from the file of --cosmos-key-file, or from the environment variable \
            SETTLE_COSMOS_KEY. A channel is a partition key. What is deleted here is marked there by a \
            member 'deleted', and deleted by the service after 90 days where the collection has a time to \
            live; with --hard-deletions it is deleted at once, which others find out by --reconcile alone.

            A database of CouchDB's protocol has the address couchdb+https://HOST/DATABASE. What is changed at \
            several places is kept in all versions, one of which is the document everywhere, until \
            --on-conflict resolves it. The name for --user has its password in the file of \
            --password-file, or in the environment variable SETTLE_COUCHDB_PASSWORD.

            Ends with status 1 when the replication failed, when conflicts are left, and when the \
            server refused documents; what was done is printed all the same.

            Examples:
              settle sync ./shop http://127.0.0.1:8080/tables/items
              settle sync ./shop https://example.org/tables/items --token-file token
              settle sync ./europe http://127.0.0.1:8080/tables/cities --channel continent-EU
              settle sync ./large http://127.0.0.1:8080/tables/cities \\
                --filter 'population gt 1000000' --order-by 'population desc' --limit 10
              settle sync ./desk http://127.0.0.1:8080/tables/todos \\
                http://127.0.0.1:8080/tables/notes --type todo --type note
              settle sync ./crm https://contoso.documents.azure.com/dbs/crm/colls/people \\
                --cosmos-key-file key
              settle sync ./notes couchdb+http://127.0.0.1:5984/notes --user jo --create-database
            """)

    /// How many rows a table gives at a time.
    static let pageSizes = 1...1_000

    @OptionGroup var database: DatabaseArgument

    @Argument(
        help: ArgumentHelp(
            """
            The table, http://HOST:PORT/tables/NAME, or the collection of Cosmos DB, \
            https://HOST/dbs/DATABASE/colls/COLLECTION; may be several. Or one database of CouchDB's \
            protocol, couchdb+https://HOST/DATABASE.
            """, valueName: "url"))
    var urls: [String]

    @Option(
        help: ArgumentHelp(
            "Only documents of this type belong to the table; once for each table.",
            valueName: "type"))
    var type: [String] = []

    @Flag(help: "All documents belong to the table again, whatever was said before.")
    var allTypes = false

    @Flag(help: "Send the changes of several tables in the order in which they were made.")
    var keepOrder = false

    @OptionGroup var shown: TokenArgument

    @OptionGroup(title: "For collections of Cosmos DB") var cosmos: CosmosKeyArgument

    @Flag(
        help: "Delete documents of Cosmos DB at once, in the place of marking them as deleted.")
    var hardDeletions = false

    @Flag(
        help: """
            Make identifiers of the id and the partition key of a document of Cosmos DB, as 17/Bern; always \
            or never for one database.
            """)
    var partitionIdentifiers = false

    @OptionGroup(title: "For databases of CouchDB's protocol") var couch: CouchOptions

    @Option(help: ArgumentHelp("Fetch only this channel; may be given often.", valueName: "name"))
    var channel: [String] = []

    @OptionGroup(title: "Which rows to fetch") var query: TableQueryOptions

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
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How many rows to ask for at a time, from 1 to \(Self.pageSizes.upperBound).",
            valueName: "count"),
        transform: CountArgument.positive(parsing:))
    var pageSize = CountArgument(500)

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
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --repeat, how long to rest when nothing happens, in seconds.",
            valueName: "seconds"))
    var interval: Double = 5

    // A day: longer is a slip, and far from where the arithmetic ends.
    private static let intervalMax = 86_400.0

    @Option(help: "Who wins when a document was changed on both sides.")
    var onConflict: ConflictArgument = .leave

    @Flag(help: "Print the counts as a JSON object, with --repeat one a cycle.")
    var json = false

    func validate() throws {
        guard interval > 0, interval <= Self.intervalMax else {
            throw ValidationError("--interval is a number of seconds above 0, at most 86,400.")
        }
        guard !urls.isEmpty else { throw ValidationError("Give the address of a table.") }
        try validateCouch()
        guard type.isEmpty || type.count == urls.count else {
            throw ValidationError(
                "There are \(Quantity.count(urls.count, "table")) and "
                    + "\(Quantity.count(type.count, "type")). Give --type once for each table, in "
                    + "the same order.")
        }
        if allTypes, !type.isEmpty || urls.count > 1 {
            throw ValidationError("--all-types is for one table without a --type.")
        }
        guard !pullOnly || !pushOnly else {
            throw ValidationError("--pull-only and --push-only leave nothing to do; give one.")
        }
        guard !pushOnly || !reconcile else {
            throw ValidationError(
                "--reconcile lists what is on the server, which --push-only does not look at.")
        }
        if pushOnly, !query.isEmpty {
            throw ValidationError("--push-only fetches nothing, and needs no query.")
        }
        if query.isSelection, isRepeating || reconcile || urls.count > 1 {
            throw ValidationError(
                "--order-by, --limit and --offset are for one table, and go without --repeat and "
                    + "--reconcile.")
        }
        if urls.contains(where: CollectionRemote.isAddress),
            !query.isEmpty || dialect != nil || attachments == true || onlyChanges
        {
            throw ValidationError(
                "A collection of Cosmos DB goes without --filter, --order-by, --limit, --offset, "
                    + "--parameter, --query-id, --dialect, --attachments and --only-changes; give "
                    + "--channel to fetch some partitions.")
        }
        if hardDeletions || partitionIdentifiers, !urls.contains(where: CollectionRemote.isAddress)
        {
            throw ValidationError(
                "--hard-deletions and --partition-identifiers are for collections of Cosmos DB.")
        }
        guard Self.pageSizes.contains(pageSize.count) else {
            throw ValidationError(
                "--page-size is a number from 1 to \(Self.pageSizes.upperBound).")
        }
    }

    func perform() async throws {
        let output = Output(isLineBuffered: true)
        if let url = urls.first(where: CouchRemote.isAddress) {
            return try await performCouch(url, output)
        }
        let targets = try urls.map { try target(of: $0) }
        try await database.path.withDatabase(create: true) { database in
            let chosen = try scoped(targets, in: database)
            if isRepeating {
                try await goOn(database, output) {
                    try await database.startReplication(
                        with: chosen, keepingCommitOrder: keepOrder)
                }
            } else {
                try await once(database, output) { try await results(database, chosen) }
            }
        }
    }

    private func target(of url: String) throws -> ReplicationTarget {
        let isCollection = CollectionRemote.isAddress(url)
        var configuration =
            isCollection
            ? try CollectionRemote.configuration(
                parsing: url, isRepeating: isRepeating, channels: channel)
            : try TableRemote.configuration(
                parsing: url, token: try shown.token(), isRepeating: isRepeating,
                channels: channel, dialect: dialect, carriesAttachments: attachments, asking: query)
        configuration.direction =
            pullOnly ? .serverToClient : pushOnly ? .clientToServer : .bidirectional
        configuration.queryId = query.queryId
        configuration.reconciling = reconcile ? .atStart : .never
        configuration.sendsOnlyChanges = onlyChanges
        configuration.pageSize = pageSize.count
        configuration.conflictHandler = onConflict.handler
        configuration.pollInterval = .seconds(interval)
        guard isCollection else {
            return ReplicationTarget(configuration, using: try AzureTablesBackend(configuration))
        }
        return ReplicationTarget(
            configuration,
            using: try CollectionRemote.backend(
                configuration.url, key: try cosmos.key(), isReadOnly: pullOnly,
                deletesAtOnce: hardDeletions,
                namesPartitions: partitionIdentifiers))
    }

    /// The targets with the types that are given, or that the database knows from before.
    private func scoped(
        _ targets: [ReplicationTarget], in database: Database
    ) throws -> [ReplicationTarget] {
        var scoped = targets
        for index in scoped.indices {
            if !type.isEmpty {
                scoped[index].configuration.scope = .documents(ofType: type[index])
            } else if !allTypes {
                let remote = scoped[index].backend.identifier
                scoped[index].configuration.scope =
                    try database.replicationScope(of: remote) ?? .all
            }
            if scoped.count > 1, scoped[index].configuration.scope == .all {
                throw CommandFailure(
                    "Which documents belong to \(urls[index])? With several tables each needs a "
                        + "--type, in the order of the tables.")
            }
        }
        return scoped
    }
}
