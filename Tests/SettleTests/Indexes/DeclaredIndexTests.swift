@testable import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `An index that was declared` {
    private static let declaration = Database.IndexDeclaration(
        name: "declared", version: "3", keys: [["n"]], value: ["m"], filter: ["n": ["$lt": 100]],
        reduce: .sum)

    @Test func `is known again when the database is opened without it`() async throws {
        let directory = try ScratchDirectory("declared")
        try await withDatabase(in: directory, indexes: [MapCalls().index("closure")]) {
            database async throws in
            try await database.addNumbers(0..<200)
            try await database.addIndex(Self.declaration.index)
            try await database.buildIndex(named: "closure")
        }
        for round in 1...2 {
            try await withDatabase(in: directory) { database async throws in
                #expect(database.indexNames == ["declared"])
                #expect(try database.storedIndexes() == [Self.declaration])
                try await database.add(["id": "new \(round)", "n": 50, "m": -1])
                #expect(try await database.keys(of: "declared").count == 100 + round)
                let sum = try await database.runQuery(on: "declared").rows.first?.value as? Int
                #expect(sum == -(0..<100).reduce(0, +) - round)
            }
        }
    }

    @Test func `and removed is not known again, and its pages are free`() async throws {
        let directory = try ScratchDirectory("declared")
        try await withDatabase(in: directory) { database async throws in
            try await database.addNumbers(0..<3_000)
            let all = Database.IndexDeclaration(name: "all", keys: [["n"], ["m"]])
            try await database.addIndex(all.index)
            let before = try database.statistics()
            let size = before.tables.filter { $0.name.contains("view/all/") }
                .reduce(0) { $0 + $1.sizeBytes }
            #expect(size > 40_000)
            try await database.removeIndex(named: "all")
            // The pages of a state can be used again when a later one is stored.
            try await database.add(["id": "later"])
            let after = try database.statistics()
            let left = after.tables.filter { $0.name.contains("view/all/") }
            #expect(left.allSatisfy { $0.rowCount == 0 })
            #expect(after.pagesFree - before.pagesFree > size / before.pageSizeBytes / 2)
            #expect(after.pagesUsed <= before.pagesUsed + 10)
            await #expect(throws: DatabaseError.self) {
                _ = try await database.runQuery(on: "all")
            }
            await #expect(throws: DatabaseError.self) {
                try await database.removeIndex(named: "all")
            }
        }
        try await withDatabase(in: directory) { database async throws in
            #expect(database.indexNames == [])
            #expect(try database.storedIndexes() == [])
            #expect(try database.indexStatuses() == [])
            #expect(try await database.check() == [])
        }
    }

    @Test func `gives way to what the application defines under its name`() async throws {
        let directory = try ScratchDirectory("declared")
        try await withDatabase(in: directory) { database async throws in
            try await database.addNumbers(0..<10)
            try await database.addIndex(Self.declaration.index)
        }
        let calls = MapCalls()
        try await withDatabase(in: directory, indexes: [calls.index("declared", of: "m")]) {
            database async throws in
            #expect(try await database.keys(of: "declared") == Array(-9...0))
            #expect(calls.total == 10)
            #expect(try database.storedIndexes() == [])
        }
        // Nothing is left of the declaration.
        try await withDatabase(in: directory) { database async throws in
            #expect(database.indexNames == [])
        }
    }

    @Test func `is listed with what was declared last`() async throws {
        let directory = try ScratchDirectory("declared")
        let changed = Database.IndexDeclaration(name: "declared", version: "3", keys: [["m"]])
        try await withDatabase(in: directory) { database async throws in
            try await database.addNumbers(0..<10)
            try await database.addIndex(Self.declaration.index)
            try await database.addIndex(changed.index)
            #expect(try database.storedIndexes() == [changed])
        }
        try await withDatabase(in: directory) { database async throws in
            #expect(try database.storedIndexes() == [changed])
            #expect(try await database.keys(of: "declared") == Array(-9...0))
        }
    }
}
