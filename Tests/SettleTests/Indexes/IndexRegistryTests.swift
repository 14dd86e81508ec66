import Dispatch
@testable import Settle
import SettleIndexing
import SettleStorage
import TestSupport
import Testing

@Suite(.serialized) struct `The name of an index` {
    private static func index(_ version: Int) -> Database.Index {
        Database.Index(name: "i", version: "\(version)") { document, addIndexRow in
            addIndexRow((document["n"] as? Int).map { $0 + version * 1_000 }, nil)
        }
    }

    /// What a task does with the one name that all of them use.
    private enum Deed: CaseIterable {
        case add, remove, query, queryStale, build, list
    }

    private func run(_ deed: Deed, _ number: Int, on database: Database) async throws {
        do {
            switch deed {
            case .add: try await database.addIndex(Self.index(number))
            case .remove: try await database.removeIndex(named: "i")
            case .query, .queryStale:
                let keys = try await database.keys(of: "i", deed == .query ? .current : .stale)
                // All of one version, whichever it is.
                let base = (keys.first ?? 0) / 1_000 * 1_000
                let isWhole = keys == (0..<40).map { $0 + base }
                #expect(isWhole || deed == .queryStale && keys.isEmpty, "\(keys)")
            case .build: try await database.buildIndex(named: "i")
            case .list:
                for status in try database.indexStatuses() {
                    #expect(status.name == "i" && [0, 40].contains(status.rowCount))
                }
            }
        } catch let error as DatabaseError {
            // Another was faster.
            let known: [DatabaseError.Code] = [.indexNotFound, .indexChanged]
            #expect(known.contains(error.code), "\(error)")
        }
    }

    @Test func `may be added, removed, and asked by many tasks at once`() async throws {
        let seed = SeededGenerator()
        var random = seed
        try await withDatabase { database async throws in
            try await database.addNumbers(0..<40)
            for round in 0..<8 {
                let deeds = (0..<24).map { number in
                    (Deed.allCases.randomElement(using: &random) ?? .add, number + 1)
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (deed, number) in deeds {
                        group.addTask { try await run(deed, number, on: database) }
                    }
                    try await group.waitForAll()
                }
                // What is left is one index that answers, or none.
                let place = "\(seed), round \(round)"
                if database.indexNames.isEmpty {
                    await #expect(throws: DatabaseError.self, "\(place)") {
                        try await database.keys(of: "i")
                    }
                } else {
                    let keys = try await database.keys(of: "i")
                    let base = (keys.first ?? 0) / 1_000 * 1_000
                    #expect(keys == (0..<40).map { $0 + base }, "\(place)")
                    let status = try database.indexStatus(named: "i")
                    #expect(status.isDefined && status.isCurrent, "\(place)")
                }
                #expect(try await database.check() == [], "\(place)")
                try await database.addIndex(Self.index(99))
                #expect(try await database.keys(of: "i", .stale).first == 99_000, "\(place)")
                try await database.removeIndex(named: "i")
                #expect(try database.indexStatuses() == [], "\(place)")
            }
        }
    }

    @Test func `stays known when the index could not be removed`() async throws {
        let directory = try ScratchDirectory("registry")
        try await withDatabase(in: directory) { database async throws in
            try await database.addNumbers(0..<100)
            let index = MapCalls().index()
            try await database.addIndex(index)
            try await database.addNumbers(100..<200)
            // Catching up goes on while the index is being removed, so that it waits.
            let (hasBegun, mayGoOn) = (Inbox<Void>(), DispatchSemaphore(value: 0))
            let changed = MapCalls().index(version: "2") { call in
                guard call == 1 else { return }
                hasBegun.put(())
                mayGoOn.wait()
            }
            let adding = Task { try await database.addIndex(changed) }
            _ = await hasBegun.first()
            let known = database.indexes.entryIfThere(named: "i")?.number
            let removing = Task { try await database.removeIndex(named: "i") }
            while !database.indexNames.isEmpty { await Task.yield() }
            // Meanwhile the store goes.
            let closed = Inbox<Void>()
            DispatchQueue.global().async {
                database.store.close()
                closed.put(())
            }
            while (try? database.lastSequence) != nil { await Task.yield() }
            mayGoOn.signal()
            let result = await removing.result
            let error = #expect(throws: DatabaseError.self) { try result.get() }
            #expect(error?.code == .databaseClosed)
            _ = await adding.result
            _ = await closed.first()
            #expect(known != nil)
            #expect(database.indexNames == ["i"])
            #expect(database.indexes.entryIfThere(named: "i")?.number == known)
        }
        try await withDatabase(in: directory, indexes: [MapCalls().index()]) {
            database async throws in
            #expect(try database.indexStatus(named: "i").rowCount == 100)
            #expect(try await database.keys(of: "i") == Array(0..<200))
            #expect(try await database.check() == [])
        }
    }

    @Test func `is not given back to an old index when a new one has taken it`() throws {
        let registry = IndexRegistry()
        try registry.set(Self.index(1))
        let first = try registry.entry(named: "i")
        _ = registry.beginRemoval(of: "i")
        registry.endRemoval(of: "i")
        registry.restore(first)
        #expect(registry.isCurrent(first))
        _ = registry.beginRemoval(of: "i")
        registry.endRemoval(of: "i")
        try registry.set(Self.index(2))
        registry.restore(first)
        #expect(!registry.isCurrent(first))
        #expect(registry.definition(named: "i")?.version.hasPrefix("2") == true)
        #expect(registry.names == ["i"])
    }
}
