import Glibc
import Testing

@testable import SettleLMDB

@Suite(.serialized) struct `Walking all pages` {
    @Test func `finds nothing in a file with everything, and adds up`() throws {
        let scratch = Scratch()
        let environment = try scratch.open(.init(durability: .relaxed))
        defer { environment.close() }
        #expect(try environment.verifyPages().isClean)
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<30 {
            try Content.change(environment, &generator)
            let report = try environment.verifyPages()
            #expect(report.findings == [])
            #expect(report.pagesLeaked == 0)
            let statistics = try environment.statistics()
            #expect(report.pagesTotal == statistics.pagesUsed)
            #expect(report.pagesFree == statistics.pagesFree)
            #expect(report.transaction == statistics.transactionLast)
        }
        try environment.compact()
        let report = try environment.verifyPages()
        #expect(report.isClean && report.pagesFree == 0 && report.pagesLeaked == 0)
    }

    @Test func `goes on beside writes`() throws {
        let scratch = Scratch()
        let environment = try scratch.open(.init(durability: .relaxed))
        defer { environment.close() }
        let isOver = Flag()
        try withThreads(1) { _ in
            while !isOver.isRaised {
                let report = try environment.verifyPages()
                #expect(report.findings == [])
            }
        } andHere: {
            defer { isOver.raise() }
            var generator = SeededGenerator(seed: 4)
            for _ in 0..<30 { try Content.change(environment, &generator) }
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func `answers to any bytes without a trap`(seed: UInt64) throws {
        let scratch = Scratch()
        var generator = SeededGenerator(seed: seed)
        let environment = try scratch.open(.init(durability: .relaxed))
        for _ in 0..<6 { try Content.change(environment, &generator) }
        environment.close()
        let path = scratch.path + "/data.mdb"
        let bytes = try scratch.readDataFile()
        #expect(try DataFile.verify(path: path).findings == [])
        let values: [UInt8] = [0, 1, 2, 3, 4, 8, 0x7F, 0x80, 0xFF]
        var found = 0
        for _ in 0..<100 {
            var mutated = bytes
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                // Headers and ends of pages are where the trees are.
                let page = Int.random(in: 0..<bytes.count / 4_096, using: &generator) * 4_096
                let isHead = Bool.random(using: &generator)
                let offset = Int.random(in: 0..<(isHead ? 200 : 4_096), using: &generator)
                mutated[page + offset] = values.randomElement(using: &generator) ?? 0
            }
            if Int.random(in: 0..<10, using: &generator) == 0 {
                mutated.removeLast(Int.random(in: 1..<mutated.count, using: &generator))
            }
            scratch.writeDataFile(mutated)
            do throws(LMDBError) {
                let report = try DataFile.verify(path: path)
                found += report.findings.isEmpty ? 0 : 1
                // What the open looks at must not trap either; the engine is not asked.
                _ = try DataFile.check(path)
            } catch {
                #expect(
                    [.invalid, .versionMismatch, .corrupted].contains(error.code), "seed \(seed)")
                found += 1
            }
        }
        #expect(found > 10, "seed \(seed)")
    }

    @Test func `names each kind of damage`() throws {
        let scratch = Scratch()
        let environment = try scratch.open(.init(durability: .relaxed))
        try environment.write { transaction in
            let table = try transaction.createTable(named: "t")
            for number in UInt8(0)..<200 {
                let long = number.isMultiple(of: 50) ? 9_000 : 100
                try transaction.put([UInt8](repeating: 1, count: long), for: [number], in: table)
            }
        }
        try environment.put([1], for: [255])
        environment.close()
        let path = scratch.path + "/data.mdb"
        let bytes = try scratch.readDataFile()
        let leaf = try #require(Self.page(in: bytes, flags: 2, entriesAtLeast: 5))
        let branch = try #require(Self.page(in: bytes, flags: 1, entriesAtLeast: 2))
        let firstNode = branch + Int(bytes.unsigned16(at: branch + 16))
        let overflow = try #require(Self.page(in: bytes, flags: 4, entriesAtLeast: 0))
        let damages: [(offset: Int, value: [UInt8], words: String)] = [
            (leaf, [0xFF], "another page's number"),
            (leaf + 10, [7], "neither a branch nor a leaf"),
            (leaf + 12, [0xFF, 0xFF], "bounds are wrong"),
            (leaf + 16, [0xFE, 0xFF], "outside its page"),
            (leaf + 16, Array(bytes[leaf + 18..<leaf + 20]), "not in order"),
            (firstNode, [0xFF, 0xFF, 0xFF], "not exist"),
            (
                branch + Int(bytes.unsigned16(at: branch + 18)),
                Array(bytes[firstNode..<firstNode + 4]),
                "used twice"
            ),
            (overflow + 10, [2], "does not begin the long value"),
            (overflow + 12, [0xFF, 0xFF], "not exist"),
        ]
        for damage in damages {
            var mutated = bytes
            mutated.replaceSubrange(
                damage.offset..<damage.offset + damage.value.count, with: damage.value)
            scratch.writeDataFile(mutated)
            let findings = try DataFile.verify(path: path).findings
            #expect(
                findings.contains { $0.sentence.contains(damage.words) },
                "\(damage.words): \(findings)")
        }
    }

    /// The offset of a page of the newest commit that has such flags.
    private static func page(in bytes: [UInt8], flags: UInt16, entriesAtLeast count: Int) -> Int? {
        stride(from: bytes.count - 4_096, to: 4_096, by: -4_096).first { offset in
            bytes.unsigned16(at: offset + 10) == flags
                && bytes.unsigned64(at: offset) == UInt64(offset / 4_096)
                && (flags == 4 || Int(bytes.unsigned16(at: offset + 12)) >= 16 + 2 * count)
        }
    }
}

/// Tables with short and long values, changed at random.
private enum Content {
    static func change(
        _ environment: Environment, _ generator: inout SeededGenerator
    ) throws {
        try environment.write { transaction in
            for name in ["a", "b", "c"] {
                let table = try transaction.createTable(named: name)
                if Int.random(in: 0..<12, using: &generator) == 0 {
                    try transaction.removeAll(from: table)
                }
                for _ in 0..<60 {
                    let count = Int.random(in: 1...4, using: &generator)
                    let key = (0..<count).map { _ in UInt8.random(in: 0...5, using: &generator) }
                    let isLong = Int.random(in: 0..<20, using: &generator) == 0
                    let size = Int.random(in: 0...(isLong ? 20_000 : 300), using: &generator)
                    if Int.random(in: 0..<4, using: &generator) == 0 {
                        try transaction.delete(key, from: table)
                    } else {
                        try transaction.put([UInt8](repeating: 7, count: size), for: key, in: table)
                    }
                }
            }
        }
    }
}
