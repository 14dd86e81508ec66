extension FolderPlan {
    /// What every floor needs.
    static let primitives = [
        Folder("Bytes"),
        Folder("Threads"),
        Folder("Waking"),
    ]

    /// The client of Cosmos DB.
    static let cosmos = [
        Folder("."),
        Folder("Values"),
        Folder("Wire", uses: ["Values"]),
        Folder("Resources", uses: ["Values", "Wire"]),
        Folder("Accounts", uses: ["Resources", "Values"]),
        Folder("Requests", uses: ["Accounts", "Resources", "Values", "Wire"]),
        Folder("Queries", uses: ["Values"]),
        Folder("Documents", uses: ["Requests", "Resources", "Values"]),
        Folder("Conflicts", uses: ["Requests", "Values"]),
        Folder("Ranges", uses: ["Requests", "Values", "Wire"]),
        Folder("Changes", uses: ["Ranges", "Requests", "Values", "Wire"]),
        Folder("Merging", uses: ["Ranges", "Requests", "Values", "Wire"]),
        // What is kept on the device, and what waits there to be sent.
        Folder("Encryption", uses: ["Values"]),
        Folder("Queue", uses: ["Encryption", "Requests", "Values"]),
        Folder(
            "Cache",
            uses: ["Accounts", "Encryption", "Queue", "Requests", "Resources", "Values"]),
        Folder(
            "Offline",
            uses: [
                "Cache", "Conflicts", "Documents", "Encryption", "Queue", "Requests", "Resources",
                "Values", "Wire",
            ]),
        Folder(
            "Client",
            uses: [
                "Accounts", "Cache", "Changes", "Conflicts", "Documents", "Encryption", "Merging",
                "Offline", "Queries", "Queue", "Requests", "Resources", "Values", "Wire",
            ]),
        Folder(
            "Replication",
            uses: [
                "Accounts", "Changes", "Client", "Documents", "Queries", "Ranges", "Requests",
                "Resources", "Values", "Wire",
            ]),
    ]

    /// Pages in a browser.
    static let inspector = [
        Folder("."),
        Folder("Texts"),
        Folder("Access"),
        Folder("Charts", uses: ["Texts"]),
        Folder("Rendering", uses: ["Charts", "Texts"]),
        Folder("Databases", uses: ["Access"]),
        Folder("Pages", uses: ["Access", "Charts", "Databases", "Rendering", "Texts"]),
        Folder("Server", uses: ["Access", "Databases", "Pages", "Rendering", "Texts"]),
    ]

    /// Conditions and orders.
    static let odata = [
        Folder("Time"),
        Folder("Values", uses: ["Time"]),
        Folder("Expressions", uses: ["Time", "Values"]),
        Folder("Evaluation", uses: ["Expressions", "Time", "Values"]),
        Folder("Writing", uses: ["Expressions", "Time", "Values"]),
        Folder("Indexing", uses: ["Evaluation", "Expressions", "Time", "Values"]),
        Folder("Parsing", uses: ["Evaluation", "Expressions", "Time", "Values"]),
    ]

    /// The index engine.
    static let indexing = [
        Folder("."),
        Folder("Reducing", uses: ["."]),
        Folder("Tree", uses: [".", "Reducing"]),
        Folder("Mapping", uses: [".", "Tree"]),
        Folder("Definitions", uses: [".", "Mapping", "Reducing"]),
        Folder("Building", uses: [".", "Definitions", "Mapping", "Reducing", "Tree"]),
        Folder("Querying", uses: [".", "Building", "Definitions", "Mapping", "Reducing", "Tree"]),
        Folder("Engine", uses: [".", "Building", "Definitions", "Querying"]),
        Folder("Observing", uses: [".", "Definitions", "Querying", "Tree"]),
    ]

    /// Entities.
    static let entities = [
        Folder("."),
        Folder("Model", uses: ["."]),
        Folder("References", uses: ["Model"]),
        Folder("Replication", uses: ["Model"]),
        Folder("Storing", uses: [".", "Model", "References"]),
        Folder("Changes", uses: ["Model", "References", "Storing"]),
        Folder("Resolving", uses: [".", "Model", "References", "Storing"]),
        Folder(
            "Datastore",
            uses: ["Changes", "Model", "References", "Resolving", "Storing"]),
        Folder(
            "History",
            uses: [".", "Changes", "Datastore", "Model", "References", "Resolving", "Storing"]),
        Folder(
            "Views",
            uses: [".", "Changes", "Datastore", "Model", "References", "Resolving", "Storing"]),
        Folder(
            "Interchange",
            uses: [
                ".", "Changes", "Datastore", "History", "Model", "References", "Resolving",
                "Storing",
            ]),
        Folder(
            "Opening",
            uses: [".", "Changes", "Datastore", "Interchange", "Model", "Storing"]),
    ]

    /// Tables in PostgreSQL.
    static let postgreSQL = [
        Folder("."),
        Folder("Indexes"),
        Folder("Schema"),
        Folder("Contents", uses: ["."]),
        Folder("Reading", uses: [".", "Indexes"]),
        Folder("Writing", uses: ["Contents", ".", "Indexes", "Reading"]),
        Folder("Store", uses: ["Contents", ".", "Reading", "Schema", "Writing"]),
    ]

    /// The tool.
    static let command = [
        Folder("Texts"),
        Folder("Arguments", uses: ["Texts"]),
        Folder("Terminal", uses: ["Texts"]),
        Folder("Importing", uses: ["Terminal", "Texts"]),
        Folder("Running", uses: ["Arguments", "Importing", "Terminal", "Texts"]),
        Folder(
            "Commands/Documents", uses: ["Arguments", "Importing", "Running", "Terminal", "Texts"]),
        Folder("Rendering", uses: ["Arguments", "Importing", "Running", "Terminal", "Texts"]),
        Folder(
            "Commands/Entities",
            uses: ["Arguments", "Importing", "Rendering", "Running", "Terminal", "Texts"]),
        Folder(
            "Commands/Indexes",
            uses: ["Arguments", "Importing", "Rendering", "Running", "Terminal", "Texts"]),
        Folder(
            "Commands/Outbox", uses: ["Arguments", "Rendering", "Running", "Terminal", "Texts"]),
        Folder("Demo", uses: ["Importing", "Rendering", "Running", "Terminal", "Texts"]),
        Folder(
            "Commands",
            uses: [
                "Arguments", "Commands/Documents", "Commands/Indexes", "Demo", "Importing",
                "Rendering", "Running", "Terminal", "Texts",
            ]),
        // The commands of the tool, typed one after the other.
        Folder(
            "Shell",
            uses: [
                "Arguments", "Commands", "Commands/Documents", "Commands/Entities",
                "Commands/Indexes", "Commands/Outbox", "Rendering", "Running", "Terminal",
                "Texts",
            ]),
        Folder(
            ".",
            uses: [
                "Arguments", "Commands", "Commands/Documents", "Commands/Entities",
                "Commands/Indexes", "Commands/Outbox", "Shell", "Terminal",
            ]),
    ]
}
