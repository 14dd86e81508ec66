import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `Streamed attachments` {
    /// Pieces of odd lengths, 1 to 5 bytes short of or over a power of two.
    private struct Pieces: AsyncSequence {
        typealias Element = Data
        let lengths: [Int]
        var failsAtEnd = false

        struct Broken: Error {}

        struct Iterator: AsyncIteratorProtocol {
            var lengths: [Int]
            let failsAtEnd: Bool
            var value: UInt8 = 0
            mutating func next() async throws -> Data? {
                guard let length = lengths.popLast() else {
                    if failsAtEnd { throw Broken() }
                    return nil
                }
                value &+= 41
                return Data(repeating: value, count: length)
            }
        }

        func makeAsyncIterator() -> Iterator {
            Iterator(lengths: lengths, failsAtEnd: failsAtEnd)
        }

        func all() async throws -> Data {
            var data = Data()
            for try await piece in self { data.append(piece) }
            return data
        }
    }

    @Test(arguments: [
        [], [0], [1], [65_520], [65_520, 65_520], [65_519, 2], [9_000_000, 3, 70_000],
    ])
    func `come back as they were given`(lengths: [Int]) async throws {
        try await withDatabase { database async throws in
            let source = Pieces(lengths: lengths)
            let stored = try await database.storeAttachment(
                named: "f", contentType: "t", chunks: source)
            let expected = try await source.all()
            #expect(stored.length == expected.count)
            #expect(try stored.data() == expected)
            var document: Document = ["id": "a"]
            document.attachments = [stored]
            try await database.save(document)
            #expect(try database.statistics().waitingContentCount == 0)
            let fetched = try #require(try await database.fetchDocument("a")?.attachments.first)
            var streamed = Data()
            for try await chunk in fetched.chunks { streamed.append(chunk) }
            #expect(streamed == expected)
            #expect(fetched == DocumentAttachment(name: "f", contentType: "t", data: expected))
            #expect(try await database.check() == [])
        }
    }

    @Test func `from a file and into a file are the same bytes`() async throws {
        let directory = try ScratchDirectory("files")
        let source = directory.url.appendingPathComponent("in")
        let target = directory.url.appendingPathComponent("out")
        let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 13) })
        try bytes.write(to: source)
        try Data("old".utf8).write(to: target)
        try await withDatabase { database async throws in
            let stored = try await database.storeAttachment(
                named: "f", contentType: "t", contentsOf: source)
            try await stored.write(to: target)
            #expect(try Data(contentsOf: target) == bytes)
            let error = await #expect(throws: DatabaseError.self) {
                try await database.storeAttachment(
                    named: "f", contentType: "t",
                    contentsOf: directory.url.appendingPathComponent("missing"))
            }
            #expect(error?.code == .inputOutput)
            try await database.discard(stored)
            let gone = await #expect(throws: DatabaseError.self) {
                try await stored.write(to: target)
            }
            #expect(gone?.code == .attachmentNotAvailable)
            #expect(try Data(contentsOf: target) == bytes)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 2)
        }
    }

    @Test func `leave nothing when their source fails`() async throws {
        try await withDatabase { database async throws in
            await #expect(throws: Pieces.Broken.self) {
                try await database.storeAttachment(
                    named: "f", contentType: "t",
                    chunks: Pieces(lengths: [9_000_000], failsAtEnd: true))
            }
            #expect(try database.statistics().waitingContentCount == 0)
            #expect(try database.statistics().tables.first { $0.name == "chunks" }?.rowCount == 0)
        }
    }

    @Test func `that nobody took go a day later, when the database is opened`() async throws {
        let directory = try ScratchDirectory("waiting")
        func open(_ day: Double) async throws -> Database {
            let configuration = Database.OpenDatabaseConfiguration(
                name: "test", fileLocation: directory.url,
                now: { Date(timeIntervalSince1970: day * 86_400) })
            return try #require(try await Database.open(with: configuration, create: true))
        }
        for (day, count) in [(1.0, 0), (1.9, 1), (2.1, 0)] {
            let database = try await open(day)
            #expect(try database.statistics().waitingContentCount == count)
            if day == 1 {
                _ = try await database.storeAttachment(
                    named: "f", contentType: "t", chunks: Pieces(lengths: [10]))
            }
            await database.close()
        }
    }

    @Test func `that are only described can be saved, and get their content later`() async throws {
        try await withDatabase { database async throws in
            let source = Pieces(lengths: [100_000])
            let whole = DocumentAttachment(
                name: "f", contentType: "t", data: try await source.all())
            var document: Document = ["id": "a"]
            document.attachments = [
                try DocumentAttachment(
                    name: "f", contentType: "t", length: whole.length, digest: whole.digest)
            ]
            try await database.save(document)
            var fetched = try #require(try await database.fetchDocument("a"))
            #expect(try fetched.attachments[0].isContentAvailable == false)
            let missing = #expect(throws: DatabaseError.self) {
                try fetched.attachments[0].data()
            }
            #expect(missing?.code == .attachmentNotAvailable)
            // It stays described when the document is changed.
            fetched["n"] = 1
            fetched = try await database.save(fetched)
            let wrong = await #expect(throws: DatabaseError.self) {
                try await database.provideContent(
                    of: fetched.attachments[0], chunks: Pieces(lengths: [99_999]))
            }
            #expect(wrong?.code == .invalidAttachment)
            try await database.provideContent(of: fetched.attachments[0], chunks: source)
            #expect(try fetched.attachments[0].isContentAvailable)
            #expect(try fetched.attachments[0].data() == whole.data())
            #expect(try database.statistics().waitingContentCount == 0)
            #expect(try await database.check() == [])
        }
    }

    @Test func `a description must have a digest and a length`() {
        for (length, digest) in [
            (1, "abc"), (1, String(repeating: "A", count: 64)),
            (-1, String(repeating: "a", count: 64)),
        ] {
            let error = #expect(throws: DatabaseError.self) {
                try DocumentAttachment(
                    name: "f", contentType: "t", length: length, digest: digest)
            }
            #expect(error?.code == .invalidAttachment)
        }
    }
}
