extension FolderPlan {
    /// LMDB.
    static let lmdb = [
        Folder("."),
        Folder("Errors", uses: ["."]),
        Folder("Files", uses: [".", "Errors"]),
        // The engine's own functions.
        Folder("Engine", uses: [".", "Errors", "Files"]),
        // The commit log: its bytes, recovery, and what each commit does with it.
        Folder("Log", uses: [".", "Engine", "Errors", "Files"]),
        // An environment and its transactions, which know each other: a transaction holds the environment
        // it reads, and the environment counts the transactions that it must wait for.
        Folder(
            "Environment", uses: [".", "Engine", "Errors", "Files", "Log"], isWhole: true),
        // The check of pages, and what needs all of the above: compaction, copies, statistics.
        Folder("Pages", uses: ["Engine", "Environment", "Errors", "Files"]),
        Folder(
            "Upkeep", uses: [".", "Engine", "Environment", "Errors", "Files", "Log", "Pages"]),
    ]

    /// Values and packed documents.
    static let documents = [
        Folder("Bytes"),
        Folder("Calendar"),
        Folder("Values"),
        Folder("Packed", uses: ["Bytes", "Values"]),
        Folder("JSON", uses: ["Bytes", "Packed", "Values"]),
        Folder("Coding", uses: ["Bytes", "Packed", "Values"]),
        Folder("Collation", uses: ["Bytes", "Packed", "Values"]),
        Folder("Identity", uses: ["Packed"]),
    ]

    /// Documents as rows.
    static let storage = [
        Folder("."),
        Folder("Records", uses: ["."]),
        Folder("Tables", uses: ["."]),
        Folder("Transactions", uses: [".", "Records", "Tables"]),
        Folder("Store", uses: [".", "Records", "Tables", "Transactions"]),
        Folder("Maintenance", uses: [".", "Records", "Store", "Tables", "Transactions"]),
    ]

    /// The database.
    static let database = [
        Folder("."),
        Folder("Errors"),
        Folder("Files", uses: ["Errors"]),
        // Values: documents, what an index is, how a database is opened, what a query asks and answers.
        Folder("Documents", uses: ["Errors", "Files"]),
        Folder("Indexes", uses: ["Documents", "Errors"]),
        Folder("Configuration", uses: ["Errors", "Files", "Indexes"]),
        Folder("Commits"),
        Folder("Participants", uses: ["Errors"]),
        Folder("Observation/Lists"),
        Folder("Queries", uses: ["Documents", "Errors", "Observation/Lists"]),
        Folder("Observation/Delivery", uses: ["Observation/Lists", "Queries"]),
        // The database, its transactions, and the parts of it that it starts and that read and write it.
        Folder(
            "Database",
            uses: [
                ".", "Commits", "Configuration", "Documents", "Errors", "Indexes",
                "Observation/Delivery", "Observation/Lists", "Participants", "Queries",
            ], isWhole: true),
        // What is built on a database.
        Folder("Attachments", uses: ["Database", "Documents", "Errors", "Files"]),
        Folder(
            "Maintenance",
            uses: ["Configuration", "Database", "Documents", "Errors", "Indexes", "Participants"]),
        Folder(
            "Opening",
            uses: [
                "Configuration", "Database", "Documents", "Errors", "Files", "Indexes",
                "Maintenance", "Queries",
            ]),
        Folder("Changes", uses: ["Commits", "Database", "Documents", "Errors"]),
        Folder(
            "Observation",
            uses: [
                "Configuration", "Database", "Documents", "Errors", "Observation/Delivery",
                "Observation/Lists", "Queries",
            ]),
        Folder(
            "Models",
            uses: [
                "Changes", "Database", "Documents", "Errors", "Indexes", "Observation", "Queries",
            ]),
        Folder(
            "Live", uses: ["Changes", "Documents", "Errors", "Models", "Observation", "Queries"]),
        Folder(
            "Interchange",
            uses: ["Attachments", "Configuration", "Database", "Errors", "Files", "Indexes"]),
    ]
}
