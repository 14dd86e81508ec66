import SettleDocuments
import SettleStorage
import Testing
import TestSupport

@Suite(.serialized) struct `Writing documents` {
    private struct Refused: Error, Equatable {
        let number: Int
    }

    @Test func `gives each change the next sequence and a revision on the one before`() async throws
    {
        let scratch = try ScratchStore()
        let records = try await scratch.store.write { transaction in
            try (1...3).map { number in
                try transaction.put(
                    "a", body: try body(["n": .integer(Int64(number))]), precondition: .none,
                    origin: nil)
            }
        }
        #expect(records.map(\.sequence) == [1, 2, 3])
        #expect(records.map(\.revision.generation) == [1, 2, 3])
        #expect(records[2].ancestors == [records[1].revision.digest, records[0].revision.digest])
        #expect(
            records[1].revision
                == Revision(parent: records[0].revision, isDeleted: false, body: records[1].body))
    }

    @Test func `keeps the day of creation until a document is made anew`() async throws {
        let scratch = try ScratchStore()
        func put(_ time: Int64, isDeleted: Bool = false) async throws -> DocumentRecord {
            scratch.setTime(time)
            return try await scratch.store.write {
                try $0.put(
                    "a", body: try body([:]), isDeleted: isDeleted, precondition: .none,
                    origin: nil)
            }
        }
        let first = try await put(10)
        #expect(first.created.microseconds == 10 && first.changed.microseconds == 10)
        let second = try await put(20)
        #expect(second.created.microseconds == 10 && second.changed.microseconds == 20)
        let tombstone = try await put(30, isDeleted: true)
        #expect(tombstone.created.microseconds == 10 && tombstone.isDeleted)
        let again = try await put(40)
        #expect(again.created.microseconds == 40)
        #expect(again.revision.generation == 4)
    }

    @Test(arguments: [false, true])
    func `checks the precondition, and a tombstone counts as nothing`(isDeleted: Bool) async throws
    {
        let scratch = try ScratchStore()
        let current = try await scratch.store.write {
            try $0.put(
                "a", body: try body([:]), isDeleted: isDeleted, precondition: .none, origin: nil)
        }.revision
        func outcome(_ precondition: Precondition) async -> String {
            do {
                try await scratch.store.write {
                    _ = try $0.put(
                        "a", body: try body(["x": 1]), precondition: precondition, origin: nil)
                    throw Refused(number: 0)
                }
                return "committed"
            } catch is Refused {
                return "stored"
            } catch StorageError.documentExists(_, let found) {
                return "exists \(found == current)"
            } catch StorageError.documentNotFound {
                return "missing"
            } catch StorageError.conflict(_, let found) {
                return found == nil ? "conflict, deleted" : "conflict \(found == current)"
            } catch {
                return "\(error)"
            }
        }
        let stale = Revision(generation: 9, digest: Revision.Digest(high: 0, low: 0))
        #expect(await outcome(.none) == "stored")
        #expect(await outcome(.absent) == (isDeleted ? "stored" : "exists true"))
        #expect(await outcome(.present) == (isDeleted ? "missing" : "stored"))
        #expect(
            await outcome(.revision(current)) == (isDeleted ? "conflict, deleted" : "stored"))
        #expect(
            await outcome(.revision(stale)) == (isDeleted ? "conflict, deleted" : "conflict true"))
    }

    @Test func `of a closure that throws leaves no trace and does not disturb its neighbours`()
        async throws
    {
        let scratch = try ScratchStore()
        let store = scratch.store
        let outcomes = await withTaskGroup(of: (Int, Result<UInt64, any Error>).self) { group in
            for number in 0..<60 {
                group.addTask {
                    do {
                        let sequence = try await store.write { transaction in
                            let record = try transaction.put(
                                "d\(number)", body: try body([:]), precondition: .absent,
                                origin: nil)
                            if number % 3 == 0 { throw Refused(number: number) }
                            return record.sequence
                        }
                        return (number, .success(sequence))
                    } catch {
                        return (number, .failure(error))
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for number in 0..<60 {
            switch outcomes[number] {
            case .success?: #expect(number % 3 != 0)
            case .failure(let error)?: #expect(error as? Refused == Refused(number: number))
            case nil: Issue.record("Closure \(number) never ended.")
            }
        }
        try store.read("test") { snapshot in
            #expect(snapshot.liveCount == 40)
            #expect(snapshot.lastSequence == 40)
            for number in 0..<60 {
                let isThere = try snapshot.record("d\(number)") != nil
                #expect(isThere == (number % 3 != 0))
            }
        }
        #expect(scratch.publishedCommits.flatMap(\.changes).map(\.sequence) == Array(1...40))
    }

    @Test func `lists each document once, at its last change`() async throws {
        let scratch = try ScratchStore()
        var random = SeededGenerator()
        var last: [String: UInt64] = [:]
        for _ in 0..<300 {
            let id = "d\(Int.random(in: 0..<20, using: &random))"
            let isDeleted = Int.random(in: 0..<4, using: &random) == 0
            let record = try await scratch.store.write {
                try $0.put(
                    id, body: try body([:]), isDeleted: isDeleted, precondition: .none,
                    origin: nil)
            }
            last[id] = record.sequence
        }
        let expected = last.sorted { $0.value < $1.value }
        let since = expected[expected.count / 2].value
        for start in [0, since, 300] as [UInt64] {
            var found: [(UInt64, String)] = []
            try scratch.store.read("test") { snapshot in
                try snapshot.forEachChange(since: start) { sequence, id in
                    found.append((sequence, id))
                    return true
                }
            }
            let wanted = expected.filter { $0.value > start }
            #expect(found.map(\.0) == wanted.map(\.value), "\(random)")
            #expect(found.map(\.1) == wanted.map(\.key), "\(random)")
        }
    }

    @Test func `grows the file far beyond its first size`() async throws {
        let scratch = try ScratchStore()
        let text = String(repeating: "x", count: 4_000)
        for batch in 0..<10 {
            try await scratch.store.write { transaction in
                for number in 0..<500 {
                    try transaction.put(
                        "b\(batch)-\(number)", body: try body(["t": .string(text)]),
                        precondition: .absent, origin: nil)
                }
            }
        }
        #expect(try scratch.store.read("test") { $0.liveCount } == 5_000)
    }

    @Test func `after closing is refused`() async throws {
        let scratch = try ScratchStore()
        scratch.store.close()
        await #expect(throws: StorageError.self) {
            try await scratch.store.write { _ in }
        }
        #expect(throws: StorageError.self) { try scratch.store.read("test") { _ in } }
    }
}
