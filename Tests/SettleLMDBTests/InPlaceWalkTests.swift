import Testing

@testable import SettleLMDB

private struct Problem: Error {}

@Suite(.serialized) struct `Walking in place` {
    @Test func `a write transaction sees its own writes and may write after the walk`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        try environment.write { transaction in
            let table = try transaction.createTable(named: "t")
            for key in UInt8(1)...9 { try transaction.put([key, key], for: [key], in: table) }
            var seen: [[UInt8]] = []
            for direction in [Direction.forward, .backward] {
                try transaction.forEachInPlace(
                    in: table, from: .including([3]), to: .excluding([6]), direction: direction
                ) { key, value in
                    seen.append([key[0], value[0], value[1]])
                    return true
                }
            }
            #expect(
                seen == [[3, 3, 3], [4, 4, 4], [5, 5, 5], [5, 5, 5], [4, 4, 4], [3, 3, 3]])
            try transaction.put([0], for: [4], in: table)
            #expect(try transaction.value(for: [4], in: table) == [0])
        }
    }

    @Test func `walks may lie one in the other, and an error ends them all`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        try environment.write { transaction in
            let table = try transaction.createTable(named: "t")
            for key in UInt8(1)...3 { try transaction.put([key], for: [key], in: table) }
            var pairs = 0
            #expect(throws: Problem.self) {
                try transaction.forEachInPlace(in: table) { outer, _ in
                    try transaction.forEachInPlace(in: table) { inner, _ in
                        pairs += 1
                        if outer[0] == 2, inner[0] == 3 { throw Problem() }
                        return true
                    }
                    return true
                }
            }
            #expect(pairs == 6)
            try transaction.put([9], for: [9], in: table)
        }
        try environment.read { transaction in
            let table = try #require(try transaction.table(named: "t"))
            var keys: [UInt8] = []
            try transaction.forEachInPlace(in: table) { key, _ in
                keys.append(key[0])
                return key[0] < 3
            }
            #expect(keys == [1, 2, 3])
            #expect(try transaction.count(of: table) == 4)
        }
    }
}
