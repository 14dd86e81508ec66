import Foundation
import Settle
import SettlePrimitives
import Synchronization
import Testing

@testable import SettleSync

@Suite(.serialized) struct `Batches` {
    private func put(_ count: Int, on device: Device) async throws {
        try await device.database.write { transaction in
            for number in 0..<count { try transaction.add(["id": "d\(number)", "n": number]) }
        }
    }

    private func sentCounts(_ server: ModelServer) -> [Int] {
        server.state.withLock { $0.sentCounts }
    }

    @Test func `carry what waits, and what waits alone goes by itself`() async throws {
        let device = try await Device()
        let server = ModelServer()
        var backend = ModelBackend(server: server)
        backend.batchMax = 64
        try await put(1_000, on: device)
        #expect(try await device.replicate(backend).pushed == 1_000)
        #expect(server.contents.count == 1_000)
        #expect(sentCounts(server).count == 16)
        #expect(sentCounts(server).reduce(0, +) == 1_000)

        server.state.withLock { $0.sentCounts = [] }
        try await device.put("d7", ["n": 8])
        #expect(try await device.replicate(backend).pushed == 1)
        #expect(sentCounts(server) == [1])
        #expect(server.complaints.isEmpty)
    }

    @Test func `never carry an operation whose attachments go before it`() async throws {
        let device = try await Device()
        let server = ModelServer()
        var backend = ModelBackend(server: server)
        backend.batchMax = 8
        backend.carriesAttachments = true
        try await put(5, on: device)
        var document = try #require(try await device.database.fetchDocument("d2"))
        document.attachments = [
            DocumentAttachment(name: "a", contentType: "text/plain", data: Data("abc".utf8))
        ]
        try await device.database.save(document)
        #expect(try await device.replicate(backend).pushed == 5)
        // The one that was written last comes last.
        #expect(sentCounts(server).sorted() == [1, 4])
        #expect(server.state.withLock { $0.uploadCount } == 1)
        #expect(server.contents["d2"]?[AttachmentMember.name]?["a"] != nil)
        #expect(server.contents["d1"]?[AttachmentMember.name] == [:])
    }

    @Test(arguments: ModelBackend.Fault.allCases)
    func `lose nothing and repeat nothing whatever befalls one`(
        fault: ModelBackend.Fault
    ) async throws {
        let device = try await Device()
        let server = ModelServer()
        let shout = ConflictHandler(mayStop: false) { conflict in
            Issue.record("\(conflict.documentId) is no conflict.")
            return .leave
        }
        for round: Int64 in 0..<3 {
            try await device.database.write { transaction in
                for number in 0..<20 {
                    var document =
                        try transaction.document("d\(number)") ?? Document(id: "d\(number)")
                    document[json: "n"] = .integer(round)
                    try transaction.save(document)
                }
            }
            let script = Script<ModelBackend.Fault>([fault], then: .none)
            var backend = ModelBackend(server: server)
            backend.batchMax = 8
            backend.fault = { script.next() }
            try await device.replicate(backend) {
                $0.conflictHandler = shout
                $0.retryLimit = 2
                $0.clock = ImmediateClock()
            }
            #expect(server.contents.count == 20)
            #expect(server.contents.values.allSatisfy { $0["n"] == .integer(round) })
        }
        #expect(server.state.withLock { $0.executedCount } == 60)
        #expect(server.complaints.isEmpty)
        #expect(try device.database.pendingOperations().isEmpty)
    }

    /// A remote that fails altogether on a batch with a certain document in it.
    private struct Choosy: Backend {
        let model: ModelBackend
        var identifier: String { model.identifier }

        func pull(
            _ query: PullQuery, after token: PullToken?, itemCountMax: Int, isFirstPage: Bool
        ) async throws(ReplicationError) -> PullPage {
            try await model.pull(
                query, after: token, itemCountMax: itemCountMax, isFirstPage: isFirstPage)
        }

        func batchCountMax() async throws(ReplicationError) -> Int { 64 }

        func send(_ operation: RemoteOperation) async throws(ReplicationError) -> RemoteOutcome {
            guard operation.id != "d3" else {
                throw ReplicationError(.serverFailed, "Unsupported.")
            }
            return try await model.send(operation)
        }

        func send(
            _ operations: [RemoteOperation]
        ) async throws(ReplicationError) -> [Result<RemoteOutcome, ReplicationError>] {
            guard !operations.contains(where: { $0.id == "d3" }) else {
                throw ReplicationError(.serverFailed, "Unsupported.")
            }
            return operations.map { .success(model.server.execute($0)) }
        }
    }

    @Test func `do not make a document suffer for another in the same one`() async throws {
        let device = try await Device()
        let server = ModelServer()
        try await put(30, on: device)
        let backend = Choosy(model: ModelBackend(server: server))
        await #expect {
            try await device.database.replicate(
                with: try device.configuration(), using: backend)
        } throws: {
            ($0 as? ReplicationError)?.documentId == nil
                && ($0 as? ReplicationError)?.code == .serverFailed
        }
        #expect(server.contents.count == 29)
        #expect(try device.database.pendingOperations().map(\.documentId) == ["d3"])
    }

    @Test func `may be sent by a remote that has none of its own`() async throws {
        let server = ModelServer()
        let backend = DefaultBackend(model: ModelBackend(server: server))
        #expect(try await backend.batchCountMax() == 1)
        let operations = ["a", "b"].map { RemoteOperation(kind: .insert, id: $0, baseVersion: nil) }
        let results = try await backend.send(operations)
        #expect(try results.map { try $0.get() }.count == 2)
        #expect(server.contents.count == 2)
        let change = try await backend.awaitChange(PullQuery(), after: nil, since: nil)
        #expect(change == nil)
    }

    /// A remote that says nothing about batches.
    private struct DefaultBackend: Backend {
        let model: ModelBackend
        var identifier: String { model.identifier }

        func pull(
            _ query: PullQuery, after token: PullToken?, itemCountMax: Int, isFirstPage: Bool
        ) async throws(ReplicationError) -> PullPage {
            try await model.pull(
                query, after: token, itemCountMax: itemCountMax, isFirstPage: isFirstPage)
        }

        func send(_ operation: RemoteOperation) async throws(ReplicationError) -> RemoteOutcome {
            try await model.send(operation)
        }
    }
}
