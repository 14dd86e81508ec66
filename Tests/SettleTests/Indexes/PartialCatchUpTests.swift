import Dispatch
import SettlePrimitives
@testable import Settle
import SettleIndexing
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct `An index that catches up a few changes at a time` {
    /// Stops a map closure when it has a document, so that something can be written meanwhile.
    private final class Gate: Sendable {
        let hasCome = Inbox<Void>()
        private let mayGoOn = DispatchSemaphore(value: 0)
        private let id = Lock<String?>(nil)

        /// Stops the next call for this document.
        func close(for id: String) { self.id.withLock { $0 = id } }

        func open() { mayGoOn.signal() }

        func pass(_ id: String) {
            let isStopped = self.id.withLock { stopped in
                guard stopped == id else { return false }
                stopped = nil
                return true
            }
            guard isStopped else { return }
            hasCome.put(())
            mayGoOn.wait()
        }
    }

    /// The keys by document, as an answer has them.
    private func keys(_ answer: QueryResultEnumerator) -> [String: Int] {
        Dictionary(
            uniqueKeysWithValues: answer.rows.map { ($0.documentId ?? "", $0.key as? Int ?? -1) })
    }

    @Test func `does not answer while a document changed again is still to be mapped`()
        async throws
    {
        try await withDatabase { database async throws in
            database.indexEngine.pace.withLock { $0.changeCountMax = 1 }
            let gate = Gate()
            try await database.addIndex(
                Database.Index(name: "i", version: "1") { document, addIndexRow in
                    gate.pass(document.id)
                    addIndexRow(document["n"], nil)
                })
            for (number, id) in ["a", "b", "x", "d"].enumerated() {
                try await database.save(["id": id, "n": number])
            }
            gate.close(for: "a")
            let query = Task { try await database.runQuery(on: "i") }
            _ = await gate.hasCome.first()
            // The query began after the first of these; the list of changes has only the last.
            try await database.save(["id": "x", "n": 12])
            gate.open()
            let answer = try await query.value
            #expect(keys(answer) == ["a": 0, "b": 1, "x": 12, "d": 3])
            #expect(try answer.sequence == database.lastSequence)
        }
    }

    /// What is in the index as of every sequence.
    private final class History: Sendable {
        private let states = Lock<[UInt64: [String: Int]]>([0: [:]])

        func note(_ sequence: UInt64, _ state: [String: Int]) {
            states.withLock { $0[sequence] = state }
        }

        func state(at sequence: UInt64) -> [String: Int]? { states.withLock { $0[sequence] } }
    }

    /// Changes documents at random, one in each commit.
    private struct Changes {
        var random: SeededGenerator
        var state: [String: Int] = [:]
        let history: History

        mutating func makeOne(in database: Database) async throws {
            let id = "d\(Int.random(in: 0..<12, using: &random))"
            switch Int.random(in: 0..<8, using: &random) {
            case 0 where state[id] != nil:
                try await database.delete(documentWithId: id)
                state[id] = nil
            case 1 where state[id] != nil:
                _ = try await database.purge(documentsWithIds: [id])
                state[id] = nil
            default:
                let number = Int.random(in: 0..<1_000, using: &random)
                try await database.save(["id": id, "n": number])
                state[id] = number
            }
            history.note(try database.lastSequence, state)
        }
    }

    @Test(arguments: [1, 2, 5])
    func `answers as of one sequence, whatever is written while it maps`(
        countMax: Int
    ) async throws {
        try await withDatabase { database async throws in
            database.indexEngine.pace.withLock { $0.changeCountMax = countMax }
            let seed = SeededGenerator()
            var changes = Changes(random: seed, history: History())
            // The map asks for a change at every third call, and waits until it was made.
            let calls = Atomic(0)
            let asked = Inbox<Bool>()
            let isMade = DispatchSemaphore(value: 0)
            try await database.addIndex(
                Database.Index(name: "i", version: "1") { document, addIndexRow in
                    let call = calls.add(1, ordering: .relaxed).newValue
                    if call % 3 == 0, call < 1_500 {
                        asked.put(true)
                        isMade.wait()
                    }
                    addIndexRow(document["n"], nil)
                })
            for round in 0..<6 {
                for _ in 0..<10 { try await changes.makeOne(in: database) }
                let start = try database.lastSequence
                let query = Task {
                    defer { asked.put(false) }
                    return try await database.runQuery(on: "i")
                }
                while await asked.first() == true {
                    try await changes.makeOne(in: database)
                    isMade.signal()
                }
                let answer = try await query.value
                let place = "\(seed), round \(round), \(countMax) at a time"
                #expect(answer.sequence >= start, "\(place)")
                #expect(keys(answer) == changes.history.state(at: answer.sequence), "\(place)")
            }
            #expect(calls.load(ordering: .relaxed) > 20, "\(seed)")
            // What is still mapped, after the last answer, must not wait for anybody.
            calls.store(1_500, ordering: .relaxed)
            for _ in 0..<8 { isMade.signal() }
            #expect(try await database.check() == [], "\(seed)")
        }
    }

    @Test func `is listed as behind while it is half way`() async throws {
        try await withDatabase { database async throws in
            database.indexEngine.pace.withLock { $0.changeCountMax = 1 }
            let gate = Gate()
            try await database.addIndex(
                Database.Index(name: "i", version: "1") { document, addIndexRow in
                    gate.pass(document.id)
                    addIndexRow(document["n"], nil)
                })
            for number in 0..<4 {
                try await database.save(["id": "d\(number)", "n": number])
            }
            gate.close(for: "d3")
            let query = Task { try await database.runQuery(on: "i") }
            _ = await gate.hasCome.first()
            let status = try database.indexStatus(named: "i")
            #expect(status.isBuilt && !status.isCurrent)
            #expect(status.sequence < (try database.lastSequence))
            gate.open()
            #expect(keys(try await query.value).count == 4)
            #expect(try database.indexStatus(named: "i").isCurrent)
        }
    }
}
