import SettleDocuments
import SettleLMDB
import Testing
import TestSupport

@testable import SettleStorage

@Suite(.serialized) struct `Leaves of a document` {
    private func path(_ texts: String...) throws -> RevisionPath {
        let names = try texts.map { try #require(RevisionName($0)) }
        return try #require(
            RevisionPath(generation: names[0].generation, digests: names.map(\.digest)))
    }

    private func give(
        _ path: RevisionPath, _ number: Int64, isDeleted: Bool = false, to id: String = "d",
        in store: ScratchStore
    ) async throws {
        try await store.store.write { transaction in
            let given = GivenRevision(
                path: path, isDeleted: isDeleted, body: try body(["n": .integer(number)]))
            _ = try transaction.put(given, of: id)
        }
    }

    private func put(_ number: Int64, isDeleted: Bool = false, in store: ScratchStore) async throws
        -> DocumentRecord
    {
        try await store.store.write {
            try $0.put(
                "d", body: try body(["n": .integer(number)]), isDeleted: isDeleted,
                precondition: .none, origin: nil)
        }
    }

    private func record(_ store: ScratchStore) throws -> DocumentRecord {
        try #require(try store.store.read("test") { try $0.record("d") })
    }

    @Test func `cost nothing where there are none: no tables, no format, no flag`() async throws {
        var options = StoreOptions()
        // Which needs the format that trees need.
        options.usesCommitLog = false
        let scratch = try ScratchStore(options: options)
        for number in 1...30 { _ = try await put(Int64(number), in: scratch) }
        #expect(try scratch.store.read("test") { try !$0.hasTrees })
        let record = try record(scratch)
        #expect(!record.hasTree && !record.isGiven && record.ancestors.count == 10)
        let names = try scratch.store.statistics().tables.map(\.name)
        #expect(!names.contains("trees") && !names.contains("leaves"))
        #expect(try format(of: scratch) == "4")
        #expect(record.encoded()[1] & RecordHead.Flag.further == 0)
    }

    private func format(of scratch: ScratchStore) throws -> String {
        let environment = try Environment.open(at: scratch.directory.path, create: false)
        defer { environment.close() }
        return try environment.read("test") { reader in
            let meta = try StoreTables.meta(in: reader)
            let bytes = try reader.value(for: Array("format".utf8), in: meta)
            return String(decoding: bytes ?? [], as: UTF8.self)
        }
    }

    @Test
    func `make a store that older releases refuse, from the first revision on that was given`()
        async throws
    {
        let scratch = try ScratchStore()
        try await give(try path("1-967a00dff5e02add41819138abb3284d"), 1, in: scratch)
        #expect(try format(of: scratch) == "5")
        #expect(try record(scratch).isGiven)
        // A store with them is opened again as any other.
        scratch.store.close()
        let again = try Store(
            directory: scratch.directory.path, options: StoreOptions(), create: false,
            clock: { Timestamp(microseconds: 1) }, publish: { _ in })
        defer { again.close() }
        #expect(try again.read("test") { try $0.hasTrees })
    }

    @Test func `keep all ancestors once trees are kept, and up to the limit`() async throws {
        let scratch = try ScratchStore()
        try await scratch.store.write { try $0.setRevisionLimit(20) }
        for number in 1...11 { _ = try await put(Int64(number), in: scratch) }
        #expect(try !record(scratch).hasTree)
        for number in 12...15 { _ = try await put(Int64(number), in: scratch) }
        var tree = try #require(try scratch.store.read("test") { try $0.tree(of: "d") })
        #expect(tree.count == 15 && tree.leaves.count == 1)
        #expect(try record(scratch).hasTree && record(scratch).ancestors.count == 10)
        for number in 16...30 { _ = try await put(Int64(number), in: scratch) }
        tree = try #require(try scratch.store.read("test") { try $0.tree(of: "d") })
        #expect(tree.count == 20)
        // As many as a record names are kept in any case.
        try await scratch.store.write { try $0.setRevisionLimit(1) }
        _ = try await put(31, in: scratch)
        tree = try #require(try scratch.store.read("test") { try $0.tree(of: "d") })
        #expect(tree.count == 11)
        #expect(try !record(scratch).hasTree)
        #expect(try scratch.findings() == [])
    }

    @Test func `come up when the one that won is deleted`() async throws {
        let scratch = try ScratchStore()
        let first = try await put(1, in: scratch)
        try await give(try path("2-a", first.revision.description), 2, in: scratch)
        try await give(try path("2-b", first.revision.description), 3, in: scratch)
        #expect(try record(scratch).revision == RevisionName("2-b")?.standIn)
        let sequence = try record(scratch).sequence
        let tombstone = try await put(4, isDeleted: true, in: scratch)
        #expect(tombstone.isDeleted && tombstone.revision.generation == 3)
        let record = try record(scratch)
        #expect(record.revision == RevisionName("2-a")?.standIn && !record.isDeleted)
        #expect(record.sequence == sequence + 1)
        #expect(try record.body.member("n") == 2)
        #expect(try scratch.store.read("test") { try $0.conflictedCount } == 0)
        #expect(try scratch.store.read("test") { try $0.lostLeafCount } == 1)
        #expect(try scratch.findings() == [])
    }

    @Test func `that were written here and elsewhere are one revision`() async throws {
        let (here, there) = (try ScratchStore(), try ScratchStore())
        let first = try await put(1, in: here)
        let second = try await put(2, in: here)
        try await give(try path(first.revision.description), 1, in: there)
        try await give(
            try path(second.revision.description, first.revision.description), 2, in: there)
        let record = try record(there)
        // It is what its members give, so it can be verified.
        #expect(!record.isGiven && !record.hasTree)
        #expect(record.revision == second.revision && record.ancestors == second.ancestors)
        #expect(try await put(3, in: there).revision == put(3, in: here).revision)
    }

    @Test func `that lost give the document a new place in the feed, and it alone`() async throws {
        let scratch = try ScratchStore()
        try await give(try path("2-b", "1-a"), 1, in: scratch)
        let before = try record(scratch)
        try await give(try path("2-a", "1-a"), 2, in: scratch)
        let after = try record(scratch)
        #expect(after.revision == before.revision && after.body.bytes == before.body.bytes)
        #expect(after.sequence == before.sequence + 1 && after.changed == before.changed)
        let change = try #require(scratch.publishedCommits.last?.changes)
        #expect(change.map(\.id) == ["d"] && change[0].revision == before.revision)
        // A known one changes nothing.
        try await give(try path("2-a", "1-a"), 9, in: scratch)
        #expect(try record(scratch) == after)
        #expect(scratch.publishedCommits.count == 2)
    }

    @Test func `keep the date at which the document is purged, which takes all of them`()
        async throws
    {
        let scratch = try ScratchStore()
        _ = try await put(1, in: scratch)
        let date = Timestamp(microseconds: 5_000_000)
        try await scratch.store.write { try $0.setExpiration(date, of: "d") }
        try await give(try path("3-x"), 2, in: scratch)
        #expect(try record(scratch).expiration == nil)
        try await scratch.store.write { try $0.setExpiration(date, of: "d") }
        try await give(try path("2-x"), 2, in: scratch)
        #expect(try record(scratch).expiration == date)
        #expect(try scratch.findings() == [])
        try await scratch.store.write { _ = try $0.purge("d") }
        let names = ["trees", "leaves", "conflicts", "documents", "expirations"]
        let counts = try scratch.store.statistics().tables.filter { names.contains($0.name) }
        #expect(counts.count == 5 && counts.allSatisfy { $0.rowCount == 0 })
        #expect(try scratch.findings() == [])
    }

    @Test func `move what is held to its holder when another leaf comes`() async throws {
        let scratch = try ScratchStore()
        _ = try await put(1, in: scratch)
        try await scratch.store.write { transaction in
            let isHeld = try transaction.hold(try body(["n": 1]), of: "d", by: 7, note: [9])
            #expect(isHeld)
        }
        try await give(try path("1-z"), 2, in: scratch)
        #expect(try scratch.findings() == [])
        let displaced = try scratch.store.read("test") { snapshot in
            try snapshot.table(named: "side/sync.servers")?.value(for: [0, 0, 0, 7, 0x64])
        }
        #expect(displaced == [9] + (try body(["n": 1]).bytes))
    }

    @Test func `are refused as the parent when they are none`() async throws {
        let scratch = try ScratchStore()
        try await give(try path("2-b", "1-a"), 1, in: scratch)
        for text in ["1-a", "2-c"] {
            let name = try #require(RevisionName(text))
            await #expect(throws: StorageError.self) {
                try await scratch.store.write {
                    _ = try $0.put("d", after: name, body: try body([:]))
                }
            }
        }
        await #expect(throws: StorageError.self) {
            let name = try #require(RevisionName("1-a"))
            try await scratch.store.write {
                _ = try $0.put("other", after: name, body: try body([:]))
            }
        }
    }

    /// Two revisions that nothing connected, of which the first turns out to come before the second.
    @Test(arguments: [false, true], [false, true])
    func `end when a known revision turns out to come after them`(
        isDeleted: Bool, isLateLive: Bool
    ) async throws {
        let scratch = try ScratchStore()
        try await give(try path("2-bb"), 1, isDeleted: isDeleted, in: scratch)
        try await give(try path("3-cc"), 2, isDeleted: !isLateLive, in: scratch)
        #expect(try scratch.store.read("test") { try $0.lostLeafCount } == 1)
        try await give(try path("3-cc", "2-bb"), 3, in: scratch)
        try scratch.store.read("test") { snapshot in
            #expect(try snapshot.lostLeafCount == 0)
            #expect(try snapshot.conflictedCount == 0)
            #expect(snapshot.liveCount == (isLateLive ? 1 : 0))
            let record = try #require(try snapshot.record("d"))
            #expect(record.isDeleted != isLateLive)
            #expect(try record.body.member("n") == .integer(2))
            #expect(try snapshot.tree(of: "d", record).sortedLeaves.count == 1)
        }
        #expect(try scratch.findings() == [])
    }
}
