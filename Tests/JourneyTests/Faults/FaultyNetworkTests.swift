import Dispatch
import Foundation
import Settle
import SettleREST
import SettleServer
import SettleSync
import TestSupport
import Testing

/// Real clients and a real server, with a proxy between them that loses, stalls and repeats.
@Suite(.serialized) struct `A network with faults` {
    private let place: JourneyPlace
    private var server: JourneyServer { place.server }

    init() throws {
        place = try JourneyPlace("faults")
    }

    private func database(_ name: String) async throws -> Database {
        try await place.database(name, durability: .relaxed)
    }

    private func configuration(
        _ port: Int, timeoutSeconds: Double, isRepeating: Bool = false
    ) async throws -> ReplicationConfiguration {
        let token = try await TableServer.token(
            secret: JourneyServer.secret, subject: "test")
        var configuration = ReplicationConfiguration(
            url: try #require(URL(string: "http://127.0.0.1:\(port)/tables/things")),
            isRepeating: isRepeating,
            options: [
                AzureTablesBackend.OptionName.token: token,
                AzureTablesBackend.OptionName.timeoutSeconds: timeoutSeconds,
            ])
        configuration.conflictHandler = .merge
        configuration.retryLimit = 0
        configuration.pageSize = 3
        return configuration
    }

    /// Adds a member of its own to a document, and counts.
    private func edit(_ database: Database, _ id: String, _ mark: String) async throws {
        try await database.write { transaction in
            var document = try transaction.document(id) ?? Document(id: id)
            document[json: mark] = true
            document[json: "count"] = .integer((document[json: "count"]?.integerValue ?? 0) + 1)
            try transaction.save(document)
        }
    }

    private func calmPort(_ table: URL) throws -> Int { try #require(table.port) }

    /// Replicates until nothing moves; the time that anything takes does not matter here.
    private func comeToRest(_ databases: [Database], _ port: Int) async throws {
        let configuration = try await configuration(port, timeoutSeconds: 300)
        for _ in 0..<10 {
            var isQuiet = true
            for database in databases {
                let summary = try await database.replicate(with: configuration)
                if summary.pushed + summary.pulled + summary.conflictsResolved > 0 {
                    isQuiet = false
                }
            }
            if isQuiet { return }
        }
        Issue.record("The databases do not come to rest.")
    }

    @Test(arguments: FaultProxy.Fault.allCases)
    func `does no harm with one fault of a kind to each request in turn`(
        fault: FaultProxy.Fault
    ) async throws {
        let table = try await server.start()
        let serverPort = try calmPort(table)
        let (a, b) = (try await database("a"), try await database("b"))
        let proxy = FaultProxy()
        proxy.forward(to: serverPort)
        try await proxy.run { port in
            let hasty = try await configuration(port, timeoutSeconds: 1)
            // The fault befalls each of the requests that a replication of a new document makes.
            for position in 0..<3 {
                let id = "thing-\(position)"
                let countBefore = proxy.counts[fault, default: 0]
                proxy.follow(Array(repeating: nil, count: position) + [fault])
                for mark in ["first", "second"] {
                    try await edit(a, id, mark)
                    do {
                        try await a.replicate(with: hasty)
                    } catch let error as ReplicationError {
                        #expect(
                            error.code == .unreachable || error.code == .protocolViolation,
                            "\(fault) \(position) \(mark): \(error)")
                    }
                }
                // On a slow machine the hasty client may give up before its request gets that far.
                #expect(
                    (countBefore...countBefore + 1).contains(proxy.counts[fault] ?? 0),
                    "\(fault) \(position)")
                proxy.calmDown()
                try await comeToRest([a, b], port)
                let expected: [String: JSONValue] = ["first": true, "second": true, "count": 2]
                #expect(try b.contents()[id] == expected, "\(fault) \(position)")
                #expect(try a.pendingOperations().isEmpty, "\(fault) \(position)")
                try await a.delete(documentWithId: id)
                proxy.follow(Array(repeating: nil, count: position) + [fault])
                do {
                    try await a.replicate(with: hasty)
                } catch is ReplicationError {
                    // As above.
                }
                proxy.calmDown()
                try await comeToRest([a, b], port)
                #expect(try a.contents().isEmpty && b.contents().isEmpty, "\(fault) \(position)")
            }
        }
        await a.close()
        await b.close()
        try await server.stop()
    }

    private static let seed = SeededGenerator().seed

    @Test func `loses nothing and repeats nothing under faults by chance`() async throws {
        let seed =
            ProcessInfo.processInfo.environment["SETTLE_SEED"].flatMap { UInt64($0) } ?? Self.seed
        var random = SeededGenerator(seed: seed)
        let table = try await server.start()
        let serverPort = try calmPort(table)
        let databases = [try await database("a"), try await database("b")]
        let proxy = FaultProxy(seed: random.next(), faultsPercent: 35)
        proxy.forward(to: serverPort)
        var written: [String: Set<String>] = [:]
        var rounds: [(Int, [(String, String)])] = []
        for round in 0..<16 {
            let index = Int.random(in: 0...1, using: &random)
            let edits = (0..<Int.random(in: 1...4, using: &random)).map { number in
                let isOwn = Bool.random(using: &random)
                let id =
                    isOwn ? "own-\(index)" : "shared-\(Int.random(in: 0...2, using: &random))"
                return (id, "mark-\(round)-\(number)")
            }
            for (id, mark) in edits { written[id, default: []].insert(mark) }
            rounds.append((index, edits))
        }
        let plan = rounds
        try await proxy.run { port in
            let configuration = try await configuration(port, timeoutSeconds: 1)
            for (index, edits) in plan {
                for (id, mark) in edits { try await edit(databases[index], id, mark) }
                do {
                    try await databases[index].replicate(with: configuration)
                } catch is ReplicationError {
                    // What went wrong is the proxy's doing; what comes of it is looked at below.
                }
            }
            proxy.calmDown()
            try await comeToRest(databases, port)
        }
        let contents = try databases.map { try $0.contents() }
        #expect(contents[0] == contents[1], "SETTLE_SEED=\(seed)")
        for (id, marks) in written {
            let members = contents[0][id] ?? [:]
            #expect(marks.isSubset(of: members.keys), "\(id), SETTLE_SEED=\(seed)")
            if id.hasPrefix("own") {
                // Only one device ever wrote it: each edit counts once.
                #expect(members["count"] == .integer(Int64(marks.count)), "SETTLE_SEED=\(seed)")
            }
        }
        for database in databases {
            #expect(try database.pendingOperations().isEmpty, "SETTLE_SEED=\(seed)")
            await database.close()
        }
        try await server.stop()
    }

    @Test func `does not keep a repeating replication waiting on a connection that is dead`()
        async throws
    {
        let table = try await server.start()
        let serverPort = try calmPort(table)
        let (a, b) = (try await database("a"), try await database("b"))
        try await edit(a, "thing", "first")
        let proxy = FaultProxy()
        proxy.follow([.stalledBefore, nil, .stalledAfter])
        proxy.forward(to: serverPort)
        try await proxy.run { port in
            var configuration = try await configuration(
                port, timeoutSeconds: 1, isRepeating: true)
            configuration.pollInterval = .milliseconds(1)
            let events = a.replicationEvents
            try await a.startReplication(with: configuration)
            var failureCount = 0
            for await event in events {
                if case .failed = event { failureCount += 1 }
                if case .completed = event, failureCount > 0, proxy.counts.count == 2 { break }
            }
            await a.stopReplication()
            #expect(failureCount >= 2)
            try await comeToRest([b], port)
        }
        #expect(try b.contents()["thing"]?["first"] == true)
        #expect(try a.pendingOperations().isEmpty)
        await a.close()
        await b.close()
        try await server.stop()
    }
}
