import Foundation
import Settle
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct `Checking a database` {
    private let byKind = Database.Index.keyPaths(name: "kinds", version: "1", keys: [["kind"]])

    private func configuration(_ folder: URL) -> Database.OpenDatabaseConfiguration {
        Database.OpenDatabaseConfiguration(name: "test", fileLocation: folder, indexes: [byKind])
    }

    private func fill(_ folder: URL) async throws {
        let database = try #require(
            try await Database.open(with: configuration(folder), create: true))
        try await database.write { transaction in
            for number in 0..<3_000 {
                try transaction.add(["id": .init("d\(number)"), "kind": .init("k\(number % 9)")])
            }
        }
        _ = try await database.runQuery(on: "kinds", with: QueryByKeyRange())
        await database.close()
    }

    /// What is written over a page, behind its number.
    enum Damage: CaseIterable {
        case zeros, ones, noise
    }

    /// How often a page names a text in what it holds; the rest of a page may be of an older one.
    private static func count(of text: String, in page: Data) -> Int {
        let bytes = [UInt8](page)
        let isLeaf = bytes[10] & 2 != 0
        let upper = Int(bytes[14]) | Int(bytes[15]) << 8
        guard isLeaf, upper < page.count else { return 0 }
        var rest = page.dropFirst(upper)
        var count = 0
        while let found = rest.range(of: Data(text.utf8)) {
            count += 1
            rest = rest[found.upperBound...]
        }
        return count
    }

    @Test(arguments: Damage.allCases)
    func `names damaged pages and goes no further`(damage: Damage) async throws {
        let scratch = try ScratchDirectory("damage")
        try await fill(scratch.url)
        let file = scratch.url.appendingPathComponent("test.settle/data.mdb")
        var bytes = try Data(contentsOf: file)
        var random = SeededGenerator(seed: 7)
        // Leaves of documents: the engine follows other pages when the database is opened, and trusts them.
        let leaves = (2..<bytes.count / 4_096).filter {
            Self.count(of: "kind", in: bytes[$0 * 4_096..<($0 + 1) * 4_096]) > 20
        }
        try #require(leaves.count > 8)
        for page in leaves.prefix(8) {
            let start = page * 4_096 + 8
            let end = start + 4_000
            switch damage {
            case .zeros: bytes.replaceSubrange(start..<end, with: Data(count: 4_000))
            case .ones:
                bytes.replaceSubrange(start..<end, with: Data(repeating: 0xFF, count: 4_000))
            case .noise:
                bytes.replaceSubrange(
                    start..<end,
                    with: Data((0..<4_000).map { _ in UInt8.random(in: 0...255, using: &random) }))
            }
        }
        try bytes.write(to: file)
        let database = try #require(try await Database.open(with: configuration(scratch.url)))
        let findings = try await database.check()
        #expect(!findings.isEmpty)
        await database.close()
    }

    @Test func `finds nothing while others write`() async throws {
        let scratch = try ScratchDirectory("busy")
        try await fill(scratch.url)
        let database = try #require(try await Database.open(with: configuration(scratch.url)))
        let isOver = Atomic(false)
        let writer = Task {
            var number = 0
            while !isOver.load(ordering: .relaxed) {
                number += 1
                try await database.save(["id": .init("w\(number % 50)"), "n": .init(number)])
            }
            return number
        }
        for _ in 0..<5 { #expect(try await database.check() == []) }
        isOver.store(true, ordering: .relaxed)
        #expect(try await writer.value > 0)
        await database.close()
    }
}
