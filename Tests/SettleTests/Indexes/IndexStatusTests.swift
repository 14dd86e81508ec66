@testable import Settle
import SettleIndexing
import TestSupport
import Testing

@Suite(.serialized) struct `The status of an index` {
    @Test func `rises with its build, which tells how far it has come`() async throws {
        try await withDatabase { database async throws in
            try await database.addNumbers(0..<200)
            try await database.write { try $0.delete(documentWithId: "10000") }
            database.takeSmallSteps()
            #expect(try database.indexStatuses() == [])
            #expect(throws: DatabaseError.self) { try database.indexStatus(named: "i") }
            let reports = Gathered<MaintenanceProgress>()
            let reported = Inbox<MaintenanceProgress>()
            let gate = MapGate(atCall: 100)
            let building = Task {
                try await database.addIndex(MapCalls().index { gate.pass($0) }) { progress in
                    reports.add(progress)
                    reported.put(progress)
                }
            }
            try await gate.whileHeld { () async throws in
                _ = await reported.first()
                let during = try database.indexStatus(named: "i")
                #expect(during.isDefined && !during.isBuilt && !during.isCurrent)
                #expect(during.rowCount == 0 && during.sequence == 0 && during.reduce == nil)
                let progress = try #require(during.progress)
                #expect((1...200).contains(progress.completed) && progress.total == 200)
            }
            try await building.value
            let seen = reports.elements
            #expect(seen.count > 5)
            // Tombstones are looked at too.
            #expect(seen.map(\.completed) == seen.map(\.completed).sorted())
            #expect(seen.last == MaintenanceProgress(completed: 200, total: 200))
            let after = try database.indexStatus(named: "i")
            #expect(after.isDefined && after.isBuilt && after.isCurrent)
            #expect(after.rowCount == 199 && after.errorCount == 0 && after.progress == nil)
            #expect(try after.sequence == database.lastSequence && after.reduce == "_count")
            #expect(after.declaration == nil)
            try await database.addNumbers(200..<201)
            let later = try database.indexStatus(named: "i")
            #expect(later.isBuilt && !later.isCurrent && later.rowCount == 199)
        }
    }

    @Test func `says what it was declared as and how it reduces`() async throws {
        try await withDatabase { database async throws in
            try await database.addNumbers(0..<3)
            let declaration = Database.IndexDeclaration(
                name: "declared", version: "7", keys: [["n"]], value: ["m"],
                filter: ["n": ["$gt": 0]], reduce: .sum, collation: .raw)
            try await database.addIndex(declaration.index)
            try await database.addIndex(
                Database.Index(
                    name: "closure", version: "1", map: { $1($0.id, nil) },
                    reduce: { _, _, _ in 0 }))
            try await database.addIndex(
                Database.Index.views(name: "view", version: "1") { view, rows in
                    try rows.emit(view.id)
                })
            let statuses = try database.indexStatuses()
            #expect(statuses.map(\.name) == ["closure", "declared", "view"])
            #expect(statuses.map(\.declaration) == [nil, declaration, nil])
            #expect(statuses.map(\.version) == ["1", "7", "1"])
            #expect(statuses.map(\.reduce) == ["custom", "_sum", nil])
            #expect(statuses.map(\.rowCount) == [3, 2, 3])
            #expect(statuses.allSatisfy { $0.isCurrent && $0.isDefined })
            #expect(try database.storedIndexes() == [declaration])
        }
    }

    @Test func `tells of rows that nobody has a definition for`() async throws {
        let directory = try ScratchDirectory("status")
        try await withDatabase(in: directory, indexes: [MapCalls().index()]) {
            database async throws in
            try await database.addNumbers(0..<3)
            try await database.buildIndex(named: "i")
        }
        try await withDatabase(in: directory) { database async throws in
            let status = try database.indexStatus(named: "i")
            #expect(!status.isDefined && status.isBuilt && !status.isCurrent)
            #expect(status.rowCount == 3 && status.version == "1")
            #expect(database.indexNames == [])
            await #expect(throws: DatabaseError.self) {
                try await database.buildIndex(named: "i")
            }
            try await database.removeIndex(named: "i")
            #expect(try database.indexStatuses() == [])
        }
    }

    @Test func `has the version that its author gave, whatever else is compared`() {
        let filters: [Database.IndexFilter?] = [nil, [:], ["type": "order"], ["a": ["$gt": 1]]]
        let reductions: [IndexReduction] =
            [.none, .custom { _, _, _ in 0 }, .typed(.init(Int.self) { $0.count })]
            + Database.BuiltInReduce.allCases.map { .builtIn($0) }
        for version in ["", "1", "2.0 beta", " ", "_sum", "{", "}", "a_count", "1 2 3"] {
            for reduction in reductions {
                for filter in filters {
                    let identity = reduction.identity(version: version, filter: filter)
                    let reducer =
                        switch reduction {
                        case .none: ""
                        case .custom, .typed: "custom"
                        case .builtIn(let function): function.kind.rawValue
                        }
                    let found = IndexReduction.version(ofIdentity: identity, reducer: reducer)
                    #expect(found == version, "\(identity)")
                }
            }
        }
    }

    @Test func `has the version of its definition, not of older rows`() async throws {
        let directory = try ScratchDirectory("status")
        let index = Database.Index.views(
            name: "i", version: "old one", filter: ["n": ["$gte": 0]], builtInReduce: .count
        ) { view, rows in try rows.emit(view.id) }
        try await withDatabase(in: directory, indexes: [index]) { database async throws in
            try await database.addNumbers(0..<3)
            try await database.buildIndex(named: "i")
            #expect(try database.indexStatus(named: "i").version == "old one")
            let gate = MapGate()
            let adding = Task {
                try await database.addIndex(MapCalls().index(version: "new") { gate.pass($0) })
            }
            try await gate.whileHeld { () async throws in
                #expect(try database.indexStatus(named: "i").version == "new")
            }
            try await adding.value
            try await database.addIndex(index)
        }
        try await withDatabase(in: directory) { database async throws in
            #expect(try database.indexStatus(named: "i").version == "old one")
        }
    }
}
