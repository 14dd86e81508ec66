import Settle
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

@testable import SettleSync

/// Servers whose answers leave out members that they store, or that they do not store.
@Suite(.serialized) struct `Omitted members` {
    private static let members: [String: JSONValue] = [
        "text": "one", "n": 1, "x": ["a": 1, "b": 2],
    ]

    /// An item as a server answers that does not know its new columns yet.
    private static let stripped: @Sendable (RemoteItem) -> RemoteItem = { item in
        var item = item
        item.members = item.members.filter { $0.key == "text" }
        return item
    }

    /// Items of a server that may show null for what an item does not have.
    private static func asColumns(
        _ form: @escaping @Sendable (RemoteItem) -> RemoteItem
    ) -> @Sendable (RemoteItem) -> RemoteItem {
        { item in
            var item = form(item)
            item.nullMayMeanAbsent = true
            return item
        }
    }

    private func revision(_ device: Device) async throws -> String? {
        try await device.database.fetchDocument("a")?.metaData.revision
    }

    @Test func `are looked up, and the document keeps its members and revision`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        var backend = ModelBackend(server: server)
        backend.answered = Self.stripped
        backend.lookedUp = { $0 }
        try await device.put("a", Self.members)
        let before = try await revision(device)
        try await device.replicate(backend)
        #expect(try await device.members("a") == Self.members)
        #expect(try await revision(device) == before)
        #expect(server.state.withLock { $0.lookUpCount } == 1)
        #expect(try device.database.pendingOperations().isEmpty)
        // An edit goes the same way.
        try await device.put("a", Self.members.merging(["n": 2]) { $1 })
        try await device.replicate(backend)
        #expect(try await device.members("a")?["n"] == 2)
        #expect(server.state.withLock { $0.lookUpCount } == 2)
        #expect(server.complaints.isEmpty)
    }

    @Test func `of an own deletion that is answered with a conflict are known when it is undone`()
        async throws
    {
        let (device, server) = (try await Device(), ModelServer())
        var backend = ModelBackend(server: server)
        backend.answered = Self.asColumns { $0 }
        backend.listed = Self.asColumns { $0 }
        backend.deleted = Self.asColumns(Self.stripped)
        backend.refusesTombstones = true
        try await device.put("a", Self.members)
        try await device.replicate(backend)
        // The first answer to the deletion is lost, and so is that to the undeletion.
        let lost = Script<ModelBackend.Fault>([.answerLost, .none, .answerLost], then: .none)
        backend.fault = { lost.next() }
        func push() async throws {
            try await device.replicate(backend) {
                $0.direction = .clientToServer
                $0.conflictHandler = Self.shouting
            }
        }
        try await device.database.delete(documentWithId: "a")
        await #expect(throws: ReplicationError.self) { try await push() }
        try await push()
        try await device.put("a", ["text": "two"])
        await #expect(throws: ReplicationError.self) { try await push() }
        try await push()
        #expect(try device.database.replicationConflicts().isEmpty)
        #expect(try await device.members("a") == ["text": "two"])
        #expect(server.contents["a"]?.filter { !$0.value.isNull } == ["text": "two"])
    }

    @Test func `of a deletion's answer do not come back when the item is made again without them`()
        async throws
    {
        let (device, server) = (try await Device(), ModelServer())
        var backend = ModelBackend(server: server)
        backend.answered = Self.asColumns { $0 }
        backend.listed = Self.asColumns { $0 }
        backend.deleted = Self.asColumns(Self.stripped)
        try await device.put("a", Self.members)
        try await device.replicate(backend)
        try await device.database.delete(documentWithId: "a")
        try await device.replicate(backend) { $0.direction = .clientToServer }
        server.put("a", ["text": "two"])
        try await device.replicate(backend)
        #expect(try await device.members("a") == ["text": "two"])
    }

    // The item goes for good between the answer to our edit and the look-up, and is made anew.
    @Test func `of an answer do not come back when the item has gone before it is looked up`()
        async throws
    {
        let (device, server) = (try await Device(), ModelServer())
        try await device.put("a", Self.members)
        try await device.replicate(server)
        var backend = ModelBackend(server: server)
        backend.answered = Self.stripped
        let turns = Script([false, true], then: false)
        backend.fault = {
            if turns.next() { server.erase("a") }
            return .none
        }
        try await device.put("a", Self.members.merging(["n": 2]) { $1 })
        try await device.replicate(backend) { $0.direction = .clientToServer }
        #expect(server.contents["a"] == nil)
        #expect(try await device.members("a") == Self.members.merging(["n": 2]) { $1 })
        server.put("a", ["text": "two"])
        try await device.replicate(server)
        #expect(try await device.members("a") == ["text": "two"])
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test func `cost no look-up where answers are whole`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        var backend = ModelBackend(server: server)
        backend.lookedUp = { $0 }
        try await device.put("a", Self.members.merging(["no": .null]) { $1 })
        try await device.replicate(backend)
        try await device.put("a", ["text": "two"])
        try await device.replicate(backend)
        try await device.database.delete(documentWithId: "a")
        try await device.replicate(backend)
        try await device.put("a", ["text": "two"])
        try await device.replicate(backend)
        #expect(server.state.withLock { $0.lookUpCount } == 0)
    }

    @Test(arguments: [
        "cannot be asked", "is refused", "fails", "leaves out the same", "shows a later state",
    ])
    func `are kept as they are here when a look-up`(_ what: String) async throws {
        let (device, server) = (try await Device(), ModelServer())
        var backend = ModelBackend(server: server)
        backend.answered = Self.stripped
        if what != "fails" { backend.listed = Self.stripped }
        switch what {
        case "fails":
            backend.lookedUp = { $0 }
            let script = Script<ModelBackend.Fault>([.none, .serverFailed], then: .none)
            backend.fault = { script.next() }
        case "is refused":
            backend.lookUpFailure = { _ in
                ReplicationError(.unauthorized, "It may not be read.")
            }
        case "leaves out the same": backend.lookedUp = Self.stripped
        case "shows a later state":
            backend.lookedUp = { item in
                var item = item
                item.version = "later"
                item.members = ["text": "another"]
                return item
            }
        default: backend.lookedUp = nil
        }
        try await device.put("a", Self.members)
        let before = try await revision(device)
        if what == "fails" {
            // The operation is sent again, and recognised.
            _ = try? await device.replicate(backend)
            #expect(try device.database.pendingOperations().count == 1)
        }
        try await device.replicate(backend)
        #expect(server.state.withLock { $0.executedCount } == 1)
        #expect(try await device.members("a") == Self.members)
        #expect(try await revision(device) == before)
        #expect(try device.database.pendingOperations().isEmpty)
        // Somebody else's edit of another member takes none of them away either.
        server.put("a", Self.members.merging(["text": "two"]) { $1 })
        try await device.replicate(backend)
        #expect(try await device.members("a") == Self.members.merging(["text": "two"]) { $1 })
    }

    /// Look-ups that fail, and the items that were asked for.
    private static func failing(
        _ error: ReplicationError, _ asked: Collected<String>
    ) -> @Sendable (String) -> ReplicationError? {
        { id in
            asked.add(id)
            return error
        }
    }

    @Test(arguments: [429, 503], [1, 64])
    func `are kept when the server has no time for a look-up, and nothing is carried out twice`(
        status: Int, batchMax: Int
    ) async throws {
        let (device, server) = (try await Device(), ModelServer())
        let asked = Collected<String>()
        var backend = ModelBackend(server: server)
        backend.answered = Self.stripped
        backend.batchMax = batchMax
        backend.lookUpFailure = Self.failing(
            ReplicationError(
                .busy, "The server is busy.", retryAfter: .seconds(7), statusCode: status), asked)
        let ids = ["a", "b", "c"]
        var revisions: [String?] = []
        for id in ids {
            try await device.put(id, Self.members)
            revisions.append(try await device.database.fetchDocument(id)?.metaData.revision)
        }
        await #expect {
            try await device.replicate(backend) { $0.concurrentRequestsMax = 1 }
        } throws: { error in
            let error = error as? ReplicationError
            return error?.code == .busy && error?.retryAfter == .seconds(7)
                && error?.statusCode == status
        }
        // Asked once; what was not sent by then waits, and no page was asked for.
        #expect(asked.all == ["a"])
        let stored = batchMax == 1 ? ["a"] : ids
        #expect(server.contents.keys.sorted() == stored)
        #expect(server.state.withLock { $0.pullCount } == 0)
        let pending = try device.database.pendingOperations()
        #expect(pending.map(\.documentId).sorted() == ids)
        #expect(pending.count { $0.state == .sent } == stored.count)
        for (id, revision) in zip(ids, revisions) {
            let document = try await device.database.fetchDocument(id)
            #expect(document?.json == Self.members)
            #expect(document?.metaData.revision == revision)
        }
        backend.lookUpFailure = { _ in nil }
        let summary = try await device.replicate(backend) { $0.conflictHandler = Self.shouting }
        #expect(summary.pushed == 3 && summary.pulled == 0)
        #expect(server.state.withLock { $0.executedCount } == 3)
        for id in ids {
            #expect(server.contents[id] == Self.members)
            #expect(try await device.members(id) == Self.members)
        }
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test(arguments: [1, 64])
    func `are kept when the server fails on one look-up, and the others go on`(
        batchMax: Int
    ) async throws {
        let (device, server) = (try await Device(), ModelServer())
        var backend = ModelBackend(server: server)
        backend.answered = Self.stripped
        backend.batchMax = batchMax
        backend.lookUpFailure = { id in
            id == "a"
                ? ReplicationError(.serverFailed, "Something broke.", statusCode: 500) : nil
        }
        for id in ["a", "b", "c"] { try await device.put(id, Self.members) }
        server.put("theirs", [:])
        await #expect {
            try await device.replicate(backend) { $0.conflictHandler = Self.shouting }
        } throws: {
            ($0 as? ReplicationError)?.code == .serverFailed
        }
        #expect(try await device.members("theirs") == [:])
        #expect(try device.database.pendingOperations().map(\.documentId) == ["a"])
        backend.lookUpFailure = { _ in nil }
        try await device.replicate(backend) { $0.conflictHandler = Self.shouting }
        #expect(server.state.withLock { $0.executedCount } == 3)
        for id in ["a", "b", "c"] {
            #expect(server.contents[id] == Self.members)
            #expect(try await device.members(id) == Self.members)
        }
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test func `are looked up for one document when the server never shows them`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        var backend = ModelBackend(server: server)
        (backend.answered, backend.lookedUp) = (Self.stripped, Self.stripped)
        backend.listed = Self.stripped
        for index in 0..<20 { try await device.put("d\(index)", Self.members) }
        try await device.replicate(backend) { $0.concurrentRequestsMax = 1 }
        #expect(server.state.withLock { $0.lookUpCount } == SyncTuning.lookUpCountMax)
        #expect(try await device.members("d19") == Self.members)
        #expect(try await device.replicate(backend).pushed == 0)
    }

    @Test func `are sent again with each edit, also when only changes are sent`() throws {
        var base = BaseItem(presence: .live, version: "1", members: ["n": 1, "x": 1, "y": 1])
        base.unshown = ["x"]
        let sent = PendingChange.Sent(
            kind: .update, baseVersion: "1", members: ["n": 2, "x": 1, "y": 1], revision: nil)
        let operation = RemoteOperation(id: "a", sent: sent, base: base)
        #expect(operation.changedNames == ["n", "x"])
    }

    @Test func `that an answer once took away come back with a row of the same version`()
        async throws
    {
        let (device, server) = (try await Device(), ModelServer())
        var backend = ModelBackend(server: server)
        backend.listed = Self.stripped
        server.put("a", Self.members)
        try await device.replicate(backend)
        #expect(try await device.members("a") == ["text": "one"])
        // From the beginning, so that the row is read again.
        try await device.replicate(ModelBackend(server: server)) {
            $0.reconciling = .atStart
        }
        #expect(try await device.members("a") == Self.members)
        // A row that shows less says nothing new, and changes nothing.
        let before = try await revision(device)
        try await device.replicate(backend) { $0.reconciling = .atStart }
        #expect(try await revision(device) == before)
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test func `do not come back while an edit waits to be sent`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        var backend = ModelBackend(server: server)
        backend.listed = Self.stripped
        server.put("a", Self.members)
        try await device.replicate(backend)
        try await device.put("a", ["text": "mine"])
        try await device.replicate(ModelBackend(server: server)) {
            $0.isBidirectional = false
            $0.reconciling = .atStart
        }
        #expect(try await device.members("a") == ["text": "mine"])
    }

    @Test func `of an answer that was lost are none when a page comes first`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        var backend = ModelBackend(server: server)
        (backend.answered, backend.lookedUp, backend.listed) = (
            Self.stripped, Self.stripped, Self.stripped
        )
        // The operation is passed over, and the pull goes on.
        let script = Script<ModelBackend.Fault>([.none, .serverFailed], then: .none)
        backend.fault = { script.next() }
        try await device.put("a", Self.members)
        for _ in 1...3 {
            _ = try? await device.replicate(backend) { $0.conflictHandler = Self.shouting }
        }
        #expect(try device.database.replicationConflicts().isEmpty)
        #expect(try device.database.pendingOperations().isEmpty)
        #expect(try await device.members("a") == Self.members)
    }

    @Test func `of an answer that was lost are no conflict`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        var backend = ModelBackend(server: server)
        backend.answered = Self.stripped
        backend.lookedUp = { $0 }
        let script = Script<ModelBackend.Fault>([.answerLost], then: .none)
        backend.fault = { script.next() }
        try await device.put("a", Self.members)
        await #expect(throws: ReplicationError.self) { try await device.replicate(backend) }
        try await device.replicate(backend) { $0.conflictHandler = Self.shouting }
        #expect(try await device.members("a") == Self.members)
        #expect(server.state.withLock { $0.executedCount } == 1)
        // On a server that does not store them it is none either.
        let other = ModelServer()
        other.put("a", ["text": "one"])
        let second = try await Device()
        try await second.put("a", Self.members)
        let lost = Script<ModelBackend.Fault>([.requestLost], then: .none)
        var plain = ModelBackend(server: other)
        plain.fault = { lost.next() }
        await #expect(throws: ReplicationError.self) { try await second.replicate(plain) }
        try await second.replicate(plain) { $0.conflictHandler = Self.shouting }
        #expect(other.contents["a"] == Self.members)
        #expect(try await second.members("a") == Self.members)
    }

    private static let shouting = ConflictHandler { conflict in
        Issue.record("\(conflict.documentId) is no conflict.")
        return .leave
    }

    @Test func `of an item in conflict are looked up before the handler sees it`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        try await device.put("a", Self.members)
        try await device.replicate(server)
        try await device.put("a", Self.members.merging(["n": 2]) { $1 })
        server.put("a", Self.members.merging(["text": "two"]) { $1 })
        var backend = ModelBackend(server: server)
        backend.answered = Self.stripped
        backend.lookedUp = { $0 }
        try await device.replicate(backend) { $0.conflictHandler = .merge }
        let merged = Self.members.merging(["n": 2, "text": "two"]) { $1 }
        #expect(server.contents["a"] == merged)
        #expect(try await device.members("a") == merged)
    }

    // Another replication of the remote pulls while the operation is on its way.
    @Test func `of an item in conflict that a page has shown are not taken from it by an answer`()
        async throws
    {
        let (device, server) = (try await Device(), ModelServer())
        try await device.put("a", ["text": "one"])
        try await device.replicate(server)
        try await device.put("a", ["text": "mine"])
        server.put("a", ["text": "theirs", "y": 1])
        var backend = ModelBackend(server: server)
        backend.answered = Self.stripped
        backend.lookedUp = nil
        let isFirst = Script([true], then: false)
        backend.fault = {
            guard isFirst.next() else { return .none }
            await #expect(throws: Never.self) {
                try await device.database.replicateOnce(
                    with: try device.configuration { $0.isBidirectional = false },
                    using: ModelBackend(server: server))
            }
            return .none
        }
        try await device.replicate(backend) { $0.conflictHandler = .serverWins }
        #expect(try await device.members("a") == ["text": "theirs", "y": 1])
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test func `of an item in conflict are not taken from it by a page that leaves them out`()
        async throws
    {
        let (device, server) = (try await Device(), ModelServer())
        try await device.put("a", ["text": "one"])
        try await device.replicate(server)
        try await device.put("a", ["text": "mine"])
        server.put("a", ["text": "theirs", "y": 1])
        try await device.replicate(server)
        var backend = ModelBackend(server: server)
        backend.listed = Self.stripped
        try await device.replicate(backend) {
            $0.isBidirectional = false
            $0.reconciling = .atStart
        }
        let conflict = try #require(try device.database.replicationConflicts().first)
        #expect(conflict.server?.json == ["text": "theirs", "y": 1])
        // And one that it had left out comes with the next.
        server.put("a", ["text": "theirs", "y": 2])
        try await device.replicate(backend) { $0.isBidirectional = false }
        try await device.replicate(ModelBackend(server: server)) {
            $0.isBidirectional = false
            $0.reconciling = .atStart
        }
        let later = try #require(try device.database.replicationConflicts().first)
        #expect(later.server?.json == ["text": "theirs", "y": 2])
    }

    @Test func `inside an object are kept, too`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        var backend = ModelBackend(server: server)
        let strip: @Sendable (RemoteItem) -> RemoteItem = { item in
            var item = item
            if item.members["x"] != nil { item.members["x"] = ["a": 1] }
            return item
        }
        (backend.answered, backend.lookedUp, backend.listed) = (strip, strip, strip)
        try await device.put("a", Self.members)
        try await device.replicate(backend)
        #expect(try await device.members("a") == Self.members)
        try await device.replicate(ModelBackend(server: server)) { $0.reconciling = .atStart }
        #expect(try await device.members("a") == Self.members)
        #expect(try device.database.pendingOperations().isEmpty)
    }
}
