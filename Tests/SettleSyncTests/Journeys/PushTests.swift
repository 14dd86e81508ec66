import Settle
import SettlePrimitives
import Synchronization
import Testing

@testable import SettleSync

@Suite(.serialized) struct `Push` {
    /// A remote that fails on documents with a certain member, as the table servers do.
    private struct Choosy: Backend {
        let model: ModelBackend
        var identifier: String { model.identifier }

        func pull(
            _ query: PullQuery, after token: PullToken?, itemCountMax: Int, isFirstPage: Bool
        ) async throws(ReplicationError) -> PullPage {
            try await model.pull(
                query, after: token, itemCountMax: itemCountMax, isFirstPage: isFirstPage)
        }

        func send(
            _ operation: RemoteOperation
        ) async throws(ReplicationError) -> RemoteOutcome {
            guard operation.members["tags"] == nil else {
                throw ReplicationError(.serverFailed, "Unsupported type: Array")
            }
            return try await model.send(operation)
        }
    }

    @Test func `gets past documents that the remote fails on, and on with each that is mended`()
        async throws
    {
        let device = try await Device()
        let server = ModelServer()
        let backend = Choosy(model: ModelBackend(server: server))
        for index in 0..<7 { try await device.put("bad\(index)", ["tags": ["x"]]) }
        try await device.put("good", ["n": 1])
        server.put("theirs", [:])
        for _ in 0..<20 {
            _ = try? await device.database.replicate(
                with: try device.configuration { $0.concurrentRequestsMax = 1 }, using: backend)
        }
        #expect(server.contents["good"] == ["n": 1])
        #expect(try await device.members("theirs") == [:])
        // Edited into what the remote takes, it goes through at once.
        try await device.put("bad3", ["n": 3])
        _ = try? await device.database.replicate(
            with: try device.configuration(), using: backend)
        for _ in 0..<6 {
            _ = try? await device.database.replicate(
                with: try device.configuration(), using: backend)
        }
        #expect(server.contents["bad3"] == ["n": 3])
    }
    @Test func `sends what was written before the first replication, in order`() async throws {
        let device = try await Device()
        let server = ModelServer()
        for index in 0..<2_500 { try await device.put("d\(index)", ["n": .integer(Int64(index))]) }
        try await device.database.delete(documentWithId: "d7")
        #expect(try device.database.pendingOperations().isEmpty)
        let summary = try await device.replicate(server)
        #expect(summary.pushed == 2_499)
        #expect(summary.pulled == 0)
        #expect(server.contents.count == 2_499)
        #expect(server.contents["d8"] == ["n": 8])
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test func `sends one operation for many edits, and none for what came and went`() async throws
    {
        let device = try await Device()
        let server = ModelServer()
        try await device.replicate(server)
        for index: Int64 in 0..<5 { try await device.put("a", ["n": .integer(index)]) }
        try await device.put("b", [:])
        try await device.database.delete(documentWithId: "b")
        let pending = try device.database.pendingOperations()
        #expect(pending.map(\.kind) == [.insert])
        #expect(pending.map(\.state) == [.waiting])
        #expect(try await device.replicate(server).pushed == 1)
        #expect(server.contents == ["a": ["n": 4]])

        for index: Int64 in 5..<9 { try await device.put("a", ["n": .integer(index)]) }
        #expect(try device.database.pendingOperations().map(\.kind) == [.update])
        #expect(try await device.replicate(server).pushed == 1)
        try await device.put("a", ["n": 10])
        try await device.database.delete(documentWithId: "a")
        #expect(try device.database.pendingOperations().map(\.kind) == [.delete])
        #expect(try await device.replicate(server).pushed == 1)
        try await device.put("a", ["n": 11])
        #expect(try device.database.pendingOperations().map(\.kind) == [.undelete])
        try await device.replicate(server)
        #expect(server.contents == ["a": ["n": 11]])
    }

    @Test func `sends nothing for an edit that was taken back`() async throws {
        let device = try await Device()
        let server = ModelServer()
        try await device.put("a", ["n": 1])
        try await device.replicate(server)
        try await device.put("a", ["n": 2])
        try await device.put("a", ["n": 1])
        #expect(try await device.replicate(server).pushed == 0)
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test func `knows its own work again when the answer was lost`() async throws {
        let device = try await Device()
        let server = ModelServer()
        try await device.replicate(server)
        let shout = ConflictHandler { conflict in
            Issue.record("\(conflict.documentId) is no conflict.")
            return .leave
        }
        let steps: [(Device) async throws -> Void] = [
            { try await $0.put("a", ["n": 1]) }, { try await $0.put("a", ["n": 2]) },
            { try await $0.database.delete(documentWithId: "a") },
            { try await $0.put("a", ["n": 3]) },
        ]
        for step in steps {
            try await step(device)
            let script = Script<ModelBackend.Fault>([.answerLost], then: .none)
            var backend = ModelBackend(server: server)
            backend.fault = { script.next() }
            await #expect { try await device.replicate(backend) } throws: {
                ($0 as? ReplicationError)?.code == .unreachable
            }
            #expect(try device.database.pendingOperations().map(\.state) == [.sent])
            let executed = server.state.withLock { $0.executedCount }
            try await device.replicate(server, shout)
            // An undeletion is followed by an update, which was not sent before.
            let repeated = server.state.withLock { $0.executedCount } - executed
            #expect(repeated == 0 || server.contents == ["a": ["n": 3]] && repeated == 1)
            #expect(try device.database.pendingOperations().isEmpty)
        }
        #expect(server.contents == ["a": ["n": 3]])
    }

    // azure-mobile-apps #817: the answer to a push overwrote the edit made while it was under way.
    @Test func `keeps an edit that is made while the document is under way`() async throws {
        let device = try await Device()
        let server = ModelServer()
        try await device.put("a", ["n": 1])
        let script = Script([true], then: false)
        var backend = ModelBackend(server: server)
        backend.fault = {
            if script.next() {
                do {
                    try await device.put("a", ["n": 2])
                    let states = try device.database.pendingOperations().map(\.state)
                    #expect(states == [.sent])
                } catch {
                    Issue.record("\(error)")
                }
            }
            return .none
        }
        let summary = try await device.replicate(backend)
        #expect(summary.pushed == 2)
        #expect(server.contents == ["a": ["n": 2]])
        #expect(try await device.members("a") == ["n": 2])
        #expect(server.complaints.isEmpty)
    }

    @Test func `deletes what was deleted while its insert was under way`() async throws {
        let device = try await Device()
        let server = ModelServer()
        try await device.put("a", ["n": 1])
        let script = Script([true], then: false)
        var backend = ModelBackend(server: server)
        backend.fault = {
            if script.next() {
                do {
                    try await device.database.delete(documentWithId: "a")
                } catch {
                    Issue.record("\(error)")
                }
            }
            return .none
        }
        try await device.replicate(backend)
        #expect(server.contents.isEmpty)
        #expect(try await device.members("a") == nil)
    }

    @Test func `leaves what was never sent as it was when the way is cut`() async throws {
        let device = try await Device()
        let server = ModelServer()
        for index in 0..<4 { try await device.put("d\(index)", [:]) }
        var backend = ModelBackend(server: server)
        backend.fault = { .requestLost }
        await #expect(throws: ReplicationError.self) {
            try await device.replicate(backend) { $0.concurrentRequestsMax = 1 }
        }
        let states = try device.database.pendingOperations().map(\.state)
        #expect(states == [.sent, .waiting, .waiting, .waiting])
    }

    @Test func `finds what was written while no outbox looked on`() async throws {
        let device = try await Device()
        let server = ModelServer()
        try await device.replicate(server)
        let outbox = ReplicationCenter.of(device.database).pushQueue(
            for: "model", of: device.database)
        device.database.removeParticipant(outbox)
        try await device.put("unseen", [:])
        device.database.addParticipant(outbox)
        try await device.put("seen", [:])
        #expect(try await device.replicate(server).pushed == 2)
        #expect(server.contents.keys.sorted() == ["seen", "unseen"])
    }

    @Test func `does not bring back a document that somebody else brought back and edited`()
        async throws
    {
        let device = try await Device()
        let server = ModelServer()
        var backend = ModelBackend(server: server)
        backend.hidesDeletedItems = true
        try await device.put("a", ["n": 1])
        try await device.replicate(backend)
        try await device.database.delete(documentWithId: "a")
        // The remote does not tell the version that the deletion made, and the pull that would
        // is cut.
        let script = Script<ModelBackend.Fault>([.none], then: .requestLost)
        backend.fault = { script.next() }
        await #expect(throws: ReplicationError.self) { try await device.replicate(backend) }
        server.put("a", ["theirs": 1])
        try await device.put("a", ["mine": 1])
        backend.fault = { .none }
        let summary = try await device.replicate(backend)
        #expect(summary.conflicts == 1)
        #expect(server.contents["a"] == ["theirs": 1])
        try await device.replicate(server, .merge)
        #expect(server.contents["a"] == ["theirs": 1, "mine": 1])
    }

    @Test func `sets aside what the remote refuses and goes on with the rest`() async throws {
        let device = try await Device()
        let server = ModelServer()
        for id in ["a", "bad", "c"] { try await device.put(id, ["n": 1]) }
        var backend = ModelBackend(server: server)
        backend.rejection = { operation in
            operation.members["n"] == 1 && operation.id == "bad" ? "Too large." : nil
        }
        let summary = try await device.replicate(backend)
        #expect(summary.pushed == 2)
        #expect(summary.rejected == 1)
        #expect(server.contents.keys.sorted() == ["a", "c"])
        let rejected = try device.database.rejectedOperations(with: "model")
        #expect(rejected.map(\.documentId) == ["bad"])
        #expect(rejected.map(\.state) == [.rejected(reason: "Too large.")])

        // Each replication tries again, and a change mends it.
        #expect(try await device.replicate(backend).rejected == 1)
        try await device.put("bad", ["n": 2])
        #expect(try device.database.rejectedOperations().isEmpty)
        #expect(try await device.replicate(backend).pushed == 1)
        #expect(server.contents.count == 3)
    }

    @Test func `sets aside a document on which the remote always fails`() async throws {
        let device = try await Device()
        let server = ModelServer()
        for id in ["a", "bad", "c"] { try await device.put(id, ["n": 1]) }
        let backend = FailingOnOne(server: server)
        await #expect {
            try await device.database.replicate(with: try device.configuration(), using: backend)
        } throws: {
            ($0 as? ReplicationError)?.code == .serverFailed
        }
        #expect(server.contents.keys.sorted() == ["a", "c"])
        let clock = ImmediateClock()
        let summary = try await device.database.replicate(
            with: try device.configuration {
                $0.retryLimit = 10
                $0.clock = clock
            }, using: backend)
        #expect(summary.rejected == 1)
        #expect(
            try device.database.rejectedOperations().map(\.state)
                == [.rejected(reason: "Something broke.")])
    }

    @Test func `asks the filter delegate with its parameters, and again when something changes`()
        async throws
    {
        let device = try await Device()
        let server = ModelServer()
        let filter = RegionFilter()
        device.database.replicationFilterDelegate = filter
        try await device.put("n", ["region": "north"])
        try await device.put("s", ["region": "south"])
        let north: (inout ReplicationConfiguration) -> Void = {
            $0.filterParameters = ["region": "north"]
        }
        let summary = try await device.replicate(ModelBackend(server: server), north)
        #expect(summary.pushed == 1)
        #expect(summary.withheld == 1)
        #expect(server.contents.keys.sorted() == ["n"])
        #expect(try device.database.pendingOperations().map(\.state) == [.withheld])

        // The remote's version of a held back document does not overwrite it.
        server.put("s", ["region": "elsewhere"])
        try await device.replicate(ModelBackend(server: server), north)
        #expect(try await device.members("s") == ["region": "south"])

        try await device.database.delete(documentWithId: "n")
        #expect(try await device.replicate(ModelBackend(server: server), north).pushed == 1)
        try await device.put("t", ["region": "south"])
        let south = try await device.replicate(ModelBackend(server: server)) {
            $0.filterParameters = ["region": "south"]
            $0.conflictHandler = .localWins
        }
        #expect(south.pushed == 2)
        #expect(server.contents == ["s": ["region": "south"], "t": ["region": "south"]])
        withExtendedLifetime(filter) {}
    }

    /// Lets through what is in the region of the parameters.
    private final class RegionFilter: ReplicationFilterDelegate {
        func database(
            _ database: Database, shouldSendDocument document: Document,
            filterParameters: [String: Any]?
        ) -> Bool {
            document["region"] as? String == filterParameters?["region"] as? String
        }
    }

    /// A remote that cannot cope with one document.
    private struct FailingOnOne: Backend {
        let identifier = "model"
        let server: ModelServer

        func pull(
            _ query: PullQuery, after token: PullToken?, itemCountMax: Int, isFirstPage: Bool
        ) async throws(ReplicationError) -> PullPage {
            server.page(query, after: token, itemCountMax: itemCountMax)
        }

        func send(_ operation: RemoteOperation) async throws(ReplicationError) -> RemoteOutcome {
            if operation.id == "bad" {
                throw ReplicationError(.serverFailed, "Something broke.")
            }
            return server.execute(operation)
        }
    }
}

/// A clock on which no time passes.
struct ImmediateClock: Clock {
    typealias Instant = ContinuousClock.Instant

    var now: Instant { ContinuousClock().now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
    }
}
