import ArgumentParser
import Settle
import SettleREST
import SettleSync

/// `settle withdraw`: gives up changes that were not sent to a table.
struct WithdrawCommand: SettleSubcommand {
    /// What becomes of the documents.
    enum Resolution: String, EnumerableFlag {
        case keepOurs, takeTheirs, dropBoth

        static func help(for value: Resolution) -> ArgumentHelp? {
            switch value {
            case .keepOurs: "The documents stay as they are here."
            case .takeTheirs: "The documents become what the server has."
            case .dropBoth: "The documents are removed here; the server keeps what it has."
            }
        }

        var withdrawal: OperationWithdrawal {
            switch self {
            case .keepOurs: .keepOurs
            case .takeTheirs: .takeTheirs
            case .dropBoth: .dropBoth
            }
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "withdraw",
        abstract: "Give up changes that a table refuses, or that were not sent to it.",
        discussion: """
            A change that the server refuses is sent again with every sync. Withdrawn, it is sent no \
            more. --keep-ours leaves the document as it is here, and nothing is sent until it is \
            changed again. --take-theirs makes it what the server has, which is asked where that is \
            not known. --drop-both removes it here. Conflicts and changes that wait can be withdrawn, \
            too.

            With --refused all that the server refused is withdrawn. With a database of CouchDB's protocol \
            it is all versions of a document that become what the server has, or go.

            Examples:
              settle withdraw ./shop http://127.0.0.1:8080/tables/items a7 --take-theirs
              settle withdraw ./shop http://127.0.0.1:8080/tables/items --refused --drop-both
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

    @Argument(help: ArgumentHelp("The documents.", valueName: "id"))
    var ids: [String] = []

    @Flag(help: "All that the server refused.")
    var refused = false

    @Flag var resolution: Resolution

    @OptionGroup var shown: TokenArgument

    @OptionGroup(title: "For collections of Cosmos DB") var cosmos: CosmosKeyArgument

    @OptionGroup(title: "For databases of CouchDB's protocol") var couch: CouchCredentials

    @Option(
        help: ArgumentHelp(
            "What the server speaks: v1, v2 or v3. Found out by its answers when it is not given."))
    var dialect: DialectArgument?

    @Flag(help: "Print a JSON object with \"withdrawn\", a count.")
    var json = false

    func validate() throws {
        guard refused != !ids.isEmpty else {
            throw ValidationError("Name the documents, or give --refused.")
        }
    }

    func perform() async throws {
        let remote = try remote()
        let count = try await database.path.withDatabase { database in
            let operations =
                refused
                ? try database.rejectedOperations(with: remote.identifier)
                : try named(in: database.pendingOperations(with: remote.identifier))
            for operation in operations {
                guard try await remote.withdraw(operation, resolution.withdrawal, in: database)
                else {
                    throw CommandFailure(
                        "'\(ScreenText.printable(operation.documentId))' changed meanwhile. Run the "
                            + "command again.")
                }
            }
            return operations.count
        }
        let output = Output()
        try output.line(
            json
                ? JSONRendering.compact(["withdrawn": .integer(Int64(count))])
                : "\(Quantity.count(count, "change")) withdrawn.")
        try output.flush()
    }

    /// The remote whose operations are withdrawn.
    private enum Remote {
        case backend(any Backend)
        case couch(ReplicationConfiguration, identifier: String)

        var identifier: String {
            switch self {
            case .backend(let backend): backend.identifier
            case .couch(_, let identifier): identifier
            }
        }

        func withdraw(
            _ operation: PendingOperation, _ withdrawal: OperationWithdrawal, in database: Database
        ) async throws -> Bool {
            switch self {
            case .backend(let backend):
                try await database.withdraw(operation, withdrawal, using: backend)
            case .couch(let configuration, _):
                try await database.withdraw(operation, withdrawal, with: configuration)
            }
        }
    }

    private func remote() throws -> Remote {
        if CouchRemote.isAddress(url) {
            let configuration = try CouchRemote.configuration(
                parsing: url, token: try shown.token(), couch)
            return .couch(configuration, identifier: try CouchBackend(configuration).identifier)
        }
        guard CollectionRemote.isAddress(url) else {
            return .backend(
                try AzureTablesBackend(
                    TableRemote.configuration(
                        parsing: url, token: try shown.token(), dialect: dialect)))
        }
        return .backend(
            try CollectionRemote.backend(
                CollectionRemote.configuration(parsing: url).url, key: try cosmos.key(),
                isReadOnly: true))
    }

    /// The operations of the documents that were named.
    ///
    /// - Throws: `CommandFailure` when one has nothing that could be withdrawn.
    private func named(in operations: [PendingOperation]) throws -> [PendingOperation] {
        try Set(ids).sorted().map { id in
            guard let operation = operations.first(where: { $0.documentId == id }) else {
                throw CommandFailure(
                    "'\(ScreenText.printable(id))' has nothing that waits to be sent to this table."
                )
            }
            return operation
        }
    }
}
