internal import CPQ

/// Where a database is, who asks for it, and how long anything there may take.
package struct PQEndpoint: Sendable {
    /// A connection URI (`postgresql://user:password@host:port/database?sslmode=verify-full`) or
    /// a string of `key=value`; what is left out comes from libpq's environment variables.
    ///
    /// > Source: PostgreSQL 15, "Connection Strings" in the chapter on libpq.
    package let url: String
    /// How long one attempt to connect may take, in whole seconds; at least 2.
    package var connectSeconds: Int
    /// How long one statement may run before PostgreSQL ends it, in milliseconds; 0 is for ever.
    package var statementMilliseconds: Int
    /// The name that `pg_stat_activity` shows, unless the URL gives one.
    package var applicationName: String
    /// More settings of the session, by their names in PostgreSQL.
    package var settings: [String: String] = [:]

    /// Checks a URL; nothing is connected to.
    ///
    /// - Parameters:
    ///   - url: A connection URI or string.
    ///   - connectSeconds: How long one attempt to connect may take; the URL's `connect_timeout`
    ///     goes before.
    ///   - statementMilliseconds: How long one statement may run; 0 is for ever.
    ///   - applicationName: A name for administrators; the URL's goes before.
    /// - Throws: ``PQError`` with `badConnectionString`; its text does not repeat the URL, which
    ///   may hold a password.
    package init(
        url: String, connectSeconds: Int = 10, statementMilliseconds: Int = 60_000,
        applicationName: String = "settle"
    ) throws(PQError) {
        var reason: UnsafeMutablePointer<CChar>?
        guard !url.utf8.contains(0), let options = PQconninfoParse(url, &reason) else {
            if let reason { PQfreemem(reason) }
            throw PQError(
                code: .badConnectionString,
                message: "The address of the PostgreSQL database cannot be read; write it as "
                    + "postgresql://user@host:5432/database, with special characters in the "
                    + "password as %XX.")
        }
        PQconninfoFree(options)
        self.url = url
        self.connectSeconds = max(2, connectSeconds)
        self.statementMilliseconds = max(0, statementMilliseconds)
        self.applicationName = applicationName
    }

    /// Connects, blocking the thread.
    ///
    /// - Returns: libpq's connection, to be ended with `PQfinish`.
    /// - Throws: ``PQError`` with `cannotConnect`.
    func connect() throws(PQError) -> OpaquePointer {
        // A keyword before "dbname" gives way to the same in the URL, one behind it does not.
        let keywords: [(String, String)] = [
            ("connect_timeout", String(connectSeconds)),
            ("fallback_application_name", applicationName),
            // A machine that vanished is noticed within a minute.
            ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "60000"),
            ("dbname", url),
            ("client_encoding", "UTF8"),
        ]
        let names = CStringList(keywords.map(\.0))
        let values = CStringList(keywords.map(\.1))
        let connection = names.withPointers { names in
            values.withPointers { values in PQconnectdbParams(names, values, 1) }
        }
        guard let connection else {
            throw .cannotConnect("the process has no memory left for it")
        }
        guard PQstatus(connection) == CONNECTION_OK else {
            let reason = PQerrorMessage(connection).map { String(cString: $0) } ?? "no reason given"
            PQfinish(connection)
            throw .cannotConnect(reason)
        }
        // Notices would go to the process's standard error.
        _ = PQsetNoticeReceiver(connection, { _, _ in }, nil)
        return connection
    }
}

/// Texts as C wants a list of them: addresses of bytes that end in 0, and a null at the end.
private struct CStringList {
    private var bytes: [CChar] = []
    private var starts: [Int] = []

    init(_ texts: [String]) {
        for text in texts {
            starts.append(bytes.count)
            bytes.append(contentsOf: text.utf8CString)
        }
    }

    func withPointers<R>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> R
    ) -> R {
        bytes.withUnsafeBufferPointer { bytes in
            var pointers = starts.map { start in bytes.baseAddress.map { $0 + start } }
            pointers.append(nil)
            return pointers.withUnsafeBufferPointer { list in
                guard let base = list.baseAddress else {
                    preconditionFailure("A list with an end is not empty.")
                }
                return body(base)
            }
        }
    }
}
