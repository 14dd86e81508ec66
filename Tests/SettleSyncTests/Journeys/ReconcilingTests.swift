import Foundation
import Settle
import SettlePrimitives
import Synchronization
import Testing

@testable import SettleSync

@Suite(.serialized) struct `Reconciling` {
    @Test func `purges what was erased without a word, and nothing else`() async throws {
        let device = try await Device()
        let server = ModelServer()
        let backend = ModelBackend(server: server)
        for index in 0..<25 { server.put("d\(index)", ["n": .integer(Int64(index))]) }
        try await device.replicate(backend)
        try await device.put("mine", ["n": 1])
        try await device.put("d4", ["n": 40])
        for id in ["d3", "d4", "d5"] { server.erase(id) }
        // One way, so that what is here stays unsent.
        let without = try await device.replicate(backend) { $0.isBidirectional = false }
        #expect(without.pulled == 0)
        let summary = try await device.replicate(backend) {
            $0.isBidirectional = false
            $0.reconciling = .atStart
            $0.pageSize = 4
        }
        #expect(summary.pulled == 2)
        #expect(try await device.members("d3") == nil)
        #expect(try await device.members("d4") == ["n": 40])
        #expect(try await device.members("mine") == ["n": 1])
        #expect(try device.database.totalDocumentCount == 24)
        #expect(server.contents.count == 22)
    }

    @Test func `looks only at what the replication's own query has shown`() async throws {
        let device = try await Device()
        let server = ModelServer()
        let backend = ModelBackend(server: server)
        server.put("a", ["channels": ["x"]])
        server.put("b", ["channels": ["y"]])
        for channel in ["x", "y"] {
            try await device.replicate(backend) { $0.limitToChannels = [channel] }
        }
        try await device.put("c", ["channels": ["z"]])
        server.put("a", ["channels": ["z"]])
        let summary = try await device.replicate(backend) {
            $0.limitToChannels = ["x"]
            $0.reconciling = .atStart
        }
        // What left the channel of a server that does not tell.
        #expect(summary.pulled == 1)
        #expect(try await device.members("a") == nil)
        #expect(try await device.members("b") != nil)
        #expect(try await device.members("c") != nil)
    }

    @Test func `comes round again after its interval, by the clock on the wall`() async throws {
        let device = try await Device()
        let server = ModelServer()
        let backend = ModelBackend(server: server)
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        server.put("a", [:])
        try await device.replicate(backend)
        server.erase("a")
        func replicate(_ device: Device, at date: Date) async throws -> Int {
            try await device.replicate(backend) {
                $0.reconciling = .every(.seconds(3_600))
                $0.now = { date }
            }.pulled
        }
        #expect(try await replicate(device, at: start) == 1)
        server.put("b", [:])
        #expect(try await replicate(device, at: start + 60) == 1)
        server.erase("b")
        let again = try await Device(reopening: device)
        #expect(try await replicate(again, at: start + 3_599) == 0)
        #expect(try await replicate(again, at: start + 3_600) == 1)
        // A clock that was set back does not put it off for ever.
        server.put("c", [:])
        try await again.replicate(backend)
        server.erase("c")
        #expect(try await replicate(again, at: start - 1_000_000) == 1)
    }

    @Test func `passes over a remote that cannot list`() async throws {
        let device = try await Device()
        let server = ModelServer()
        var backend = ModelBackend(server: server)
        backend.canList = false
        server.put("a", [:])
        try await device.replicate(backend)
        server.erase("a")
        #expect(try await device.replicate(backend) { $0.reconciling = .atStart }.pulled == 0)
        #expect(try await device.members("a") != nil)
    }

    /// A deletion is carried out and its answer lost; then a pull and a listing miss the item.
    @Test(arguments: [false, true], [false, true])
    func `takes no deletion of our own for an item that left the scope`(
        isErased: Bool, isMadeAgainFirst: Bool
    ) async throws {
        let device = try await Device()
        let server = ModelServer()
        let backend = ModelBackend(server: server)
        try await device.put("own", ["n": 1])
        try await device.replicate(backend)
        _ = try await device.database.delete(documentWithId: "own")
        let script = Script<ModelBackend.Fault>([.answerLost], then: .none)
        var losing = backend
        losing.fault = { script.next() }
        await #expect(throws: ReplicationError.self) { try await device.replicate(losing) }
        #expect(server.contents.isEmpty)
        if isErased { server.erase("own") }
        func makeAgain() async throws -> String {
            try await device.put("own", ["n": 2])
            let document = try await device.database.fetchDocument("own")
            return try #require(document?.revisionText)
        }
        var revision = isMadeAgainFirst ? try await makeAgain() : ""
        try await device.replicate(backend) {
            $0.isBidirectional = false
            $0.reconciling = .atStart
        }
        try await device.replicate(backend)
        if !isMadeAgainFirst { revision = try await makeAgain() }
        try await device.replicate(backend) {
            $0.conflictHandler = ConflictHandler(mayStop: false) { conflict in
                // A server that has erased the item cannot bring it back.
                if !isErased { Issue.record("\(conflict.documentId) is no conflict.") }
                return .useLocal
            }
        }
        #expect(server.contents == ["own": ["n": 2]])
        #expect(server.complaints.isEmpty)
        // Neither purged nor fetched: it is what was stored here.
        #expect(try await device.database.fetchDocument("own")?.revisionText == revision)
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test func `brings what a pull passed by`() async throws {
        let device = try await Device()
        let server = ModelServer()
        server.put("a", [:])
        try await device.replicate(server)
        // As after a clock that was set back: a row behind the token.
        server.state.withLock { state in
            state.rows["late"] = ModelServer.Row(
                item: RemoteItem(id: "late", version: "v0", members: ["n": 1]), sequence: 0)
        }
        #expect(try await device.replicate(server).pulled == 0)
        let summary = try await device.replicate(ModelBackend(server: server)) {
            $0.reconciling = .atStart
        }
        #expect(summary.pulled == 1)
        #expect(try await device.members("late") == ["n": 1])
    }
}
