import Foundation

/// A PostgreSQL server of the test process's own, in a temporary folder, with `fsync` on.
///
/// Started at the first use and shared by all tests of the process; each makes a database of its
/// own. A script beside the server (``PostgreSQLScript``) holds the other end of a pipe: when the
/// test process ends, in whatever way, the pipe ends, and the script stops the server and removes
/// the folder. So nothing is left of a test process that was killed.
package actor PostgreSQLCluster {
    /// A new, empty database.
    package struct TestDatabase: Sendable {
        /// The address of the database through the server's Unix socket.
        package let url: String
        /// The address of the database through a port of this machine.
        package let portURL: String
    }

    /// Why there is no server.
    package struct Failure: Error, CustomStringConvertible {
        /// What happened, and what to do.
        package let description: String
    }

    /// Where the server can be reached.
    private struct Place {
        var folder: String
        var port: Int
    }

    private static let shared = PostgreSQLCluster()

    private var script: PostgreSQLScript?
    private var starting: Task<Place, any Error>?
    private var databaseCount = 0

    /// Whether this machine has the programs of a PostgreSQL server.
    package static var isAvailable: Bool { binaries() != nil }

    /// Makes a database for one test, first of all starting the server.
    ///
    /// - Returns: Its addresses.
    /// - Throws: ``Failure`` when there are no programs to start, or they fail.
    package static func makeDatabase() async throws -> TestDatabase {
        try await shared.make()
    }

    private func make() async throws -> TestDatabase {
        let place = try await start()
        databaseCount += 1
        let name = "test_\(databaseCount)"
        guard let script else { throw Failure(description: "The server was not started.") }
        let answer = try await script.ask("database \(name)")
        guard answer == "made \(name)" else {
            throw Failure(description: "PostgreSQL made no database: \(answer)")
        }
        return TestDatabase(
            url: "postgresql://settle@/\(name)?host=\(place.folder)&port=\(place.port)",
            portURL: "postgresql://settle@127.0.0.1:\(place.port)/\(name)")
    }

    private func start() async throws -> Place {
        if let starting { return try await starting.value }
        guard let binaries = Self.binaries() else {
            throw Failure(
                description: "There is no PostgreSQL server to test with; install it "
                    + "(apt-get install -y postgresql libpq-dev).")
        }
        let script = try PostgreSQLScript(binaries: binaries)
        self.script = script
        let task = Task {
            let answer = try await script.nextLine()
            let words = answer.split(separator: " ").map(String.init)
            guard words.count == 3, words[0] == "ready", let port = Int(words[2]) else {
                throw Failure(description: "PostgreSQL did not start: \(answer)")
            }
            return Place(folder: words[1], port: port)
        }
        starting = task
        return try await task.value
    }

    /// The folder of the server's programs: where `pg_config` says, or where Debian has the newest.
    private static func binaries() -> String? {
        let files = FileManager.default
        let debian = "/usr/lib/postgresql"
        let versions = ((try? files.contentsOfDirectory(atPath: debian)) ?? [])
            .compactMap(Int.init).sorted(by: >)
        let places =
            [ProcessInfo.processInfo.environment["SETTLE_TEST_POSTGRESQL"]].compactMap(\.self)
            + versions.map { "\(debian)/\($0)/bin" }
            + ["/opt/homebrew/bin", "/usr/local/bin", "/usr/bin"]
        return places.first { place in
            ["initdb", "postgres", "pg_ctl", "createdb"].allSatisfy {
                files.isExecutableFile(atPath: "\(place)/\($0)")
            }
        }
    }
}
