import Foundation
import Settle
import SettlePQ
import TestSupport
import Testing

@testable import SettleServer
import SettleTableProtocol

@Suite(.timeLimit(.minutes(60))) struct `Contents in PostgreSQL` {
    private static let start = Date(timeIntervalSince1970: 1_700_000_000)

    /// Bytes of a length, and their description.
    private func content(_ length: Int) throws -> (data: Data, description: AttachmentDescription) {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let digest = ContentDigest(of: bytes).description
        let description = try AttachmentDescription(
            name: "a.bin",
            json: [
                "content_type": "application/octet-stream", "length": .integer(Int64(length)),
                "digest": .string(digest),
            ])
        return (Data(bytes), description)
    }

    private func pieces(_ data: Data, of length: Int) -> AsyncStream<Data> {
        AsyncStream { continuation in
            var rest = data
            while !rest.isEmpty {
                continuation.yield(rest.prefix(length))
                rest = rest.dropFirst(length)
            }
            continuation.finish()
        }
    }

    private func owner(_ subject: String) -> ContentOwner {
        ContentOwner(Identity(subject: subject, readable: ["c"], writable: ["c"]))
    }

    private func read(
        _ attachment: AttachmentDescription, of id: String, from offset: Int = 0,
        in table: any StoredTable
    ) async throws -> Data? {
        guard let pieces = try await table.content(of: attachment, in: id, from: offset) else {
            return nil
        }
        var data = Data()
        for try await piece in pieces { data += piece }
        return data
    }

    @Test(arguments: [0, 1, 1_000, 262_143, 262_144, 262_145, 700_000])
    func `come back from another process as they went`(length: Int) async throws {
        let (data, attachment) = try content(length)
        try await PostgreSQLStores().withTables([[], []]) { tables in
            try await tables[0].hold(
                pieces(data, of: 100_000), as: attachment.digest, for: owner("ann"),
                now: { Self.start })
            let held = try await tables[1].read {
                [
                    try $0.heldLength(of: attachment.digest, for: owner("ann"), now: Self.start),
                    try $0.heldLength(of: attachment.digest, for: owner("bob"), now: Self.start),
                    try $0.heldLength(
                        of: attachment.digest, for: ContentOwner(.unlimited),
                        now: Self.start),
                    try $0.heldLength(
                        of: attachment.digest, for: owner("ann"),
                        now: Self.start.addingTimeInterval(86_400)),
                ]
            }
            #expect(held == [length, nil, length, nil])
            let before = try await read(attachment, of: "a", in: tables[1])
            #expect(before == nil)
            try await tables[1].put("a", attachments: [attachment])
            try await tables[1].endHold([attachment.digest], of: owner("ann"), now: Self.start)
            let ended = try await tables[0].read {
                try $0.heldLength(of: attachment.digest, for: owner("ann"), now: Self.start)
            }
            #expect(ended == nil)
            let item = try await tables[0].read { try $0.item("a") }
            #expect(item?.attachments == [attachment])
            let ids = try await tables[0].read { snapshot in
                #expect(try snapshot.hasContent(attachment, of: "a"))
                return try snapshot.ids(having: attachment.digest, countMax: 9)
            }
            #expect(ids == ["a"])
            for offset in Set([0, 1, length / 2, length - 1, length]) where offset >= 0 {
                let read = try await read(attachment, of: "a", from: offset, in: tables[0])
                #expect(read == data.dropFirst(offset))
            }
        }
    }

    @Test func `have owners with any name, and no item with a U+0000`() async throws {
        let (data, attachment) = try content(10)
        try await PostgreSQLStores().withTables { tables in
            try await tables[0].hold(
                pieces(data, of: 10), as: attachment.digest, for: owner("an\0n"),
                now: { Self.start })
            let held = try await tables[0].read {
                [
                    try $0.heldLength(of: attachment.digest, for: owner("an\0n"), now: Self.start),
                    try $0.heldLength(of: attachment.digest, for: owner("an"), now: Self.start),
                ]
            }
            #expect(held == [10, nil])
            try await tables[0].endHold([attachment.digest], of: owner("an\0n"), now: Self.start)
            let read = try await read(attachment, of: "a\0b", in: tables[0])
            #expect(read == nil)
        }
    }

    @Test func `with another digest than was said leave nothing`() async throws {
        let (data, attachment) = try content(300_000)
        let stores = try await PostgreSQLStores()
        try await stores.withTables { tables in
            await #expect(throws: Problem.contentDiffers) {
                try await tables[0].hold(
                    pieces(data.dropLast(), of: 10_000), as: attachment.digest, for: owner("ann"),
                    now: { Self.start })
            }
            struct Broken: Error {}
            let (broken, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
            continuation.yield(data)
            continuation.finish(throwing: Broken())
            await #expect(throws: Broken.self) {
                try await tables[0].hold(
                    broken, as: attachment.digest, for: owner("ann"), now: { Self.start })
            }
            let rows = try await stores.number(
                """
                SELECT (SELECT count(*) FROM settle.contents)
                    + (SELECT count(*) FROM settle.chunks)
                """)
            #expect(rows == 0)
        }
    }

    @Test func `are stored once and go with the last that has them`() async throws {
        let (data, attachment) = try content(5_000)
        let (other, second) = try content(6_000)
        let stores = try await PostgreSQLStores()
        try await stores.withTables { tables in
            let table = tables[0]
            func hold(_ subject: String, at time: Date) async throws {
                try await table.hold(
                    pieces(data, of: 999), as: attachment.digest, for: owner(subject), now: { time }
                )
            }
            func contents() async throws -> Int64 {
                try await stores.number("SELECT count(*) FROM settle.contents")
            }
            try await hold("ann", at: Self.start)
            try await hold("bob", at: Self.start)
            var count = try await contents()
            #expect(count == 1)
            try await table.put("a", attachments: [attachment])
            try await table.put("b", attachments: [attachment])
            try await table.put("a")
            count = try await contents()
            #expect(count == 1)
            try await table.put("b")
            count = try await contents()
            // Two uploads still wait.
            #expect(count == 1)
            // Days later somebody uploads something else.
            let later = Self.start.addingTimeInterval(3 * 86_400)
            try await table.hold(
                pieces(other, of: 999), as: second.digest, for: owner("ann"), now: { later })
            count = try await contents()
            #expect(count == 1)
            try await table.put("c", attachments: [second])
            try await table.endHold([second.digest], of: owner("ann"), now: later)
            try await stores.sql { try $0.runAll("DELETE FROM settle.holds") }
            try await table.put("c")
            count = try await contents()
            #expect(count == 0)
            let chunks = try await stores.number("SELECT count(*) FROM settle.chunks")
            #expect(chunks == 0)
        }
    }

    @Test func `that are damaged are not given out to the end`() async throws {
        let (data, attachment) = try content(600_000)
        let stores = try await PostgreSQLStores()
        try await stores.withTables { tables in
            try await tables[0].hold(
                pieces(data, of: 200_000), as: attachment.digest, for: owner("ann"),
                now: { Self.start })
            try await tables[0].put("a", attachments: [attachment])
            try await stores.sql {
                try $0.runAll(
                    """
                    UPDATE settle.chunks SET bytes = set_byte(bytes, 5, 255 - get_byte(bytes, 5))
                    WHERE number = 0
                    """)
            }
            let error = await #expect(throws: DatabaseError.self) {
                try await read(attachment, of: "a", in: tables[0])
            }
            #expect(error?.code == .corrupted)
            try await stores.sql { try $0.runAll("DELETE FROM settle.chunks WHERE number = 1") }
            let missing = await #expect(throws: DatabaseError.self) {
                try await read(attachment, of: "a", from: 300_000, in: tables[0])
            }
            #expect(missing?.code == .corrupted)
        }
    }
}
