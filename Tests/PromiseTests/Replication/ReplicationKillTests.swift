import Foundation
import Settle
import SettleREST
import SettleSync
import StoreChild
import TestSupport
import Testing

/// Clients and a server in processes of their own, either of which is killed at random moments.
@Suite(.serialized) struct `A replication whose processes are killed` {
    /// What a life of a client left behind.
    private struct Life: Sendable {
        var lastReported = 0
        var foreignLines: [String] = []
        var ending: ChildProcess.Ending
    }

    /// One client's life, and what is done to it.
    private struct Plan: Sendable {
        let name: String
        let folder: URL
        /// How many of its writes are waited for before it is killed.
        let writes: Int
    }

    private static func live(
        _ plan: Plan, _ table: URL, errors: URL, afterHalf: () throws -> Void = {}
    ) throws -> Life {
        let child = try LineProcess(
            try BuiltFile.child(),
            ["replicate", plan.folder.path, table.absoluteString, plan.name], errors: errors)
        var life = Life(ending: .exited(-1))
        func take(_ line: String) {
            switch Report(line: line) {
            case .committed(_, let number)?: life.lastReported = number
            case .opened?: break
            default: life.foreignLines.append(line)
            }
        }
        for count in 0...plan.writes {
            guard let line = try child.nextLine() else { break }
            take(line)
            if count == plan.writes / 2 { try afterHalf() }
        }
        child.kill()
        while let line = try child.nextLine() { take(line) }
        life.ending = child.ending()
        return life
    }

    private func database(in folder: URL) async throws -> Database {
        let configuration = ChildDatabase.configuration(in: folder, durability: .relaxed)
        return try #require(try await Database.open(with: configuration, create: true))
    }

    /// What the servers keep their tables in.
    enum Store: Sendable, CaseIterable {
        /// A directory, with one server for both clients.
        case directory
        /// A PostgreSQL database, with a server for each client.
        case postgreSQL
    }

    /// The servers, one for each client or one for both.
    private func servers(
        _ store: Store, _ scratch: ScratchDirectory
    ) async throws -> [ServerProcess] {
        switch store {
        case .directory:
            let folder = try scratch.folder("server")
            let server = ServerProcess(
                store: ["--directory", folder.path], errors: scratch.file("server.errors"))
            return [server, server]
        case .postgreSQL:
            let url = try await PostgreSQLCluster.makeDatabase().url
            return ["a", "b"].map {
                ServerProcess(
                    store: ["--postgres", url], errors: scratch.file("server-\($0).errors"))
            }
        }
    }

    @Test(arguments: Store.allCases)
    func `converges, with every write once, whichever side is killed`(store: Store) async throws {
        let scratch = try ScratchDirectory("replication-kills")
        let seed = KillSettings.seed
        var random = SeededGenerator(seed: seed)
        let names = ["a", "b"]
        let folders = try names.map { try scratch.folder($0) }
        var reported = [0, 0]
        let servers = try await servers(store, scratch)
        let server = servers[0]
        let table = try server.start()
        let otherTable = store == .directory ? table : try servers[1].start()
        for round in 1...KillSettings.fewKills {
            let plans = names.indices.map { index in
                Plan(
                    name: names[index], folder: folders[index],
                    writes: Int.random(in: 1...15, using: &random))
            }
            let place = "round \(round), SETTLE_SEED=\(seed)"
            async let other = onThread {
                try Self.live(plans[1], otherTable, errors: scratch.file("b.errors"))
            }
            // While both write, the server goes down and comes back in the same place.
            let killsServer = round % 2 == 0
            let first = try Self.live(plans[0], table, errors: scratch.file("a.errors")) {
                guard killsServer else { return }
                #expect(try server.kill() == .signalled(SIGKILL), "\(place)")
                _ = try server.start()
            }
            for (index, life) in [first, try await other].enumerated() {
                #expect(life.ending == .signalled(SIGKILL), "\(place), \(names[index])")
                #expect(life.foreignLines.isEmpty, "\(place), \(names[index])")
                #expect(life.lastReported > reported[index], "\(place), \(names[index])")
                reported[index] = life.lastReported
            }
        }
        let databases = [
            try await database(in: folders[0]), try await database(in: folders[1]),
            try await database(in: try scratch.folder("fresh")),
        ]
        try await comeToRest(databases, [table, otherTable, otherTable])
        let found = try databases[2].contents()
        for (index, name) in names.enumerated() {
            let last = try ReplicationClient.last(of: name, in: databases[index])
            #expect(last >= reported[index], "\(name), SETTLE_SEED=\(seed)")
            #expect(found[ReplicationClient.sharedId]?[name] == .integer(Int64(last)))
            for number in 0..<ReplicationClient.ownCount {
                let id = ReplicationClient.ownId(name, number)
                #expect(
                    found[id] == ReplicationClient.own(number, after: last),
                    "\(id) after \(last), SETTLE_SEED=\(seed)")
            }
            #expect(try databases[index].contents() == found, "\(name), SETTLE_SEED=\(seed)")
            let pending = try databases[index].pendingOperations()
            #expect(pending.isEmpty, "\(name), SETTLE_SEED=\(seed)")
        }
        for database in databases { await database.close() }
        #expect(try server.kill() == .signalled(SIGKILL))
        if store == .postgreSQL { #expect(try servers[1].kill() == .signalled(SIGKILL)) }
    }

    /// Replicates until nothing moves any more.
    private func comeToRest(_ databases: [Database], _ tables: [URL]) async throws {
        for _ in 0..<10 {
            var isQuiet = true
            for (database, table) in zip(databases, tables) {
                let summary = try await database.replicate(
                    with: ReplicationClient.configuration(for: table))
                if summary.pushed + summary.pulled + summary.conflictsResolved > 0 {
                    isQuiet = false
                }
            }
            if isQuiet { return }
        }
        Issue.record("The databases do not come to rest.")
    }
}
