import Dispatch
@testable import Settle
@testable import SettleIndexing
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct `A build that is broken off` {
    /// A map closure that stops at a call and tells of it.
    private struct Halt: Sendable {
        let calls = MapCalls()
        let hasBegun = Inbox<Void>()
        let mayGoOn = DispatchSemaphore(value: 0)

        func index(version: String = "1", at call: Int) -> Database.Index {
            calls.index(version: version) { number in
                guard number == call else { return }
                hasBegun.put(())
                mayGoOn.wait()
            }
        }
    }

    private func code(of task: Task<some Any, any Error>) async -> DatabaseError.Code? {
        guard case .failure(let error) = await task.result else { return nil }
        return (error as? DatabaseError)?.code
    }

    @Test func `by closing tells all who wait, and maps only a few documents more`()
        async throws
    {
        let directory = try ScratchDirectory("broken-off")
        let halt = Halt()
        try await withDatabase(in: directory) { database async throws in
            try await database.addNumbers(0..<4_000)
            database.indexEngine.pace.withLock { $0.workerCount = 1 }
            let adding = Task { try await database.addIndex(halt.index(at: 200)) }
            _ = await halt.hasBegun.first()
            let joined = (0..<3).map { _ in
                Task { try await database.buildIndex(named: "i") }
            }
            let asked = (0..<3).map { _ in Task { _ = try await database.runQuery(on: "i") } }
            let closing = Task { await database.close() }
            // New work is refused as soon as what goes on is to be broken off.
            let other = -1
            while (try? await database.indexEngine.jobs.join(other, { _ in })) != nil {
                await Task.yield()
            }
            halt.mayGoOn.signal()
            await closing.value
            for task in [adding] + joined + asked {
                let code = await code(of: task)
                #expect(code == .databaseClosed)
            }
            #expect(halt.calls.total < 4_000)
        }
        let calls = MapCalls()
        try await withDatabase(in: directory, indexes: [calls.index()]) { database async throws in
            #expect(try await database.keys(of: "i") == Array(0..<4_000))
            #expect(try await database.check() == [])
        }
    }

    @Test func `by taking the index away tells all who wait that it is gone`() async throws {
        try await withDatabase { database async throws in
            try await database.addNumbers(0..<1_000)
            let halt = Halt()
            let adding = Task { try await database.addIndex(halt.index(at: 50)) }
            _ = await halt.hasBegun.first()
            let joined = Task { try await database.buildIndex(named: "i") }
            let removing = Task { try await database.removeIndex(named: "i") }
            while !database.indexNames.isEmpty { await Task.yield() }
            halt.mayGoOn.signal()
            try await removing.value
            let codes = [await code(of: adding), await code(of: joined)]
            #expect(codes.allSatisfy { $0 == .indexChanged || $0 == .indexNotFound }, "\(codes)")
            #expect(try database.indexStatuses() == [])
            #expect(database.indexNames == [])
            #expect(try await database.check() == [])
        }
    }

    @Test func `by another version is answered by that one`() async throws {
        try await withDatabase { database async throws in
            try await database.addNumbers(0..<1_000)
            let halt = Halt()
            let adding = Task { try await database.addIndex(halt.index(at: 50)) }
            _ = await halt.hasBegun.first()
            let joined = Task { try await database.buildIndex(named: "i") }
            // A query asks the index, whichever it is.
            let asked = Task { try await database.keys(of: "i") }
            let replacing = Task {
                try await database.addIndex(MapCalls().index(version: "2", of: "m"))
            }
            while database.indexes.definition(named: "i")?.version.hasPrefix("2") != true {
                await Task.yield()
            }
            halt.mayGoOn.signal()
            try await replacing.value
            let codes = [await code(of: adding), await code(of: joined)]
            #expect(codes == [.indexChanged, .indexChanged])
            #expect(try await asked.value == Array(-999...0))
            #expect(try await database.keys(of: "i", .stale) == Array(-999...0))
            #expect(try await database.check() == [])
        }
    }

    @Test func `releases a task that waits and is cancelled, and goes on`() async throws {
        try await withDatabase { database async throws in
            try await database.addNumbers(0..<500)
            let halt = Halt()
            let adding = Task { try await database.addIndex(halt.index(at: 50)) }
            _ = await halt.hasBegun.first()
            let waiting = [Task { try await database.buildIndex(named: "i") }, adding]
            for task in waiting { task.cancel() }
            // They end while the map still has the document.
            for task in waiting {
                let result = await task.result
                #expect(throws: CancellationError.self) { try result.get() }
            }
            #expect(halt.calls.total == 50)
            halt.mayGoOn.signal()
            #expect(try await database.keys(of: "i") == Array(0..<500))
            #expect(halt.calls.byDocument.values.allSatisfy { $0 == 1 })
        }
    }
}
