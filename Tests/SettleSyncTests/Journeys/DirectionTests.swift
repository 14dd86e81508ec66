import Foundation
import Settle
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

@testable import SettleSync

@Suite(.serialized) struct `Replication from here to there alone` {
    @Test func `sends what waits and fetches nothing`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        try await device.put("a", ["n": 1])
        server.put("b", ["n": 2])
        let url = try #require(URL(string: "model:"))
        let configuration = ReplicationConfiguration.oneTimeClientToServerReplication(with: url)
        #expect(configuration.direction == .clientToServer && !configuration.isBidirectional)
        #expect(!configuration.isRepeating)
        let summary = try await device.database.replicate(
            with: configuration, using: ModelBackend(server: server))
        #expect(summary.pushed == 1 && summary.received == 0)
        #expect(server.contents["a"] == ["n": 1])
        #expect(try await device.members("b") == nil)
        #expect(server.state.withLock { $0.pullCount } == 0)
        #expect(try device.database.pendingOperations().isEmpty)
        // What the server answers is learnt: a conflict is one all the same.
        server.put("a", ["n": 5])
        try await device.put("a", ["n": 6])
        let second = try await device.database.replicate(
            with: configuration, using: ModelBackend(server: server))
        #expect(second.conflicts == 1)
        #expect(try await device.replicate(server, .serverWins).pulled >= 1)
        #expect(try await device.members("a") == ["n": 5])
    }

    @Test func `repeats at once when something is changed here, and listens to nobody`()
        async throws
    {
        let (device, server, clock) = (try await Device(), ModelServer(), ManualClock())
        var backend = ModelBackend(server: server)
        backend.canListen = true
        var events = device.database.replicationEvents.makeAsyncIterator()
        try await device.database.startReplication(
            with: try device.configuration(isRepeating: true) {
                $0.direction = .clientToServer
                $0.clock = clock
            }, using: backend)
        for id in ["a", "b", "c"] {
            try await device.put(id, [:])
            while server.contents[id] == nil {
                guard let event = await events.next() else { break }
                if case .failed(let error) = event { Issue.record(error) }
            }
        }
        await device.database.stopReplication()
        #expect(server.state.withLock { $0.listenCount } == 0)
        #expect(server.state.withLock { $0.pullCount } == 0)
    }

    @Test func `fails when the server is not there, and sets aside what alone it fails on`()
        async throws
    {
        let (device, server) = (try await Device(), ModelServer())
        try await device.put("bad", ["n": 1])
        var backend = ModelBackend(server: server)
        backend.fault = { .serverFailed }
        // Nothing else was answered: the server may fail on everything.
        for _ in 0..<(2 * SyncTuning.serverFailureCountMax) {
            await #expect(throws: ReplicationError.self) {
                try await device.replicate(backend) { $0.direction = .clientToServer }
            }
        }
        #expect(try device.database.rejectedOperations().isEmpty)
        for round in 0..<SyncTuning.serverFailureCountMax {
            try await device.put("good", ["n": .integer(Int64(round))])
            let failing = FailingOn(model: ModelBackend(server: server), id: "bad")
            _ = try? await device.database.replicate(
                with: try device.configuration { $0.direction = .clientToServer }, using: failing)
        }
        #expect(try device.database.rejectedOperations().map(\.documentId) == ["bad"])
        #expect(try device.database.rejectedOperations().map(\.statusCode) == [500])
        #expect(server.contents["good"] != nil)
    }

    /// A server that fails on one document.
    private struct FailingOn: Backend {
        let model: ModelBackend
        let id: String
        var identifier: String { model.identifier }

        func pull(
            _ query: PullQuery, after token: PullToken?, itemCountMax: Int, isFirstPage: Bool
        ) async throws(ReplicationError) -> PullPage {
            try await model.pull(
                query, after: token, itemCountMax: itemCountMax, isFirstPage: isFirstPage)
        }

        func send(_ operation: RemoteOperation) async throws(ReplicationError) -> RemoteOutcome {
            guard operation.id != id else {
                throw ReplicationError(.serverFailed, "Something broke.", statusCode: 500)
            }
            return try await model.send(operation)
        }
    }
}

@Suite(.serialized) struct `A pull of a query` {
    /// Fetches with a configuration of its own.
    private func pull(
        _ device: Device, _ server: ModelServer, queryId: String? = nil, filter: String = "",
        isIncremental: Bool = true
    ) async throws -> ReplicationSummary {
        var backend = ModelBackend(server: server)
        backend.filter = filter
        return try await device.replicate(backend) {
            $0.queryId = queryId
            $0.isIncremental = isIncremental
            $0.reconciling = .atStart
        }
    }

    @Test func `that is not incremental fetches everything each time and keeps nothing`()
        async throws
    {
        let (device, server) = (try await Device(), ModelServer())
        for id in ["a", "b", "c"] { server.put(id, ["n": 1]) }
        for round in 0..<2 {
            let summary = try await pull(device, server, isIncremental: false)
            #expect(summary.received == 3)
            #expect(summary.pulled == (round == 0 ? 3 : 0))
        }
        // Nothing that was fetched here belongs to the pull that is incremental.
        let summary = try await pull(device, server)
        #expect(summary.received >= 3 && summary.pulled == 0)
        // Reconciling belongs to a query that is followed; a row that is gone stays otherwise.
        server.erase("a")
        _ = try await pull(device, server, isIncremental: false)
        #expect(try await device.members("a") != nil)
        // And what follows the table still knows the row as its own.
        try await device.replicate(ModelBackend(server: server)) { $0.reconciling = .atStart }
        #expect(try await device.members("a") == nil)
    }

    @Test func `goes on under its identifier, apart from others`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        for id in ["a", "b"] { server.put(id, ["n": 1]) }
        #expect(try await pull(device, server, queryId: "mine").received >= 2)
        #expect(try await pull(device, server, queryId: "mine").received == 0)
        #expect(try await pull(device, server, queryId: "yours").pulled == 0)
        server.put("c", ["n": 1])
        #expect(try await pull(device, server, queryId: "mine").pulled == 1)
    }

    /// How many items a pull brings that does not list.
    private func received(
        _ device: Device, _ server: ModelServer, queryId: String?, filter: String = ""
    ) async throws -> Int {
        var backend = ModelBackend(server: server)
        backend.filter = filter
        return try await device.replicate(backend) { $0.queryId = queryId }.received
    }

    @Test func `begins at the beginning when its checkpoint is removed, or its filter is another`()
        async throws
    {
        let (device, server) = (try await Device(), ModelServer())
        for id in ["a", "b"] { server.put(id, ["n": 1]) }
        func all() async throws -> [Int] {
            [
                try await received(device, server, queryId: nil),
                try await received(device, server, queryId: "q"),
                try await received(device, server, queryId: "q2"),
                try await received(device, server, queryId: "q", filter: "n eq 1"),
            ]
        }
        #expect(try await all() == [2, 2, 2, 2])
        #expect(try await all() == [0, 0, 0, 0])
        try await device.database.removePullCheckpoints(of: "model", queryId: "q")
        #expect(try await all() == [0, 2, 0, 2])
        try await device.database.removePullCheckpoints(of: "model")
        #expect(try await all() == [2, 2, 2, 2])
        try await device.database.removePullCheckpoints(of: "never met", queryId: "q")
    }

    @Test(arguments: ["", String(repeating: "q", count: 256)])
    func `is refused with an identifier that cannot be one`(queryId: String) async throws {
        let device = try await Device()
        await #expect {
            try await device.replicate(ModelBackend(server: ModelServer())) {
                $0.queryId = queryId
            }
        } throws: {
            ($0 as? ReplicationError)?.code == .misconfigured
        }
    }
}
