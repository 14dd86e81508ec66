import SettleDocuments
import SettleLMDB
import SettlePrimitives
import Synchronization
import Testing
import TestSupport

@testable import SettleStorage

@Suite(.serialized) struct `Checking a store` {
    private func findings(_ store: Store) throws -> [StoreFinding] {
        let rows = Lock(0)
        let log = CheckLog { count in rows.withLock { $0 += count } }
        try store.check(threadCount: 3) { try StoreCheck(log).pieces(of: $0) }
        #expect(
            rows.withLock { $0 } == (try store.read("test") { try StoreCheck.rowCount(of: $0) }))
        return log.findings
    }

    /// A store with something in every table.
    private func filledStore() async throws -> ScratchStore {
        let scratch = try ScratchStore()
        try await scratch.store.write { transaction in
            for number in 0..<20 {
                let content = [UInt8](repeating: UInt8(number % 3), count: 100_000)
                let attachment = AttachmentRecord(
                    name: "f", contentType: "t", digest: try transaction.store(content: content),
                    length: content.count)
                try transaction.put(
                    "d\(number)", body: try body(["n": .integer(Int64(number))]),
                    attachments: number % 2 == 0 ? [attachment] : [],
                    expiration: number % 5 == 0 ? .set(Timestamp(microseconds: 7)) : .unchanged,
                    precondition: .none, origin: number % 3 == 0 ? "remote" : nil)
            }
            for number in 0..<6 {
                try transaction.put(
                    "d\(number)", body: try body(["x": 1]), isDeleted: number == 5,
                    precondition: .none, origin: nil)
            }
            try transaction.purge("d7")
            try transaction.put(
                "d8", body: try body(["x": 1]), precondition: .none, origin: "remote")
            let isHeld = try transaction.hold(try body(["x": 1]), of: "d8", by: 1, note: [4])
            #expect(isHeld)
            _ = try transaction.beginUpload()
        }
        return scratch
    }

    @Test func `finds nothing in a sound one`() async throws {
        let scratch = try await filledStore()
        #expect(try findings(scratch.store) == [])
    }

    /// What a damage does to the tables, and where it must be found.
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let place: String
        let apply: @Sendable (WriteTransaction, StoreTables) throws -> Void

        static let all: [Damage] = [
            Damage(testDescription: "a record that is garbage", place: "document 'd8'") {
                try $0.put([9, 9, 9], for: Array("d8".utf8), in: $1.documents)
            },
            Damage(testDescription: "a flipped bit in a body", place: "document 'd9'") {
                var row = try #require(try $0.value(for: Array("d9".utf8), in: $1.documents))
                row[row.count - 1] ^= 1
                try $0.put(row, for: Array("d9".utf8), in: $1.documents)
            },
            Damage(testDescription: "a flipped bit in a revision", place: "document 'd9'") {
                var row = try #require(try $0.value(for: Array("d9".utf8), in: $1.documents))
                row[5] ^= 1
                try $0.put(row, for: Array("d9".utf8), in: $1.documents)
            },
            Damage(testDescription: "a key that is no identifier", place: "documents") {
                let row = try #require(try $0.value(for: Array("d9".utf8), in: $1.documents))
                try $0.put(row, for: Array("_d".utf8), in: $1.documents)
            },
            Damage(testDescription: "a document without a sequence", place: "document 'd0'") {
                let last = try #require(try $0.first(in: $1.sequences))
                try $0.delete(last.key, from: $1.sequences)
                var row = try #require(try $0.value(for: Array("d0".utf8), in: $1.documents))
                row[2] = 1
                try $0.put(row, for: Array("d0".utf8), in: $1.documents)
            },
            Damage(testDescription: "a lost sequence", place: "sequences") {
                let last = try #require(try $0.last(in: $1.sequences))
                try $0.delete(last.key, from: $1.sequences)
            },
            Damage(testDescription: "a stray sequence", place: "sequences, 9999") {
                var key: [UInt8] = []
                key.append(fixed64: 9_999)
                try $0.put(Array("d9".utf8), for: key, in: $1.sequences)
            },
            Damage(testDescription: "a stray expiration", place: "expirations") {
                try $1.expirations.move(
                    Array("d9".utf8), from: nil, to: Timestamp(microseconds: 1), in: $0)
            },
            Damage(testDescription: "a lost expiration", place: "document 'd10'") {
                try $1.expirations.move(
                    Array("d10".utf8), from: Timestamp(microseconds: 7), to: nil, in: $0)
            },
            Damage(testDescription: "a purge of the future", place: "purges, 9999") {
                _ = try $1.purges.append(Array("x".utf8), sequence: 9_999, in: $0)
            },
            Damage(testDescription: "a hold on nothing", place: "holds, 9999") {
                let holds = try #require($1.holds)
                try $0.put([4], for: HoldTable.key(9_999, 1), in: holds.table)
            },
            Damage(testDescription: "a hold on a record that is not held", place: "holds, 30") {
                let holds = try #require($1.holds)
                try $0.put([4], for: HoldTable.key(30, 1), in: holds.table)
                try $0.put(Array("d9".utf8), for: RowBytes.fixed64(30), in: $1.sequences)
            },
            Damage(testDescription: "a hold under no key", place: "holds") {
                let holds = try #require($1.holds)
                try $0.put([4], for: [9, 9], in: holds.table)
            },
            Damage(testDescription: "a hold beside displaced members", place: "holds, 28") {
                writer, _ in
                let displaced = try writer.createTable(named: StoreTables.displacedName)
                let key = StoreTables.displacedKey(1, Array("d8".utf8))
                try writer.put([4], for: key, in: displaced)
            },
            Damage(testDescription: "an origin without a name", place: "document 'd9'") {
                try $0.delete(Array("origin 1".utf8), from: $1.meta)
            },
            Damage(testDescription: "a wrong count", place: "meta") {
                var counters = try StoreCounters(from: $1.meta, in: $0)
                counters.liveCount += 1
                try counters.write(to: $1.meta, in: $0)
            },
            Damage(testDescription: "a fact of no known kind", place: "meta") {
                try $0.put([1], for: Array("x".utf8), in: $1.meta)
            },
            Damage(testDescription: "a number of origins that is left out", place: "meta") {
                try $0.put(Array("other".utf8), for: Array("origin 3".utf8), in: $1.meta)
            },
            Damage(testDescription: "an origin whose name cannot be read", place: "meta, origin 1")
            {
                try $0.put([0xFF], for: Array("origin 1".utf8), in: $1.meta)
            },
            Damage(testDescription: "a table of nothing", place: "table 'stray'") { writer, _ in
                _ = try writer.createTable(named: "stray")
            },
            Damage(testDescription: "a lost chunk", place: "content") {
                let last = try #require(try $0.last(in: $1.contents.chunks))
                try $0.delete(last.key, from: $1.contents.chunks)
            },
            Damage(testDescription: "a changed chunk", place: "content") {
                var last = try #require(try $0.last(in: $1.contents.chunks))
                last.value[0] ^= 1
                try $0.put(last.value, for: last.key, in: $1.contents.chunks)
            },
            Damage(testDescription: "a stray chunk", place: "chunks") {
                try $0.put([1], for: ContentTables.chunkKey(77, 0), in: $1.contents.chunks)
            },
            Damage(testDescription: "lost content", place: "contents") {
                let first = try #require(try $0.first(in: $1.contents.contents))
                try $0.delete(first.key, from: $1.contents.contents)
            },
            Damage(testDescription: "a wrong count of references", place: "content") {
                let first = try #require(try $0.first(in: $1.contents.contents))
                let found = ContentRow(first.value.span)
                var row = try #require(found)
                row.references += 1
                try $0.put(row.encoded(), for: first.key, in: $1.contents.contents)
            },
            Damage(testDescription: "a wrong count of leases", place: "content") {
                let first = try #require(try $0.first(in: $1.contents.contents))
                let found = ContentRow(first.value.span)
                var row = try #require(found)
                row.leases += 1
                try $0.put(row.encoded(), for: first.key, in: $1.contents.contents)
            },
            Damage(testDescription: "an upload that was never begun", place: "uploads, 999") {
                try $1.contents.set(
                    UploadRow(begun: Timestamp(microseconds: 0)), ofUpload: 999, in: $0)
            },
        ]
    }

    @Test(arguments: Damage.all)
    func `finds`(damage: Damage) async throws {
        let scratch = try await filledStore()
        try apply(damage, to: scratch.directory.path)
        let found = try findings(scratch.store)
        #expect(
            found.contains { $0.place == damage.place || $0.place.hasPrefix(damage.place + " ") },
            "\(found)")
    }

    // The engine's writing is not to be called from asynchronous code.
    private func apply(_ damage: Damage, to path: String) throws {
        let environment = try Environment.open(at: path, create: false)
        defer { environment.close() }
        try environment.write { writer in
            try damage.apply(writer, try StoreTables(findingIn: writer))
        }
    }
}
