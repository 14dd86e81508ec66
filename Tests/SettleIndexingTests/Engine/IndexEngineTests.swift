import SettleDocuments
import SettlePrimitives
import SettleStorage
import Synchronization
import TestSupport
import Testing

@testable import SettleIndexing

@Suite(.serialized) struct `The engine of indexes` {
    /// What a test sees of an index that it hands to the engine.
    private final class Seen: Sendable {
        let mapped = Lock<[String: Int]>([:])
        let applied = Lock<[RowChanges]>([])
        let isCurrent = Atomic(true)

        /// An index with the rows of ``TestIndex``, whose calls are counted.
        func index(version: String = "1", number: Int = 1) -> RegisteredIndex {
            let plain = TestIndex.definition(.builtIn(.count), version: version)
            let counting = IndexDefinition(
                name: plain.name, version: version, collation: plain.collation,
                reducer: plain.reducer
            ) { id, record, rows in
                let text = String(decoding: id.rest(from: 0), as: UTF8.self)
                self.mapped.withLock { $0[text, default: 0] += 1 }
                try plain.map(id, record, rows)
            }
            return RegisteredIndex(
                counting, number: number,
                isCurrent: { self.isCurrent.load(ordering: .relaxed) },
                applied: { rows in self.applied.withLock { $0.append(rows) } })
        }
    }

    private func engine(of index: TestIndex) -> IndexEngine {
        let engine = IndexEngine(index.store, directory: index.directory.path)
        engine.pace.withLock { pace in
            pace.rangeCount = 8
            pace.storeCountMax = 20
            pace.mergeCountMax = 30
            pace.changeCountMax = 7
        }
        return engine
    }

    private func sequence(_ index: TestIndex) throws -> UInt64 {
        try index.store.read("test") { $0.lastSequence }
    }

    private func expectWhole(_ index: TestIndex, _ registered: RegisteredIndex) throws {
        let state = try #require(try index.state(of: registered.definition))
        #expect(try state.isWhole && state.sequence == sequence(index))
        // The check maps all documents, which is not to be counted.
        #expect(try index.findings(TestIndex.definition(.builtIn(.count))) == [])
    }

    @Test func `builds in small steps, catches up in smaller ones, and maps nothing twice`()
        async throws
    {
        let (index, seen) = (try TestIndex(), Seen())
        for number in 0..<100 { try await index.put("d\(number)", [(.integer(1), nil)]) }
        let (engine, registered) = (engine(of: index), seen.index())
        let reports = Lock<[IndexProgress]>([])
        try await engine.bringUpToDate(registered, to: try sequence(index)) { progress in
            reports.withLock { $0.append(progress) }
        }
        try expectWhole(index, registered)
        #expect(seen.mapped.withLock { $0.count == 100 && $0.values.allSatisfy { $0 == 1 } })
        #expect(reports.withLock { $0.last?.completed } == 100)
        #expect(engine.progress(of: registered.number) == nil)
        for number in 0..<30 { try await index.put("d\(number)", [(.integer(2), nil)]) }
        try await index.delete("d50")
        try await engine.bringUpToDate(registered, to: try sequence(index))
        try expectWhole(index, registered)
        // Of 7 changes, of 14, and of the 10 that are left: each pass takes twice as many.
        #expect(seen.applied.withLock { $0.count } == 3)
        #expect(seen.mapped.withLock { $0.values.reduce(0, +) } == 130)
        await engine.stop()
        engine.close()
    }

    @Test func `does one piece of work for all who wait`() async throws {
        let (index, seen) = (try TestIndex(), Seen())
        for number in 0..<200 { try await index.put("d\(number)", [(.integer(1), nil)]) }
        let (engine, registered) = (engine(of: index), seen.index())
        let end = try sequence(index)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { try await engine.bringUpToDate(registered, to: end) }
            }
            try await group.waitForAll()
        }
        try expectWhole(index, registered)
        #expect(seen.mapped.withLock { $0.values.allSatisfy { $0 == 1 } })
    }

    @Test func `gives up what was replaced, and everything after its end`() async throws {
        let (index, seen) = (try TestIndex(), Seen())
        try await index.put("d", [(.integer(1), nil)])
        let engine = engine(of: index)
        seen.isCurrent.store(false, ordering: .relaxed)
        await #expect(throws: IndexError.replaced(name: "test")) {
            try await engine.bringUpToDate(seen.index(), to: 1)
        }
        seen.isCurrent.store(true, ordering: .relaxed)
        await engine.stop()
        let error = await #expect(throws: StorageError.self) {
            try await engine.bringUpToDate(seen.index(number: 2), to: 1)
        }
        guard case .closed? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `follows few changes within their transaction, and leaves the rest alone`()
        async throws
    {
        let (index, seen) = (try TestIndex(), Seen())
        try await index.put("d", [(.integer(1), nil)])
        let (engine, registered) = (engine(of: index), seen.index())
        let body = try TestIndex.body([(.integer(2), nil)])
        /// Changes documents and follows; answers whether rows were changed.
        func follow(_ ids: [String]) async throws -> Bool {
            try await index.store.write { transaction in
                for id in ids {
                    _ = try transaction.put(id, body: body, precondition: .none, origin: nil)
                }
                let rows = try engine.follow(
                    registered.definition, countMax: 2, in: transaction)
                return rows != nil
            }
        }
        // There are no rows yet.
        #expect(try await !follow(["a"]))
        try await engine.bringUpToDate(registered, to: try sequence(index))
        #expect(try await follow(["a", "b"]))
        try expectWhole(index, registered)
        #expect(try await !follow(["a", "b", "c"]))
        try await engine.remove(named: "test")
        #expect(try index.state(of: registered.definition) == nil)
    }
}
