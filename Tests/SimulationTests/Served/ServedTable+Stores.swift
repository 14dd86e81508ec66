import SettlePostgreSQL
import SettleServer
import TestSupport

extension ServedTable {
    /// Sets up a server over databases in a directory.
    static let inDirectory: TableFounding = { random, surroundings in
        let style = ServedStyle(&random, serverCountMax: 1)
        return try await ServedTable(
            style: style, store: .directory(try surroundings.scratch.folder("server")),
            seed: random.next(), in: surroundings)
    }

    /// Sets up one or two servers over a database of PostgreSQL.
    static let inPostgreSQL: TableFounding = { random, surroundings in
        let style = ServedStyle(&random, serverCountMax: 2)
        let database = try await PostgreSQLCluster.makeDatabase()
        return try await ServedTable(
            style: style,
            store: .postgreSQL(
                PostgreSQLConfiguration(url: database.url, readerCount: 2, writerCount: 2)),
            seed: random.next(), in: surroundings)
    }
}
