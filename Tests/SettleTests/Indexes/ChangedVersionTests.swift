@testable import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `An index whose version changed` {
    /// The tables of an index that hold something, by slot.
    private func usedSlots(_ database: Database, _ index: String) throws -> Set<Substring> {
        let tables = try database.statistics().tables.filter {
            $0.name.contains("view/\(index)/") && $0.rowCount > 0
        }
        return Set(tables.compactMap { $0.name.split(separator: "/").dropLast().last })
    }

    @Test func `answers from the old rows until the new ones are complete`() async throws {
        try await withDatabase { database async throws in
            try await database.addNumbers(0..<20)
            try await database.addIndex(MapCalls().index(of: "n"))
            let before = try usedSlots(database, "i")
            #expect(before.count == 1)
            let gate = MapGate()
            let changed = MapCalls().index(version: "2", of: "m") { gate.pass($0) }
            let answered = Gathered<[Int]>()
            let building = Task { try await database.addIndex(changed) }
            let current = try await gate.whileHeld { () async throws in
                let current = Task {
                    let keys = try await database.keys(of: "i", .current)
                    answered.add(keys)
                    return keys
                }
                #expect(try await database.keys(of: "i", .stale) == Array(0..<20))
                #expect(try await database.keys(of: "i", .staleThenUpdate) == Array(0..<20))
                let status = try database.indexStatus(named: "i")
                #expect(status.isBuilt && !status.isCurrent && status.rowCount == 20)
                #expect(answered.elements.isEmpty)
                return current
            }
            #expect(try await current.value == Array(-19...0))
            try await building.value
            #expect(try await database.keys(of: "i", .stale) == Array(-19...0))
            let after = try usedSlots(database, "i")
            #expect(after.count == 1 && after != before)
            #expect(try await database.check() == [])
        }
    }

    @Test func `sums up old rows as its present function does`() async throws {
        try await withDatabase { database async throws in
            try await database.addNumbers(0..<20)
            try await database.addIndex(
                Database.Index.keyPaths(name: "i", keys: [["n"]], value: ["n"], reduce: .sum))
            let (calls, gate) = (MapCalls(), MapGate())
            let changed = Database.Index(
                name: "i", version: "2",
                map: { document, addIndexRow in
                    gate.pass(calls.note(document.id))
                    addIndexRow(document["n"], 1)
                }, reduce: { _, values, _ in values.compactMap { $0 as? Int }.max() ?? -1 })
            let building = Task { try await database.addIndex(changed) }
            try await gate.whileHeld { () async throws in
                var query = QueryByKeyRange()
                query.freshness = .stale
                let rows = try await database.runQuery(on: "i", with: query).rows
                #expect(rows.map { $0.value as? Int } == [19])
                building.cancel()
            }
            let rows = try await database.runQuery(on: "i").rows
            #expect(rows.map { $0.value as? Int } == [1])
        }
    }

    @Test func `has no rows at all when there was none before it`() async throws {
        try await withDatabase { database async throws in
            try await database.addNumbers(0..<20)
            let gate = MapGate()
            let building = Task {
                try await database.addIndex(MapCalls().index { gate.pass($0) })
            }
            try await gate.whileHeld { () async throws in
                for freshness in [QueryFreshness.stale, .staleThenUpdate] {
                    var query = QueryByKeyRange()
                    query.freshness = freshness
                    let answer = try await database.runQuery(on: "i", with: query)
                    #expect(answer.count == 0 && answer.sequence == 0)
                }
                building.cancel()
            }
            #expect(try await database.keys(of: "i") == Array(0..<20))
        }
    }

    @Test func `is mapped anew and leaves its siblings alone`() async throws {
        let directory = try ScratchDirectory("siblings")
        let (changing, sibling) = (MapCalls(), MapCalls())
        let other = sibling.index("sibling", of: "m")
        try await withDatabase(
            in: directory, indexes: [changing.index("changing"), other]
        ) { database async throws in
            try await database.addNumbers(0..<50)
            _ = try await database.runQuery(on: "sibling")
            sibling.reset()
            try await database.addIndex(changing.index("changing", version: "2", of: "m"))
            #expect(try await database.keys(of: "changing") == Array(-49...0))
            #expect(sibling.total == 0)
        }
        try await withDatabase(
            in: directory, indexes: [changing.index("changing", version: "3"), other]
        ) { database async throws in
            #expect(try await database.keys(of: "changing") == Array(0..<50))
            #expect(try await database.keys(of: "sibling") == Array(-49...0))
            try await database.removeIndex(named: "changing")
            #expect(try await database.keys(of: "sibling") == Array(-49...0))
        }
        #expect(sibling.total == 0)
    }

    @Test func `keeps its rows when it comes back unchanged`() async throws {
        try await withDatabase { database async throws in
            try await database.addNumbers(0..<50)
            let calls = MapCalls()
            for _ in 0..<3 { try await database.addIndex(calls.index()) }
            #expect(calls.total == 50)
            try await database.addIndex(calls.index(version: "2"))
            #expect(calls.total == 100)
        }
    }
}

@Suite(.serialized) struct `A query that takes what is there` {
    @Test func `is answered at once and sees the update later`() async throws {
        try await withDatabase { database async throws in
            try await database.addNumbers(0..<10)
            try await database.addIndex(MapCalls().index())
            let sequence = try database.lastSequence
            try await database.addNumbers(10..<20)
            try await withHeldWriter(of: database) { () async throws in
                for freshness in [QueryFreshness.stale, .staleThenUpdate] {
                    var query = QueryByKeyRange()
                    query.freshness = freshness
                    let answer = try await database.runQuery(on: "i", with: query)
                    #expect(answer.sequence == sequence, "\(freshness)")
                    #expect(answer.rows.map { $0.value as? Int } == [10], "\(freshness)")
                    #expect(try !database.indexStatus(named: "i").isCurrent)
                }
            }
            try await database.indexIsCurrent("i")
            #expect(try await database.keys(of: "i", .stale) == Array(0..<20))
        }
    }

    @Test func `alone brings nothing up to date`() async throws {
        try await withDatabase { database async throws in
            let calls = MapCalls()
            try await database.addIndex(calls.index())
            try await database.addNumbers(0..<10)
            #expect(try await database.keys(of: "i", .stale) == [])
            #expect(calls.total == 0)
            #expect(try await database.keys(of: "i", .current) == Array(0..<10))
            #expect(calls.total == 10)
        }
    }
}
