/// Which folders of a target may name what of which others.
///
/// Every target with more than one folder is here, with each of its folders but those in one that is whole.
enum FolderPlan {
    /// One folder of a target.
    struct Folder {
        /// Its path below the target; a dot for the files beside the folders.
        let path: String
        /// The folders that it may use, each of which stands before it.
        let uses: Set<String>
        /// Whether it stands for its subfolders, whose types know each other, as well.
        let isWhole: Bool

        init(_ path: String, uses: Set<String> = [], isWhole: Bool = false) {
            self.path = path
            self.uses = uses
            self.isWhole = isWhole
        }
    }

    /// The folders of the targets, lowest first.
    static let targets: [String: [Folder]] = [
        "Settle": database,
        "SettleCommand": command,
        "SettleCosmos": cosmos,
        "SettleDocuments": documents,
        "SettleEntities": entities,
        "SettleHosting": [
            Folder("."), Folder("Transport", uses: ["."]), Folder("Services", uses: ["Transport"]),
        ],
        "SettleIndexing": indexing,
        "SettleInspector": inspector,
        "SettleLMDB": lmdb,
        "SettleOData": odata,
        "SettleOutbox": outbox,
        "SettlePQ": [
            Folder("Errors"), Folder("Values", uses: ["Errors"]),
            Folder("Connections", uses: ["Errors", "Values"]),
            Folder("Pool", uses: ["Connections", "Errors"]),
        ],
        "SettlePostgreSQL": postgreSQL,
        "SettlePrimitives": primitives,
        "SettleREST": rest,
        "SettleServer": server,
        "SettleStorage": storage,
        "SettleSync": sync,
        "SettleTableProtocol": [
            Folder("."), Folder("Headers"), Folder("Requests"), Folder("Responses"),
            Folder("Rows", uses: ["."]), Folder("Versions"),
        ],
    ]

    private static let server = [
        Folder("."),
        // What is said on the wire, and what can go wrong.
        Folder("Errors"),
        Folder("Wire", isWhole: true),
        Folder("Metrics"),
        // How much, and who.
        Folder("Limits", uses: ["Wire"]),
        Folder("Connections", uses: ["Wire"]),
        Folder("Authentication", uses: ["Errors", "Limits", "Wire"]),
        // What a list holds and what a write means, found without a store.
        Folder("Tables", uses: ["Authentication", "Wire"]),
        Folder("Batches", uses: ["Tables", "Wire"]),
        // What a store promises; one store; tables over any of them.
        Folder("Stores", uses: ["Authentication", "Errors", "Limits", "Wire"]),
        Folder("Stores/LMDB", uses: ["Authentication", "Errors", "Limits", "Stores", "Wire"]),
        Folder("HostedTables", uses: ["Authentication", "Limits", "Stores", "Tables", "Wire"]),
        Folder("Rules", uses: ["Authentication", "Errors", "Stores", "Wire"]),
        Folder(
            "Copying", uses: ["Authentication", "Errors", "Limits", "Rules", "Stores", "Wire"]),
        Folder(
            "Live",
            uses: ["Authentication", "Connections", "HostedTables", "Stores", "Tables", "Wire"]),
        // What is asked for, and what is answered.
        Folder("Responses", uses: ["Connections", "Limits", "Tables", "Wire"]),
        Folder("Routes", uses: ["Live", "Wire"]),
        Folder("OpenAPI", uses: ["Routes"]),
        // CouchDB's protocol, over databases and without connections; of those only what ends a wait.
        Folder(
            "CouchDB", uses: ["Authentication", "Connections", "Limits", "Live", "Rules", "Wire"]),
        Folder("Browsers", uses: ["Errors", "Wire"]),
        Folder(
            "Requests",
            uses: [
                "Authentication", "Batches", "Browsers", "Connections", "HostedTables", "Limits",
                "Live", "Metrics", "OpenAPI", "Responses", "Routes", "Rules", "Stores", "Tables",
                "Wire",
            ]),
        // What listens, and how it is set up.
        Folder(
            "Server",
            uses: [
                "Authentication", "Browsers", "Connections", "CouchDB", "Errors", "Limits",
                "Metrics",
                "Requests", "Responses", "Rules", "Stores", "Stores/LMDB", "Tables", "Wire",
            ]),
        Folder(
            "Settings",
            uses: [
                "Authentication", "Browsers", "Errors", "Limits", "Rules", "Server", "Stores",
                "Stores/LMDB", "Wire",
            ]),
    ]
}
