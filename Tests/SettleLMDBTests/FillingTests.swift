import CLMDB
import SettlePrimitives
import Testing
import TestSupport

@testable import SettleLMDB

/// A compaction writes each table anew, in the order of its keys.
@Suite struct `A compaction that fills pages` {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `keeps every entry, and makes pages full that random keys left half empty`(seed: UInt64)
        throws
    {
        let scratch = Scratch()
        let environment = try scratch.open(.init(durability: .relaxed))
        defer { environment.close() }
        var generator = SeededGenerator(seed: seed)
        var model: [String: [[UInt8]: [UInt8]]] = ["a": [:], "b": [:], "empty": [:]]
        // More than one transaction of the copy takes; values of some pages among them.
        for batch in 0..<40 {
            try environment.write { transaction in
                for name in model.keys.sorted() {
                    let table = try transaction.createTable(named: name)
                    guard name != "empty" else { continue }
                    for number in 0..<250 {
                        let key = (0..<16).map { _ in
                            UInt8.random(in: .min ... .max, using: &generator)
                        }
                        let isLarge = number == 7 && batch.isMultiple(of: 4)
                        let count = isLarge ? 30_000 : Int.random(in: 0...1_200, using: &generator)
                        let value = [UInt8](repeating: key[0], count: count)
                        try transaction.put(value, for: key, in: table)
                        model[name]?[key] = value
                    }
                }
            }
        }
        let before = try environment.statistics()
        try environment.compact()
        let after = try environment.statistics()
        #expect(after.transactionLast == before.transactionLast)
        #expect(after.pagesFree < 60)
        #expect(Double(after.pagesUsed) < 0.85 * Double(before.pagesUsed - before.pagesFree))
        #expect(try environment.verifyPages().isClean)
        try Self.expect(environment, holds: model)
        // Full pages are split like any others.
        for name in ["a", "b"] {
            let key = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            try environment.put([9], for: key, in: name)
            model[name]?[key] = [9]
        }
        try Self.expect(environment, holds: model)
    }

    @Test func `loses no page where the copy takes more commits than there were`() throws {
        let scratch = Scratch()
        let environment = try scratch.open(.init(durability: .relaxed))
        defer { environment.close() }
        // Eight transactions of the copy, of one commit here.
        try environment.write { transaction in
            let table = try transaction.createTable(named: "t")
            for number in UInt32(0)..<16_000 {
                let key = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
                try transaction.put([UInt8](repeating: 1, count: 4_000), for: key, in: table)
            }
        }
        let before = try environment.statistics().transactionLast
        try environment.compact()
        #expect(try environment.statistics().transactionLast > before)
        for number in UInt8(0)..<30 {
            try environment.put([number], for: [number], in: "u")
            let report = try environment.verifyPages()
            #expect(report.isClean && report.pagesLeaked == 0)
        }
        let copies = Scratch()
        try environment.copy(to: copies.path + "/copy", compacting: true)
        let copied = try Environment.open(at: copies.path + "/copy", create: false)
        defer { copied.close() }
        #expect(try copied.value(for: [29], in: "u") == [29])
    }

    private static func expect(
        _ environment: Environment, holds model: [String: [[UInt8]: [UInt8]]]
    ) throws {
        try environment.read { transaction in
            #expect(try transaction.tableNames() == model.keys.sorted())
            for (name, entries) in model {
                let table = try #require(try transaction.table(named: name))
                #expect(try transaction.count(of: table) == entries.count)
                for (key, value) in entries {
                    #expect(try transaction.value(for: key, in: table) == value)
                }
            }
        }
    }

    @Test(arguments: [MDB_DUPSORT, MDB_REVERSEKEY, MDB_INTEGERKEY])
    func `refuses the table of another program, and leaves it as it is`(flag: Int32) throws {
        let scratch = Scratch()
        try scratch.open().close()
        try makeForeignTable("odd", flag, at: scratch.path)
        let environment = try scratch.open()
        defer { environment.close() }
        try environment.put([1], for: [1])
        #expect(code { try environment.compact() } == .corrupted)
        #expect(try environment.value(for: [1]) == [1])
        #expect(
            code { _ = try environment.write { try $0.createTable(named: "odd") } } == .invalid)
    }
}
