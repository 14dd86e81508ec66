import Foundation
import Settle
import SettleREST
import SettleSync
import Synchronization
import TestSupport
import Testing

/// What a replication by revisions cannot bring to one side or the other: it is listed, and the rest goes on.
@Suite struct `What a replication by revisions leaves` {
    private static func document(_ id: String, _ n: Int) -> Document {
        var document = Document(id: id)
        document["n"] = n
        return document
    }

    private func withPair(_ body: (RevisionWorld, Database, Database) async throws -> Void)
        async throws
    {
        try await withRevisionWorld(["a", "b"]) { world in
            let (a, b) = (try await world.database("a"), try await world.database("b"))
            try await body(world, a, b)
            #expect(try await a.check().isEmpty)
        }
    }

    private static let remote = "couchdb+http://face/b"

    @Test func `is listed with its reason and offered again at every start`() async throws {
        try await withPair { world, a, b in
            for number in 0..<20 { try await a.save(Self.document("\(number)", number)) }
            world.transport.refuse(["3", "15"])
            let first = try await world.replicate("a", with: "b")
            #expect(first.pushed == 18 && first.rejected == 2)
            let rejected = try a.rejectedOperations(with: Self.remote)
            #expect(rejected.map(\.documentId) == ["3", "15"])
            #expect(rejected.map(\.kind) == [.insert, .insert])
            #expect(
                rejected.map(\.state)
                    == Array(repeating: .rejected(reason: "forbidden: only on Fridays"), count: 2))
            #expect(try await world.replicate("a", with: "b").rejected == 2)
            world.transport.refuse(["3"])
            #expect(try await world.replicate("a", with: "b").pushed == 1)
            #expect(try a.pendingOperations().map(\.documentId) == ["3"])
            #expect(try await b.fetchDocument("15") != nil)
            // What is deleted here has nothing left to say but that.
            try await a.delete(documentWithId: "3")
            #expect(try await world.replicate("a", with: "b").rejected == 1)
            #expect(try a.rejectedOperations().map(\.kind) == [.delete])
            try await a.purge(documentsWithIds: ["3"])
            try await world.replicate("a", with: "b")
            #expect(try a.pendingOperations().isEmpty)
        }
    }

    @Test func `is listed when the filter delegate holds it back`() async throws {
        try await withPair { world, a, _ in
            let filter = Gate()
            a.replicationFilterDelegate = filter
            try await a.save(Self.document("x", 1))
            #expect(try await world.replicate("a", with: "b").withheld == 1)
            #expect(try a.pendingOperations().map(\.state) == [.withheld])
            filter.isOpen.withLock { $0 = true }
            #expect(try await world.replicate("a", with: "b").pushed == 1)
            #expect(try a.pendingOperations().isEmpty)
            withExtendedLifetime(filter) {}
        }
    }

    private final class Gate: ReplicationFilterDelegate {
        let isOpen = Mutex(false)

        func database(
            _ database: Database, shouldSendDocument document: Document,
            filterParameters: [String: Any]?
        ) -> Bool { isOpen.withLock { $0 } }
    }

    @Test func `is set aside and comes when it can be stored`() async throws {
        try await withPair { world, a, b in
            for number in 0..<20 { try await b.save(Self.document("\(number)", 7_000 + number)) }
            world.transport.replace("7013", by: "99999999999999999999")
            let first = try await world.replicate("a", with: "b")
            #expect(first.pulled == 19 && first.skipped == 1)
            let item = try #require(try a.setAsideItems().first)
            #expect(item.id == "13" && item.remote == Self.remote)
            // It is the same as before, and no news.
            #expect(try await world.replicate("a", with: "b").skipped == 0)
            world.transport.replace(nil)
            var changed = try #require(try await b.fetchDocument("13"))
            changed["m"] = 1
            try await b.save(changed)
            #expect(try await world.replicate("a", with: "b").pulled == 1)
            #expect(try a.setAsideItems().isEmpty)
            #expect(try await world.state(of: "a") == world.state(of: "b"))
        }
    }

    @Test func `leaves the list when it is deleted there`() async throws {
        try await withPair { world, a, b in
            try await b.save(Self.document("x", 7_013))
            world.transport.replace("7013", by: "99999999999999999999")
            try await world.replicate("a", with: "b")
            #expect(try a.setAsideItems().count == 1)
            try await b.delete(documentWithId: "x")
            try await world.replicate("a", with: "b")
            #expect(try a.setAsideItems().isEmpty)
        }
    }

    @Test func `shows the remote with how far it came`() async throws {
        try await withPair { world, a, b in
            try await a.save(Self.document("x", 1))
            try await b.save(Self.document("y", 1))
            try await world.replicate("a", with: "b")
            let remote = try #require(try a.replicationRemotes().first)
            #expect(remote.identifier == Self.remote && remote.isByRevisions)
            #expect(try remote.sequence == a.lastSequence && remote.carriesAttachments)
            #expect(remote.checkpoints.map(\.query) == ["channels "])
            #expect(remote.checkpoints.first?.token?.contains("1") == true)
        }
    }

    @Test(arguments: OperationWithdrawal.allCases)
    func `is given up when it is withdrawn`(_ withdrawal: OperationWithdrawal) async throws {
        try await withPair { world, a, b in
            try await a.save(Self.document("x", 1))
            try await world.replicate("a", with: "b")
            var changed = try #require(try await a.fetchDocument("x"))
            changed["n"] = 2
            try await a.save(changed)
            world.transport.refuse(["x"])
            try await world.replicate("a", with: "b")
            world.transport.refuse([])
            let operation = try #require(try a.rejectedOperations().first)
            if withdrawal == .takeTheirs {
                await #expect(throws: ReplicationError.self) {
                    try await a.withdraw(operation, withdrawal)
                }
            }
            let configuration = try world.configuration(with: "b")
            #expect(try await a.withdraw(operation, withdrawal, with: configuration))
            // It was, and is not any more.
            #expect(try await !a.withdraw(operation, withdrawal, with: configuration))
            #expect(try a.pendingOperations().isEmpty)
            #expect(try await world.replicate("a", with: "b").pushed == 0)
            let here = try await a.fetchDocument("x")?["n", as: Int.self]
            switch withdrawal {
            case .keepOurs: #expect(here == 2)
            case .takeTheirs:
                #expect(here == 1)
                #expect(try await world.state(of: "a") == world.state(of: "b"))
            case .dropBoth: #expect(here == nil)
            }
            #expect(try await b.fetchDocument("x")?["n", as: Int.self] == 1)
        }
    }

    @Test func `leaves the list when it is purged before much that is not offered`() async throws {
        try await withPair { world, a, b in
            try await a.save(Self.document("x", 1))
            world.transport.refuse(["x"])
            try await world.replicate("a", with: "b")
            #expect(try a.rejectedOperations().map(\.documentId) == ["x"])
            try await a.purge(documentsWithIds: ["x"])
            for number in 0..<40 { try await b.save(Self.document("\(number)", number)) }
            #expect(try await world.replicate("a", with: "b").pulled == 40)
            #expect(try a.pendingOperations().isEmpty)
        }
    }

    @Test func `is in the way of forgetting a remote`() async throws {
        try await withPair { world, a, b in
            for number in 0..<20 { try await b.save(Self.document("\(number)", number)) }
            try await world.replicate("a", with: "b")
            try await a.save(Self.document("own", 1))
            await #expect {
                try await a.purgeReplicatedDocuments(of: Self.remote)
            } throws: {
                ($0 as? ReplicationError)?.code == .pendingOperations
            }
            world.transport.refuse(["own"])
            try await world.replicate("a", with: "b")
            await #expect(throws: ReplicationError.self) {
                try await a.purgeReplicatedDocuments(of: Self.remote)
            }
            world.transport.refuse([])
            try await world.replicate("a", with: "b")
            #expect(try await a.purgeReplicatedDocuments(of: Self.remote) == 21)
            #expect(try a.read { try $0.document("own") } == nil)
            #expect(try await world.replicate("a", with: "b").pulled == 21)
            #expect(try await world.state(of: "a") == world.state(of: "b"))
        }
    }

    @Test func `is fetched from the beginning when checkpoints are removed`() async throws {
        try await withPair { world, a, b in
            try await b.save(Self.document("x", 1))
            try await world.replicate("a", with: "b")
            try await a.removePullCheckpoints(of: Self.remote)
            let again = try await world.replicate("a", with: "b")
            #expect(again.received == 1 && again.pulled == 0)
            #expect(try await world.replicate("a", with: "b").received == 0)
        }
    }

    @Test func `is not fetched from the beginning again by a pull that was cut`() async throws {
        try await withPair { world, a, b in
            for number in 0..<150 { try await a.add(Self.document("\(number)", number)) }
            try await world.replicate("a", with: "b")
            try await a.removePullCheckpoints(of: Self.remote)
            _ = world.transport.takeLog()
            // Behind the sixteenth of 22 pages, all of which are known.
            world.transport.cut(after: 23, .request)
            await #expect(throws: ReplicationError.self) {
                try await world.replicate("a", with: "b", direction: .serverToClient)
            }
            let lines = world.transport.takeLog()
            #expect((18..<22).contains(lines.count { $0.hasPrefix("GET /b/_changes") }))
            let again = try await world.replicate("a", with: "b")
            #expect(again.received == 150 - 16 * 7 && again.pulled == 0)
        }
    }

    @Test func `is not fetched again from a remote that only an earlier release met`() async throws
    {
        try await withPair { world, a, b in
            for number in 0..<10 { try await b.add(Self.document("\(number)", number)) }
            try await world.replicate("a", with: "b")
            // Those kept logs, and no record of a remote.
            try await a.write { transaction in
                for name in ["sync.remotes", "sync.checkpoints"] {
                    try transaction.sideTable(named: name).removeAll()
                }
            }
            #expect(try await world.replicate("a", with: "b").received == 0)
            #expect(try a.replicationRemotes().first?.checkpoints.first?.token != nil)
            try await b.save(Self.document("new", 1))
            #expect(try await world.replicate("a", with: "b").received == 1)
            try await a.removePullCheckpoints(of: Self.remote)
            #expect(try await world.replicate("a", with: "b").received == 11)
        }
    }
}
