import Dispatch
import Settle
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct `Transactions` {
    private struct Refused: Error {}

    @Test func `are all or nothing`() async throws {
        try await withDatabase { database async throws in
            await #expect(throws: Refused.self) {
                try await database.write { transaction in
                    try transaction.add(["id": "a"])
                    throw Refused()
                }
            }
            #expect(try database.totalDocumentCount == 0)
            try await database.write { transaction in
                try transaction.add(["id": "a"])
                try transaction.add(["id": "b"])
                #expect(try transaction.document("a") != nil)
                #expect(transaction.changes.map(\.documentId) == ["a", "b"])
            }
            #expect(try database.totalDocumentCount == 2)
        }
    }

    @Test func `may go on after an error they caught`() async throws {
        try await withDatabase { database async throws in
            try await database.add(["id": "a", "n": 1])
            try await database.write { transaction in
                do {
                    try transaction.add(["id": "a"])
                    Issue.record("A document was added twice.")
                } catch let error as DatabaseError {
                    #expect(error.code == .documentExists)
                }
                try transaction.add(["id": "b"])
            }
            #expect(try database.totalDocumentCount == 2)
        }
    }

    @Test func `a snapshot does not see what is written meanwhile`() async throws {
        try await withDatabase { database async throws in
            try await database.add(["id": "a", "n": 1])
            let isStored = DispatchSemaphore(value: 0)
            try database.read { snapshot in
                database.save(["id": "a", "n": 2]) { _ in isStored.signal() }
                isStored.wait()
                #expect(snapshot.sequence == 1)
                let seen = try snapshot.document("a")?.integer("n")
                #expect(seen == 1)
            }
            #expect(try database.read { try $0.document("a")?.integer("n") } == 2)
        }
    }

    /// Counts changes in a table of its own, and refuses documents named "evil".
    private final class Auditor: CommitParticipant {
        func willCommit(_ changes: [DocumentChange], in transaction: Transaction) throws {
            let table = try transaction.sideTable(named: "audit")
            for change in changes {
                if change.documentId == "evil" { throw Refused() }
                let before = try transaction.previous(change.documentId)?.integer("n") ?? 0
                try table.set([UInt8(before)], for: Array(change.documentId.utf8))
            }
        }
    }

    @Test func `are joined by participants, in the same commit`() async throws {
        try await withDatabase { database async throws in
            let auditor = Auditor()
            database.addParticipant(auditor)
            database.addParticipant(auditor)
            func audited() throws -> [String: UInt8] {
                var rows: [String: UInt8] = [:]
                try database.read { snapshot in
                    try snapshot.table("audit")?.forEach { key, value in
                        rows[String(decoding: key, as: UTF8.self)] = value.first
                        return true
                    }
                }
                return rows
            }
            try await database.save(["id": "a", "n": 5])
            try await database.save(["id": "a", "n": 6])
            #expect(try audited() == ["a": 5])
            await #expect(throws: Refused.self) {
                try await database.write { transaction in
                    try transaction.save(["id": "b", "n": 1])
                    try transaction.save(["id": "evil"])
                }
            }
            #expect(try audited() == ["a": 5])
            #expect(try database.totalDocumentCount == 1)
            database.removeParticipant(auditor)
            try await database.save(["id": "evil"])
            #expect(try audited() == ["a": 5])
        }
    }

    @Test func `side tables keep bytes in the order of their keys`() async throws {
        try await withDatabase { database async throws in
            try await database.write { transaction in
                let table = try transaction.sideTable(named: "mine")
                for key in [[2], [1], [1, 1], [3]] as [[UInt8]] { try table.set(key, for: key) }
                #expect(try table.remove([3]))
                #expect(try !table.remove([3]))
                #expect(try table.count == 3)
                let first = try table.firstKey()
                #expect(first == [1])
                for key in [[], [UInt8](repeating: 1, count: 481)] as [[UInt8]] {
                    do {
                        try table.set([], for: key)
                        Issue.record("A key of \(key.count) bytes was taken.")
                    } catch let error as DatabaseError {
                        #expect(error.code == .invalidSideTableKey)
                    }
                }
            }
            var keys: [[UInt8]] = []
            try database.read { snapshot in
                #expect(try snapshot.table("other") == nil)
                try snapshot.table("mine")?.forEach(from: [1, 0]) { key, _ in
                    keys.append(key)
                    return true
                }
            }
            #expect(keys == [[1, 1], [2]])
            try database.read { snapshot in
                let table = try #require(try snapshot.table("mine"))
                for (start, expected) in [
                    ([], [1]), ([1], [1]), ([1, 0], [1, 1]), ([2], [2]), ([2, 0], nil),
                ] as [([UInt8], [UInt8]?)] {
                    let found = try table.firstKey(from: start)
                    #expect(found == expected, "from \(start)")
                }
            }
        }
    }
}

@Suite(.serialized) struct `Changes` {
    private final class Listener: DatabaseChangeDelegate {
        let inbox = Inbox<[DocumentChangedDetails]>()
        func database(_ database: Database, documentsChanged: [DocumentChangedDetails]) {
            inbox.put(documentsChanged)
        }
    }

    @Test func `reach the delegate once a commit, each document once`() async throws {
        try await withDatabase { database async throws in
            let listener = Listener()
            database.databaseChangeDelegate = listener
            try await database.write { transaction in
                try transaction.save(["id": "a"])
                try transaction.save(["id": "b"])
                try transaction.delete(documentWithId: "a")
            }
            #expect(
                await listener.inbox.first() == [
                    DocumentChangedDetails(
                        documentId: "b", isFromReplication: false, isDeleted: false),
                    DocumentChangedDetails(
                        documentId: "a", isFromReplication: false, isDeleted: true),
                ])
            try await database.write { try $0.store(["id": "c"], from: "remote") }
            #expect(await listener.inbox.first()?.map(\.isFromReplication) == [true])
        }
    }

    @Test func `are listed since a sequence and streamed from now on`() async throws {
        try await withDatabase { database async throws in
            var stream = database.commits.makeAsyncIterator()
            try await database.add(["id": "a"])
            try await database.add(["id": "b"])
            try await database.save(["id": "a", "n": 1])
            try await database.write { try $0.storeDeletion(ofDocumentWithId: "b", from: "far") }
            let all = try database.changeBatch(since: 0)
            #expect(all.changes.map(\.documentId) == ["a", "b"])
            #expect(all.changes.map(\.sequence) == [3, 4] && all.lastSequence == 4)
            #expect(all.changes[1].isDeleted && all.changes[1].origin == "far")
            let first = try database.changeBatch(since: 0, limit: 1)
            #expect(first.changes.map(\.documentId) == ["a"] && first.lastSequence == 3)
            #expect(try database.changeBatch(since: first.lastSequence).changes.count == 1)
            #expect(try database.changeBatch(since: 99).lastSequence == 99)
            for sequence in 1...4 as ClosedRange<UInt64> {
                #expect(await stream.next()?.changes.map(\.sequence) == [sequence])
            }
        }
    }
}
