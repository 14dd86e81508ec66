import SettlePrimitives
import Testing

@testable import SettleLMDB

@Suite(.serialized) struct `Ascending keys` {
    @Test(arguments: [8, 100, 300])
    func `fill their pages, over many transactions`(valueSize: Int) throws {
        let scratch = Scratch()
        let environment = try scratch.open(.init(durability: .relaxed))
        defer { environment.close() }
        var payload = 0
        var number: UInt32 = 0
        for batch in 0..<30 {
            try environment.write { transaction in
                let table = try transaction.createTable(named: "t")
                for _ in 0..<200 {
                    let key = Self.key(number)
                    number += 1
                    if batch.isMultiple(of: 2) {
                        try transaction.put(
                            [UInt8](repeating: 1, count: valueSize), for: key, in: table)
                    } else {
                        try transaction.put(count: valueSize, for: key, in: table) { output in
                            output.append(repeating: 1, count: valueSize)
                        }
                    }
                    // Header and slot of a node, at an even length.
                    payload += 10 + (key.count + valueSize + 1) / 2 * 2
                }
            }
        }
        let table = try #require(try environment.statistics().tables.first)
        #expect(table.entryCount == Int(number))
        #expect(Double(payload) / Double(table.sizeBytes) > 0.9)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func `mixed with any others agree with a dictionary`(seed: UInt64) throws {
        let scratch = Scratch()
        let environment = try scratch.open(.init(durability: .relaxed))
        defer { environment.close() }
        var generator = SeededGenerator(seed: seed)
        var oracle: [[UInt8]: [UInt8]] = [:]
        for batch in 0..<25 {
            var changed = oracle
            try? environment.write { transaction in
                let table = try transaction.createTable(named: "t")
                let other = try transaction.createTable(named: "other")
                for _ in 0..<60 {
                    let key = Self.randomKey(&generator)
                    let value = [UInt8](
                        repeating: UInt8(batch), count: .random(in: 0...400, using: &generator))
                    try transaction.put(value, for: key, in: other)
                    switch Int.random(in: 0..<12, using: &generator) {
                    case 0:
                        let found = try transaction.delete(key, from: table)
                        #expect(found == (changed.removeValue(forKey: key) != nil))
                    case 1:
                        guard let last = try transaction.last(in: table) else { continue }
                        try transaction.delete(last.key, from: table)
                        changed[last.key] = nil
                    case 2:
                        let stored = try transaction.insert(value, for: key, in: table)
                        #expect(stored == (changed[key] == nil), "seed \(seed)")
                        if stored { changed[key] = value }
                    case 3 where Int.random(in: 0..<10, using: &generator) == 0:
                        try transaction.removeAll(from: table)
                        changed = [:]
                    case 4:
                        let greatest = try transaction.last(in: table)?.key ?? []
                        let isGreater = greatest.lexicographicallyPrecedes(key)
                        let found = code { try transaction.append(value, for: key, in: table) }
                        #expect(found == (isGreater ? nil : .keyOutOfOrder), "seed \(seed)")
                        if isGreater { changed[key] = value }
                    default:
                        try transaction.put(value, for: key, in: table)
                        changed[key] = value
                    }
                }
                if Bool.random(using: &generator) { throw Problem() }
                oracle = changed
            }
            try environment.read { transaction in
                guard let table = try transaction.table(named: "t") else {
                    #expect(oracle.isEmpty)
                    return
                }
                var found: [[UInt8]] = []
                try transaction.forEach(in: table) { key, value in
                    found.append([UInt8](copying: key))
                    #expect(oracle[found[found.count - 1]] == [UInt8](copying: value))
                    return true
                }
                let expected = oracle.keys.sorted { $0.lexicographicallyPrecedes($1) }
                #expect(found == expected, "seed \(seed), batch \(batch)")
            }
        }
        #expect(!oracle.isEmpty)
    }

    private struct Problem: Error {}

    private static func key(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    private static func randomKey(_ generator: inout SeededGenerator) -> [UInt8] {
        let isLong = Int.random(in: 0..<10, using: &generator) == 0
        let count = isLong ? 511 : Int.random(in: 1...3, using: &generator)
        return (0..<count).map { index in
            index < 2 || index > 508 ? .random(in: 0...9, using: &generator) : 0
        }
    }
}
