import Settle
import SettlePrimitives
import Synchronization
import Testing

@testable import SettleSync

@Suite(.serialized) struct `Pull` {
    @Test func `stores and deletes what the remote has, page by page, and sends none of it back`()
        async throws
    {
        let device = try await Device()
        let server = ModelServer()
        for index in 0..<25 { server.put("d\(index)", ["n": .integer(Int64(index))]) }
        server.put("d3", nil)
        let first = try await device.replicate(ModelBackend(server: server)) { $0.pageSize = 4 }
        #expect(first.pulled == 24)
        #expect(first.pushed == 0)
        #expect(try device.database.totalDocumentCount == 24)
        #expect(try device.database.pendingOperations().isEmpty)
        let change = try #require(try device.database.changeBatch(since: 0).changes.first)
        #expect(change.origin == "model")

        server.put("d4", nil)
        server.put("d5", ["n": 500])
        let second = try await device.replicate(server)
        #expect(second.pulled == 2)
        #expect(try await device.members("d4") == nil)
        #expect(try await device.members("d5") == ["n": 500])
    }

    @Test func `costs one request when there is nothing new`() async throws {
        let device = try await Device()
        let server = ModelServer()
        try await device.put("mine", ["n": 1])
        server.put("theirs", ["n": 1])
        try await device.replicate(server)
        try await device.replicate(server)
        let before = server.state.withLock { ($0.pullCount, $0.executedCount) }
        let sequence = try device.database.lastSequence
        let summary = try await device.replicate(server)
        let after = server.state.withLock { ($0.pullCount, $0.executedCount) }
        #expect(after == (before.0 + 1, before.1))
        #expect(summary == ReplicationSummary())
        #expect(try device.database.lastSequence == sequence)
    }

    @Test func `fetches only the channels it is limited to, each set with a token of its own`()
        async throws
    {
        let device = try await Device()
        let server = ModelServer()
        server.put("a", ["channels": ["x"]])
        server.put("b", ["channels": ["y", "z"]])
        server.put("c", [:])
        let backend = ModelBackend(server: server)
        #expect(try await device.replicate(backend) { $0.limitToChannels = ["x"] }.pulled == 1)
        #expect(try await device.members("b") == nil)
        let more = try await device.replicate(backend) { $0.limitToChannels = ["z", "x"] }
        #expect(more.pulled == 1)
        #expect(try await device.members("b") != nil)
        #expect(try await device.replicate(backend) { $0.limitToChannels = ["x"] }.received == 0)
        #expect(try await device.replicate(backend).pulled == 1)
    }

    @Test(arguments: [false, true])
    func `makes the same documents and revisions of packed items`(carriesAttachments: Bool)
        async throws
    {
        let (device, other) = (try await Device(), try await Device())
        let server = ModelServer()
        let digest = String(repeating: "ab", count: 32)
        let attachment: JSONValue = [
            "content_type": "text/plain", "length": 3, "digest": .string(digest),
        ]
        let rows: [[String: JSONValue]] = [
            [:], ["n": 1, "tags": ["a", ["b": .null]], "größe": 1.5], ["_attachments": [:]],
            ["n": 2, "_attachments": ["x": attachment]], ["_attachments": "no description"],
            ["n": .null],
        ]
        for (number, members) in rows.enumerated() { server.put("d\(number)", members) }
        server.put("d1", nil)
        server.put("d9", nil)
        var backend = ModelBackend(server: server)
        backend.carriesAttachments = carriesAttachments
        var packing = backend
        packing.listed = { item in
            guard let packed = try? PackedValue(.object(item.members)) else { return item }
            var other = RemoteItem(
                id: item.id, version: item.version, isDeleted: item.isDeleted, packed: packed,
                created: item.created, updated: item.updated)
            other.nullMayMeanAbsent = item.nullMayMeanAbsent
            #expect(other == item)
            return other
        }
        for _ in 0..<2 {
            try await device.replicate(backend) { $0.downloadsAttachments = false }
            try await other.replicate(packing) { $0.downloadsAttachments = false }
            for number in 0..<10 {
                let pair = [
                    try await device.database.fetchDocument("d\(number)"),
                    try await other.database.fetchDocument("d\(number)"),
                ]
                #expect(pair[0] == pair[1], "d\(number)")
                #expect(pair[0]?.revisionText == pair[1]?.revisionText, "d\(number)")
            }
            server.put("d0", ["n": 5])
            server.put("d1", ["n": 6])
            server.put("d4", ["n": 7])
            server.put("d5", nil)
        }
        // Neither has anything to say of it.
        #expect(try other.database.pendingOperations().isEmpty)
        // A document of its members alone has the same revision.
        let first = try #require(try await other.database.fetchDocument("d2"))
        let alone = Document(id: "alone", members: first.members(withAttachments: false))
        #expect(try await device.database.add(alone).revisionText == first.revisionText)
    }

    @Test func `goes on where it was when the way is cut between two pages`() async throws {
        let device = try await Device()
        let server = ModelServer()
        for index in 0..<10 { server.put("d\(index)", [:]) }
        let script = Script<ModelBackend.Fault>([.none, .none, .requestLost], then: .none)
        var backend = ModelBackend(server: server)
        backend.fault = { script.next() }
        await #expect {
            try await device.replicate(backend) { $0.pageSize = 3 }
        } throws: {
            ($0 as? ReplicationError)?.code == .unreachable
        }
        #expect(try device.database.totalDocumentCount == 6)
        let again = try await Device(reopening: device)
        #expect(try await again.replicate(server).received == 4)
        #expect(try again.database.totalDocumentCount == 10)
    }

    @Test func `does not send and does not overwrite when it goes one way`() async throws {
        let device = try await Device()
        let server = ModelServer()
        server.put("a", ["n": 1])
        let backend = ModelBackend(server: server)
        try await device.replicate(backend)
        try await device.put("a", ["n": 2])
        try await device.put("b", ["n": 1])
        server.put("a", ["n": 3])
        server.put("c", [:])
        let oneWay = try await device.replicate(backend) { $0.isBidirectional = false }
        #expect(oneWay.pulled == 1)
        #expect(oneWay.pushed == 0)
        #expect(try await device.members("a") == ["n": 2])
        #expect(server.contents["a"] == ["n": 3])

        // What was passed by is not lost: both ways, it is a conflict.
        let summary = try await device.replicate(server, .serverWins)
        #expect(summary.conflictsResolved == 1)
        #expect(try await device.members("a") == ["n": 3])
        #expect(server.contents["b"] == ["n": 1])
    }

    @Test func `gives a deletion of our own its version, and no conflict`() async throws {
        let device = try await Device()
        let server = ModelServer()
        var silent = ModelBackend(server: server)
        silent.hidesDeletedItems = true
        try await device.put("a", ["n": 1])
        try await device.replicate(silent)
        try await device.database.delete(documentWithId: "a")
        // The push goes through; the pull after it does not.
        let script = Script<ModelBackend.Fault>([.none], then: .requestLost)
        silent.fault = { script.next() }
        _ = try? await device.replicate(silent)
        try await device.put("a", ["n": 2])
        silent.fault = { .none }
        try await device.replicate(silent) { $0.isBidirectional = false }
        let summary = try await device.replicate(silent)
        #expect(summary.conflicts == 0)
        #expect(server.contents["a"] == ["n": 2])
        #expect(server.complaints.isEmpty)
    }

    @Test func `leaves out items that cannot be documents`() async throws {
        let device = try await Device()
        let server = ModelServer()
        server.put("_design", [:])
        server.put(String(repeating: "x", count: 256), [:])
        server.put("fine", [:])
        let summary = try await device.replicate(server)
        #expect(summary.skipped == 2)
        #expect(summary.pulled == 1)
        #expect(try await device.replicate(server).received == 0)
    }

    @Test func `refuses a page that ends where it began`() async throws {
        struct Endless: Backend {
            let identifier = "endless"
            func pull(
                _ query: PullQuery, after token: PullToken?, itemCountMax: Int, isFirstPage: Bool
            ) async throws(ReplicationError) -> PullPage {
                PullPage(
                    items: [RemoteItem(id: "a", version: "1", members: [:])],
                    token: PullToken("same"), isLast: false)
            }
            func send(
                _ operation: RemoteOperation
            ) async throws(ReplicationError) -> RemoteOutcome {
                .rejected(reason: "No.")
            }
        }
        let device = try await Device()
        await #expect {
            try await device.database.replicate(with: try device.configuration(), using: Endless())
        } throws: {
            ($0 as? ReplicationError)?.code == .protocolViolation
        }
    }

    @Test func `keeps two remotes apart`() async throws {
        let device = try await Device()
        let (left, right) = (ModelServer(), ModelServer())
        left.put("a", ["n": 1])
        var there = ModelBackend(server: right)
        there.identifier = "right"
        try await device.replicate(ModelBackend(server: left))
        // What came from the one is sent to the other, and stays known to both.
        #expect(try await device.replicate(there).pushed == 1)
        #expect(right.contents == ["a": ["n": 1]])
        right.put("a", ["n": 2])
        #expect(try await device.replicate(there).pulled == 1)
        #expect(try await device.replicate(left).pushed == 1)
        #expect(left.contents == ["a": ["n": 2]])
    }
}
