import Foundation
import Settle
import SettlePrimitives
import SettleSync
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct `Conflicts between leaves` {
    /// A database in which `d` has a leaf of this device and two that came from elsewhere.
    private func withConflict(_ body: (Database) async throws -> Void) async throws {
        let directory = try ScratchDirectory("leaves")
        let configuration = Database.OpenDatabaseConfiguration(
            name: "test", fileLocation: directory.url)
        let database = try await Database.openOrCreate(configuration)
        try await database.write { transaction in
            try transaction.save(["id": "d", "mine": 1, "both": "here"])
            try transaction.store(
                ["id": "d", "theirs": 2, "both": "there"], revisions: ["2-b", "1-b"], from: "r")
            try transaction.store(["id": "d", "other": 3], revisions: ["1-c"], from: "r")
        }
        try await body(database)
        await database.close()
    }

    @Test func `are decided by the handlers that tables have`() async throws {
        let expected: [(ConflictHandler, [String: JSONValue]?)] = [
            (.localWins, ["mine": 1, "both": "here"]),
            // The last that is asked about: the leaf that loses to all others.
            (.serverWins, ["other": 3]),
            (.leave, nil),
        ]
        for (handler, members) in expected {
            try await withConflict { database async throws in
                let isResolved = try await database.resolveConflicts(of: "d", with: handler)
                #expect(isResolved == (members != nil))
                let winner = try await database.fetchDocument("d")
                #expect(winner?.json == members ?? ["theirs": 2, "both": "there"])
                #expect(try database.conflictedDocuments().isEmpty == (members != nil))
                #expect(try await database.check() == [])
            }
        }
    }

    @Test func `are merged member by member, one leaf after the other`() async throws {
        try await withConflict { database async throws in
            #expect(try await database.resolveAllConflicts(with: .merge) == 1)
            let members = try await database.fetchDocument("d")?.json
            #expect(members?["mine"] == 1 && members?["theirs"] == 2 && members?["other"] == 3)
            #expect(try await database.conflicts(of: "d") == [])
            #expect(try await database.resolveAllConflicts(with: .merge) == 0)
            #expect(try await database.resolveConflicts(of: "none", with: .merge))
        }
    }

    @Test
    func `are shown to a closure, which may add documents, and asked about again after a change`()
        async throws
    {
        try await withConflict { database async throws in
            let asked = Lock(0)
            let handler = ConflictHandler(mayStop: false) { conflict in
                let count = asked.withLock { count -> Int in
                    count += 1
                    return count
                }
                #expect(conflict.base == nil && conflict.remote == "r")
                if count == 1 {
                    // Meanwhile another leaf comes.
                    try await database.write { transaction in
                        _ = try transaction.store(
                            ["id": "d"], revisions: ["1-e"], from: "r")
                    }
                }
                return .useAndAdd(["id": "ignored", "n": count], [["id": "note"]])
            }
            #expect(try await database.resolveConflicts(of: "d", with: handler))
            // Two leaves at first, and then three.
            #expect(asked.withLock { $0 } == 5)
            #expect(try await database.fetchDocument("d")?.json == ["n": 5])
            #expect(try await database.fetchDocument("note") != nil)
            #expect(try await database.fetchDocument("ignored") == nil)
        }
    }

    @Test func `are left with all of it when the handler throws`() async throws {
        try await withConflict { database async throws in
            let handler = ConflictHandler { _ in throw CancellationError() }
            await #expect(throws: CancellationError.self) {
                try await database.resolveConflicts(of: "d", with: handler)
            }
            #expect(try await database.conflicts(of: "d").count == 2)
        }
    }
}
