extension FolderPlan {
    /// Operations for any cloud service.
    static let outbox = [
        Folder("."),
        Folder("Operations"),
        Folder("Pipelines"),
        Folder("Queue", uses: ["Operations", "Pipelines"]),
        Folder("Links", uses: ["Operations"]),
        Folder("Tags", uses: ["Operations", "Queue"]),
        // An outbox, its transactions and the pipelines that run, which know each other: a pipeline stores
        // outcomes in a transaction of the outbox, and the outbox wakes its pipelines.
        Folder(
            "Outbox", uses: ["Links", "Operations", "Pipelines", "Queue", "Tags"], isWhole: true),
    ]

    /// The replicator.
    static let sync = [
        Folder("."),
        Folder("Errors"),
        Folder("Backends", uses: ["Errors"]),
        Folder("Scopes", uses: ["Backends"]),
        // What is known of a remote's items, and the rows it is in.
        Folder("Remotes", uses: ["Backends", "Errors", "Scopes"]),
        Folder("Conflicts", uses: ["Backends", "Remotes"]),
        Folder("Tables", uses: ["Backends", "Errors", "Remotes", "Scopes"]),
        Folder(
            "Configuration", uses: [".", "Backends", "Conflicts", "Errors", "Scopes", "Tables"]),
        // Replication by revisions: what a remote offers, and the logs of both sides.
        Folder("Revisions", uses: ["Errors"]),
        // The push queue of a remote, and both directions.
        Folder("Waiting", uses: ["."]),
        Folder(
            "Queue",
            uses: [".", "Backends", "Errors", "Remotes", "Scopes", "Tables", "Waiting"]),
        Folder(
            "Pushing",
            uses: [
                ".", "Backends", "Conflicts", "Errors", "Queue", "Remotes", "Scopes", "Tables",
            ]),
        Folder(
            "Pulling", uses: [".", "Backends", "Errors", "Queue", "Remotes", "Scopes", "Tables"]),
        // A replication from its start to its end, and what a database offers of it.
        Folder(
            "Sessions",
            uses: [
                ".", "Backends", "Configuration", "Conflicts", "Errors", "Pulling", "Pushing",
                "Queue", "Remotes", "Revisions", "Scopes", "Tables", "Waiting",
            ]),
        Folder(
            "Database",
            uses: [
                ".", "Backends", "Configuration", "Conflicts", "Errors", "Pushing", "Queue",
                "Remotes", "Revisions", "Scopes", "Sessions", "Tables", "Waiting",
            ]),
    ]

    /// Tables over HTTP.
    static let rest = [
        Folder("Transport"),
        Folder("Authentication"),
        Folder("OData"),
        Folder("AzureTables/Items"),
        Folder("AzureTables/Requests", uses: ["AzureTables/Items", "Transport"]),
        Folder(
            "AzureTables/Queries", uses: ["AzureTables/Items", "AzureTables/Requests", "OData"]),
        Folder(
            "AzureTables/Backend",
            uses: [
                "Authentication", "AzureTables/Items", "AzureTables/Queries",
                "AzureTables/Requests", "OData", "Transport",
            ]),
        Folder(
            "AzureTables/Pages",
            uses: [
                "AzureTables/Backend", "AzureTables/Items", "AzureTables/Queries",
                "AzureTables/Requests", "OData", "Transport",
            ]),
        Folder(
            "AzureTables/Pulling",
            uses: [
                "AzureTables/Backend", "AzureTables/Items", "AzureTables/Pages",
                "AzureTables/Queries", "AzureTables/Requests", "OData",
            ]),
        Folder(
            "AzureTables/Pushing",
            uses: [
                "AzureTables/Backend", "AzureTables/Items", "AzureTables/Pages",
                "AzureTables/Requests", "Transport",
            ]),
        // Databases of CouchDB's protocol.
        Folder("CouchDB", uses: ["Authentication", "AzureTables/Requests", "Transport"]),
        // What a database offers.
        Folder(".", uses: ["AzureTables/Backend", "AzureTables/Queries", "CouchDB"]),
    ]
}
