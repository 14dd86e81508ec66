@testable import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `An index that another process declares` {
    private func declaration(
        _ name: String, of member: String = "n"
    ) -> Database.IndexDeclaration {
        Database.IndexDeclaration(name: name, keys: [[member]], value: ["n"], reduce: .sum)
    }

    private func code(
        _ body: () async throws -> Void, isolation: isolated (any Actor)? = #isolation
    ) async -> DatabaseError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? DatabaseError)?.code
        }
    }

    @Test func `is known without opening the database again, whatever is asked first`()
        async throws
    {
        try await withDatabase { database async throws in
            try await database.addNumbers(0..<5)
            let none = database.observeQuery(on: "observed") { _ in }
            #expect(none == nil)
            for name in ["asked", "stale", "observed", "built", "reduced", "listed"] {
                try await database.buildElsewhere(declaration(name))
            }
            #expect(database.indexNames == [])
            #expect(try await database.keys(of: "asked") == Array(0..<5))
            #expect(try await database.keys(of: "stale", .stale) == Array(0..<5))
            let sums = Inbox<Int>()
            let observer = database.observeQuery(on: "observed") { result in
                sums.put(result.rows.first?.value as? Int ?? -1)
            }
            #expect(observer != nil)
            #expect(await sums.first() == 10)
            try await database.add(["id": "more", "n": 5])
            #expect(await sums.first { $0 == 15 } == 15)
            observer?.end()
            try await database.buildIndex(named: "built")
            #expect(try database.hasReducer(ofIndexNamed: "reduced") == true)
            #expect(database.indexNames == ["asked", "built", "observed", "reduced", "stale"])
            let listed = try #require(
                try database.indexStatuses().first { $0.name == "listed" })
            #expect(listed.isDefined && listed.isBuilt)
            #expect(try await database.keys(of: "listed") == Array(0...5))
            #expect(try database.hasReducer(ofIndexNamed: "none") == nil)
            #expect(await code { _ = try await database.keys(of: "none") } == .indexNotFound)
        }
    }

    @Test func `replaces one that lives by the file, and removes it for good`() async throws {
        try await withDatabase { database async throws in
            try await database.addNumbers(0..<5)
            try await database.addStoredIndex(declaration("i"))
            #expect(try await database.keys(of: "i") == Array(0..<5))
            try await database.buildElsewhere(declaration("i", of: "m"))
            #expect(try await database.keys(of: "i") == Array(-4...0))
            #expect(try database.storedIndexes() == [declaration("i", of: "m")])
            for freshness in QueryFreshness.allCases {
                try await database.addStoredIndex(declaration("i"))
                try await database.removeElsewhere(named: "i")
                #expect(
                    await code { _ = try await database.keys(of: "i", freshness) }
                        == .indexNotFound)
                #expect(database.indexNames == [])
            }
            try await database.addStoredIndex(declaration("i"))
            try await database.removeElsewhere(named: "i")
            #expect(try database.storedIndexes() == [])
            #expect(database.indexNames == [])
        }
    }

    @Test func `is not asked for rows by a declaration that is no longer its own`() async throws {
        try await withDatabase { database async throws in
            try await database.addNumbers(0..<5)
            let (first, second) = (declaration("i"), declaration("i", of: "m"))
            try await database.addStoredIndex(first)
            var rows = QueryByKeyRange()
            rows.reduce = false
            #expect(try await database.runQuery(on: first, with: rows).count == 5)
            try await database.buildElsewhere(second)
            #expect(
                await code { _ = try await database.runQuery(on: first, with: rows) }
                    == .indexChanged)
            #expect(try await database.runQuery(on: second, with: rows).count == 5)
            // While it is rebuilt, stale rows are those of the other.
            try database.indexes.set(first.index)
            rows.freshness = .stale
            #expect(try await database.keys(of: "i", .stale) == Array(-4...0))
            #expect(
                await code { _ = try await database.runQuery(on: first, with: rows) }
                    == .indexChanged)
        }
    }

    @Test func `is not taken over while this one removes it`() async throws {
        try await withDatabase { database async throws in
            try await database.addNumbers(0..<5)
            try await database.addIndex(declaration("i").index)
            let stored = try #require(try database.storedDefinitions().first)
            let registry = IndexRegistry()
            let before = registry.removals(of: "i")
            _ = registry.beginRemoval(of: "i")
            let during = registry.removals(of: "i")
            registry.addStored(stored, unlessRemovedSince: before)
            registry.addStored(stored, unlessRemovedSince: during)
            #expect(registry.names == [])
            registry.endRemoval(of: "i")
            registry.addStored(stored, unlessRemovedSince: before)
            registry.addStored(stored, unlessRemovedSince: during)
            #expect(registry.names == [])
            registry.addStored(stored, unlessRemovedSince: registry.removals(of: "i"))
            #expect(registry.names == ["i"])
        }
    }
}
