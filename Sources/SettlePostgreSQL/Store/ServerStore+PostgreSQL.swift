public import SettleServer

extension ServerStore {
    /// Tables in one PostgreSQL database, which any number of server processes may serve at once.
    ///
    /// The store makes the schema `settle` in the database and brings it up to date by itself.
    ///
    /// ```swift
    /// let store = ServerStore.postgreSQL(url: "postgresql://settle@db.example.com/settle?sslmode=verify-full")
    /// let server = try TableServer(configuration: ServerConfiguration(store: store))
    /// ```
    ///
    /// - Parameter url: A connection URI; see ``PostgreSQLConfiguration/url``.
    /// - Returns: The store for `ServerConfiguration`.
    public static func postgreSQL(url: String) -> ServerStore {
        postgreSQL(PostgreSQLConfiguration(url: url))
    }

    /// Tables in one PostgreSQL database, with settings.
    ///
    /// - Parameter configuration: The database, and how it is used.
    /// - Returns: The store for `ServerConfiguration`.
    public static func postgreSQL(_ configuration: PostgreSQLConfiguration) -> ServerStore {
        ServerStore(fault: configuration.fault) { settings in
            try await PostgreSQLTableStore(configuration, settings: settings)
        }
    }
}
