import Dispatch
import Foundation
import Settle
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct `Upkeep` {
    private let byKind = Database.Index.keyPaths(name: "kinds", version: "1", keys: [["kind"]])

    private func fill(_ database: Database) async throws {
        try await database.write { transaction in
            for number in 0..<2_000 {
                var document = Document(id: "d\(number)")
                document["kind"] = "k\(number % 7)"
                document["text"] = String(repeating: "x", count: 300)
                if number % 100 == 0 {
                    document.attachments = [
                        DocumentAttachment(
                            name: "f", contentType: "t",
                            data: Data(repeating: UInt8(number % 5), count: 100_000))
                    ]
                }
                try transaction.add(document)
            }
        }
        _ = try await database.runQuery(on: "kinds", with: QueryByKeyRange())
        try await database.write { transaction in
            for number in 0..<1_900 { try transaction.delete(documentWithId: "d\(number)") }
            try transaction.purge(documentsWithIds: (0..<1_000).map { "d\($0)" })
        }
    }

    @Test func `a check of a used database finds nothing and tells how far it is`() async throws {
        try await withDatabase(indexes: [byKind]) { database async throws in
            try await fill(database)
            let reports = Lock<[MaintenanceProgress]>([])
            let findings = try await database.check { report in
                reports.withLock { $0.append(report) }
            }
            #expect(findings == [])
            let seen = reports.withLock { $0 }
            #expect(seen.count > 10)
            #expect(seen.last.map { $0.completed == $0.total } == true)
            #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.completed <= $1.completed })
        }
    }

    @Test func `a compaction makes the file smaller and changes nothing else`() async throws {
        try await withDatabase(indexes: [byKind]) { database async throws in
            try await fill(database)
            let before = try database.read { try contents(of: $0) }
            let last = Lock<MaintenanceProgress?>(nil)
            let result = try await database.compact { report in last.withLock { $0 = report } }
            #expect(last.withLock { $0 }.map { $0.completed == $0.total && $0.total > 0 } == true)
            #expect(result.bytesAfter * 2 < result.bytesBefore)
            #expect(try database.read { try contents(of: $0) } == before)
            #expect(try await database.runQuery(on: "kinds", with: QueryByKeyRange()).count == 100)
            try await database.save(["id": "new", "kind": "k1"])
            #expect(try await database.runQuery(on: "kinds", with: QueryByKeyRange()).count == 101)
            #expect(try await database.check() == [])
        }
    }

    @Test func `a compaction goes on beside readers and writers`() async throws {
        try await withDatabase { database async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<4 {
                    group.addTask {
                        for number in 0..<50 {
                            try await database.save(["id": .init("t\(task)-\(number)")])
                            let isThere = try database.read {
                                try $0.document("t\(task)-\(number)") != nil
                            }
                            #expect(isThere)
                        }
                    }
                }
                for _ in 0..<5 { try await database.compact() }
                try await group.waitForAll()
            }
            #expect(try database.totalDocumentCount == 200)
            #expect(try await database.check() == [])
        }
    }

    @Test func `a backup is a database of one state`() async throws {
        let directory = try ScratchDirectory("backup")
        try await withDatabase(indexes: [byKind]) { database async throws in
            try await fill(database)
            let before = try database.read { try contents(of: $0) }
            let target = try await database.backup(to: directory.url, name: "copy")
            try await database.save(["id": "later"])
            let copy = try #require(try await Database.open(with: target))
            #expect(try copy.read { try contents(of: $0) } == before)
            #expect(try await copy.check() == [])
            #expect(copy.name == "copy")
            await copy.close()
            let error = await #expect(throws: DatabaseError.self) {
                try await database.backup(to: directory.url, name: "copy")
            }
            #expect(error?.code == .inputOutput)
        }
    }

    @Test func `statistics count documents, pages, tables, and readers`() async throws {
        try await withDatabase(indexes: [byKind]) { database async throws in
            try await fill(database)
            let statistics = try database.statistics()
            #expect(statistics.documentCount == 100)
            #expect(statistics.tombstoneCount == 900)
            #expect(statistics.pagesFree > 0 && statistics.pagesFree < statistics.pagesUsed)
            #expect(statistics.attachmentContentCount == 1)
            #expect(statistics.tables.first { $0.name == "documents" }?.rowCount == 1_000)
            #expect(statistics.readers.isEmpty)
            try database.read(named: "a long report") { _ in
                let inside = try database.statistics()
                #expect(inside.readers.map(\.name) == ["a long report"])
                #expect(inside.readers.allSatisfy { !$0.isLong && $0.age >= .zero })
            }
        }
    }

    /// Every document with its facts, and every change.
    private func contents(of snapshot: Snapshot) throws -> [String] {
        var lines: [String] = []
        try snapshot.forEachDocument(includingDeleted: true) { document in
            let attachments = try document.attachments.map { "\($0.name) \(try $0.data().count)" }
            let members = String(decoding: try document.toJSON(), as: UTF8.self)
            lines.append("\(document.id) \(document.metaData) \(members) \(attachments)")
            return true
        }
        for change in try snapshot.changes(since: 0).changes { lines.append("\(change)") }
        return lines
    }
}
