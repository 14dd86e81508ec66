@testable import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `Closing a database whose indexes are being built` {
    /// Opens a database with 300 documents and begins to build an index over it, one document after
    /// the other; the call of the gate's number is held up.
    private func begin(
        _ gate: MapGate, _ calls: MapCalls, in directory: ScratchDirectory,
        whenMapped: @escaping @Sendable () -> Void = {}
    ) async throws -> (database: Database, building: Task<Void, any Error>) {
        let database = try await openDatabase(in: directory)
        try await database.addNumbers(0..<300)
        database.takeSmallSteps()
        let index = calls.index { call in
            gate.pass(call)
            whenMapped()
        }
        return (database, Task { try await database.addIndex(index) })
    }

    /// Returns when the work on the indexes has been broken off.
    private func isBrokenOff(_ database: Database) async {
        while (try? await database.addIndex(MapCalls().index("other"))) != nil {
            await Task.yield()
        }
    }

    @Test(.timeLimit(.minutes(60)))
    func `waits for the document that a map has in hand, and maps no other`() async throws {
        let directory = try ScratchDirectory("closing")
        let (gate, calls, steps) = (MapGate(atCall: 100), MapCalls(), Gathered<String>())
        let (database, building) = try await begin(gate, calls, in: directory) {
            if calls.total >= 100 { steps.add("mapped") }
        }
        let closing = try await gate.whileHeld { () async throws in
            let closing = Task {
                await database.close()
                steps.add("closed")
            }
            await isBrokenOff(database)
            steps.add("let go")
            return closing
        }
        await closing.value
        #expect(steps.elements == ["let go", "mapped", "closed"])
        #expect(calls.total == 100)
        await #expect(throws: DatabaseError.self) { try await building.value }
        #expect(throws: DatabaseError.self) { try database.indexStatuses() }
        // What was stored of the build counts, and the rest is built now.
        try await withDatabase(in: directory, indexes: [calls.index()]) { database async throws in
            #expect(try await database.keys(of: "i") == Array(0..<300))
            #expect(calls.byDocument.count == 300 && calls.total < 600)
            #expect(try await database.check() == [])
        }
    }

    @Test(.timeLimit(.minutes(60)))
    func `ends when it is asked for twice, and by one who waits for the index`() async throws {
        let directory = try ScratchDirectory("closing")
        let (gate, calls) = (MapGate(), MapCalls())
        let (database, building) = try await begin(gate, calls, in: directory)
        let all = try await gate.whileHeld { () async throws in
            let waiting = Task {
                await #expect(throws: DatabaseError.self) {
                    try await database.buildIndex(named: "i")
                }
                await database.close()
            }
            let closing = (0..<2).map { _ in Task { await database.close() } }
            await isBrokenOff(database)
            return closing + [waiting]
        }
        for task in all { await task.value }
        await database.close()
        await #expect(throws: DatabaseError.self) { try await building.value }
        #expect(calls.total == 1)
    }

    @Test(.timeLimit(.minutes(60)))
    func `to remove it waits too, and leaves nothing`() async throws {
        let directory = try ScratchDirectory("closing")
        let (gate, calls) = (MapGate(), MapCalls())
        let (database, building) = try await begin(gate, calls, in: directory)
        let removing = try await gate.whileHeld { () async throws in
            let removing = Task { try await database.delete() }
            await isBrokenOff(database)
            return removing
        }
        try await removing.value
        #expect(calls.total == 1)
        await #expect(throws: DatabaseError.self) { try await building.value }
        #expect(try Database.allDatabaseNames(underLocation: directory.url) == [])
    }
}
