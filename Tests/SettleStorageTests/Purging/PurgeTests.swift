import SettleDocuments
import SettleStorage
import Testing
import TestSupport

@Suite(.serialized) struct `Purging` {
    private func changes(_ store: Store, since sequence: UInt64 = 0) throws -> [String] {
        try store.read("test") { snapshot in
            var found: [String] = []
            try snapshot.forEachChange(since: sequence) { number, id in
                let isHere = try snapshot.record(id) != nil
                found.append("\(number) \(id)\(isHere ? "" : " purged")")
                return true
            }
            return found
        }
    }

    @Test func `leaves nothing but a change in the feed`() async throws {
        let scratch = try ScratchStore()
        let store = scratch.store
        try await store.write { transaction in
            for id in ["a", "b", "c"] {
                try transaction.put(id, body: try body([:]), precondition: .none, origin: nil)
            }
        }
        let purged = try await store.write { try $0.purge("b") }
        #expect(purged?.sequence == 2)
        #expect(try await store.write { try $0.purge("b") } == nil)
        #expect(try store.read("test") { try $0.record("b") } == nil)
        #expect(try store.read("test") { $0.liveCount } == 2)
        #expect(try changes(store) == ["1 a", "3 c", "4 b purged"])
        #expect(try changes(store, since: 4) == [])
        let change = try #require(scratch.publishedCommits.last?.changes.first)
        #expect(change.isPurged && change.isDeleted && change.revision == purged?.revision)
    }

    @Test func `of a tombstone takes it out of the count`() async throws {
        let store = try ScratchStore()
        _ = try await store.store.write {
            try $0.put(
                "a", body: try body([:]), isDeleted: true, precondition: .none, origin: nil)
        }
        try await store.store.write { _ = try $0.purge("a") }
        #expect(try store.store.read("test") { $0.deletedCount } == 0)
    }

    @Test func `a document made anew is no purge any more, and begins at generation one`()
        async throws
    {
        let scratch = try ScratchStore()
        let store = scratch.store
        for _ in 1...2 {
            _ = try await store.write {
                try $0.put("a", body: try body([:]), precondition: .absent, origin: nil)
            }
            try await store.write { _ = try $0.purge("a") }
        }
        #expect(try changes(store) == ["4 a purged"])
        let record = try await store.write {
            try $0.put("a", body: try body([:]), precondition: .absent, origin: nil)
        }
        #expect(record.revision.generation == 1 && record.ancestors.isEmpty)
        #expect(try changes(store) == ["5 a"])
    }

    @Test func `is remembered ten thousand times, and what is forgotten is told`() async throws {
        let scratch = try ScratchStore()
        let store = scratch.store
        let count = 10_003
        try await store.write { transaction in
            for number in 0..<count {
                let id = "d\(number)"
                try transaction.put(id, body: try body([:]), precondition: .none, origin: nil)
                try transaction.purge(id)
            }
        }
        #expect(try store.read("test") { $0.purgesForgotten } == 6)
        #expect(try changes(store).count == 10_000)
        #expect(try changes(store).first == "8 d3 purged")
    }

    @Test func `the record before a closure is known for every document of it`() async throws {
        let scratch = try ScratchStore()
        let store = scratch.store
        _ = try await store.write {
            try $0.put("a", body: try body(["n": 1]), precondition: .none, origin: nil)
        }
        try await store.write { transaction in
            try transaction.put("a", body: try body(["n": 2]), precondition: .none, origin: nil)
            try transaction.put("b", body: try body([:]), precondition: .none, origin: nil)
            try transaction.purge("a")
            let before = try transaction.previousRecord("a")
            #expect(try before?.body.member("n") == 1)
            #expect(try transaction.previousRecord("b") == nil)
            #expect(try transaction.previousRecord("c") == nil)
        }
    }
}

@Suite(.serialized) struct `Expiration dates` {
    private func put(
        _ id: String, _ change: ExpirationChange, isDeleted: Bool = false
    ) -> @Sendable (StoreTransaction) throws -> Timestamp? {
        { transaction in
            try transaction.put(
                id, body: try body([:]), isDeleted: isDeleted, expiration: change,
                precondition: .none, origin: nil
            ).expiration
        }
    }

    private func date(_ number: Int64) -> Timestamp { Timestamp(microseconds: number) }

    @Test func `are listed from the earliest, whatever their sign`() async throws {
        let scratch = try ScratchStore()
        let store = scratch.store
        for number in [5, -3, 0, Int64.max, Int64.min, 7] as [Int64] {
            _ = try await store.write(put("d\(number)", .set(date(number))))
        }
        let due = try store.read("test") { try $0.expired(at: date(6), countMax: 10) }
        #expect(due == ["d\(Int64.min)", "d-3", "d0", "d5"])
        #expect(try store.read("test") { try $0.expired(at: date(6), countMax: 2) }.count == 2)
        #expect(try store.read("test") { try $0.nextExpiration } == date(.min))
        #expect(try store.read("test") { try $0.expirationCount } == 6)
    }

    @Test func `stay when a document is changed, and go when it is deleted or purged`()
        async throws
    {
        let scratch = try ScratchStore()
        let store = scratch.store
        #expect(try await store.write(put("a", .set(date(9)))) == date(9))
        #expect(try await store.write(put("a", .unchanged)) == date(9))
        #expect(try await store.write(put("a", .set(date(8)))) == date(8))
        #expect(try store.read("test") { try $0.expirationCount } == 1)
        #expect(try await store.write(put("a", .unchanged, isDeleted: true)) == nil)
        #expect(try store.read("test") { try $0.expirationCount } == 0)
        _ = try await store.write(put("a", .set(date(1))))
        try await store.write { _ = try $0.purge("a") }
        #expect(try store.read("test") { try $0.nextExpiration } == nil)
    }

    @Test func `can be set without a new revision, and only for a document`() async throws {
        let scratch = try ScratchStore()
        let store = scratch.store
        _ = try await store.write(put("a", .unchanged))
        let before = try store.read("test") { try $0.record("a") }
        try await store.write { try $0.setExpiration(date(4), of: "a") }
        let after = try store.read("test") { try $0.record("a") }
        #expect(after?.revision == before?.revision && after?.sequence == before?.sequence)
        #expect(after?.expiration == date(4))
        #expect(scratch.publishedCommits.last?.setsExpirations == true)
        try await store.write { try $0.setExpiration(nil, of: "a") }
        #expect(try store.read("test") { try $0.expirationCount } == 0)
        await #expect(throws: StorageError.self) {
            try await store.write { try $0.setExpiration(date(4), of: "b") }
        }
    }
}
