public import Logging
import SettlePQ

/// Which PostgreSQL database a server keeps its tables in, and with how many connections.
public struct PostgreSQLConfiguration: Sendable {
    /// A connection URI such as `postgresql://user:password@host:5432/database?sslmode=verify-full`,
    /// or a string of `key=value` as libpq takes it; what is left out comes from libpq's
    /// environment variables (`PGPASSWORD`, `PGSSLROOTCERT`, …).
    ///
    /// > Source: PostgreSQL 15, "Connection Strings" in the chapter on libpq.
    public var url: String
    /// How many connections read, at most; at least 1.
    ///
    /// Each has a thread of its own.
    public var readerCount: Int
    /// How many connections write, at most; at least 1.
    ///
    /// A table's writes of one process take one connection at a time, so more are of use only for
    /// several tables. Half as many more, at least 1, are for uploads of attachments.
    public var writerCount: Int
    /// How long one statement may take before PostgreSQL ends it, in milliseconds; 0 is for ever.
    public var statementMilliseconds: Int
    /// Where the store says what an administrator should know; never contents of items.
    public var logger: Logger

    /// A configuration.
    ///
    /// - Parameters:
    ///   - url: The database.
    ///   - readerCount: How many connections read, at most.
    ///   - writerCount: How many connections write, at most.
    ///   - statementMilliseconds: How long one statement may take; 0 is for ever.
    ///   - logger: Where the store says what an administrator should know.
    public init(
        url: String, readerCount: Int = 8, writerCount: Int = 4,
        statementMilliseconds: Int = 60_000, logger: Logger = Logger(label: "settle.postgresql")
    ) {
        self.url = url
        self.readerCount = readerCount
        self.writerCount = writerCount
        self.statementMilliseconds = statementMilliseconds
        self.logger = logger
    }

    /// Where the database is.
    ///
    /// - Throws: ``PQError`` with `badConnectionString`.
    func endpoint() throws(PQError) -> PQEndpoint {
        var endpoint = try PQEndpoint(url: url, statementMilliseconds: statementMilliseconds)
        // A plan that was made while a table was small must not stay when it has grown.
        endpoint.settings["plan_cache_mode"] = "force_custom_plan"
        return endpoint
    }

    /// What is wrong with the values, as far as that is known without connecting; nil when nothing.
    var fault: String? {
        guard readerCount >= 1, writerCount >= 1 else {
            return "The PostgreSQL store needs at least one connection to read and one to write."
        }
        do {
            _ = try endpoint()
            return nil
        } catch {
            return error.message
        }
    }
}
