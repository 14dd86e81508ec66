import SettlePrimitives
import Testing

@testable import SettleLMDB

private struct Problem: Error {}

@Suite(.serialized) struct `Reading and writing` {
    @Test func `a worker thread writes a database`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        let thread = WorkerThread(name: "writer")
        for number in UInt8(1)...5 {
            thread.submit {
                #expect(throws: Never.self) { try environment.put([number], for: [number]) }
            }
        }
        thread.stop()
        #expect(try environment.value(for: [5]) == [5])
    }

    @Test func `keys of 1 to 511 bytes are taken, 0 and 512 are refused`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        for count in [1, 511] {
            let key = [UInt8](repeating: 9, count: count)
            try environment.put([1], for: key)
            #expect(try environment.value(for: key) == [1])
        }
        for count in [0, 512] {
            let key = [UInt8](repeating: 9, count: count)
            #expect(code { try environment.put([1], for: key) } == .keyTooLong)
            #expect(code { _ = try environment.value(for: key) } == .keyTooLong)
            #expect(
                code {
                    _ = try environment.write { transaction in
                        try transaction.delete(key, from: transaction.createTable(named: "t"))
                    }
                } == .keyTooLong)
        }
    }

    @Test func `values from empty to large come back whole, larger ones are refused`() throws {
        let scratch = Scratch()
        let environment = try scratch.open(.init(valueSizeMax: 3_000_000))
        defer { environment.close() }
        for count in [0, 1, 2_000, 4_096, 3_000_000] {
            let value = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            try environment.put(value, for: [1])
            #expect(try environment.value(for: [1]) == value)
        }
        let value = [UInt8](repeating: 0, count: 3_000_001)
        #expect(code { try environment.put(value, for: [1]) } == .valueTooLarge)
    }

    @Test func `insert, append and delete tell what they met`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        try environment.write { transaction in
            let table = try transaction.createTable(named: "t")
            #expect(try transaction.insert([1], for: [1], in: table))
            #expect(try !transaction.insert([2], for: [1], in: table))
            #expect(try transaction.value(for: [1], in: table) == [1])
            try transaction.append([2], for: [2], in: table)
            #expect(code { try transaction.append([3], for: [2], in: table) } == .keyOutOfOrder)
            #expect(try transaction.delete([1], from: table))
            #expect(try !transaction.delete([1], from: table))
            #expect(try transaction.count(of: table) == 1)
            #expect(try transaction.withValue(for: [2], in: table) { $0[0] } == 2)
            #expect(try transaction.withValue(for: [1], in: table) { $0[0] } == nil)
            #expect(try transaction.contains([2], in: table))
            try transaction.removeAll(from: table)
            #expect(try transaction.first(in: table) == nil && transaction.last(in: table) == nil)
        }
    }

    @Test func `a thrown error rolls everything back`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        try environment.put([1], for: [1])
        #expect(throws: Problem.self) {
            try environment.write { transaction in
                try transaction.put([2], for: [1], in: transaction.createTable(named: "t"))
                throw Problem()
            }
        }
        #expect(try environment.value(for: [1]) == [1])
    }

    @Test func `an aborted transaction leaves no table and no handle`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        var kept: Table?
        #expect(throws: Problem.self) {
            try environment.write { transaction in
                kept = try transaction.createTable(named: "ghost")
                throw Problem()
            }
        }
        let ghost = try #require(kept)
        #expect(try environment.read { try $0.table(named: "ghost") } == nil)
        try environment.put([1], for: [1], in: "other")
        #expect(
            code { _ = try environment.read { try $0.value(for: [1], in: ghost) } } == .notFound)
        #expect(
            code { try environment.write { try $0.put([2], for: [1], in: ghost) } } == .notFound)
        #expect(try environment.value(for: [1], in: "other") == [1])
    }

    @Test func `a dropped table is gone for all and can be made anew`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        try environment.put([1], for: [1])
        let old = try #require(try environment.read { try $0.table(named: "t") })
        try environment.write { transaction in
            try transaction.drop(old)
            #expect(try transaction.table(named: "t") == nil)
            #expect(code { try transaction.put([1], for: [1], in: old) } == .notFound)
        }
        #expect(try environment.read { try $0.tableNames() } == [])
        #expect(code { _ = try environment.read { try $0.count(of: old) } } == .notFound)
        try environment.put([2], for: [2])
        #expect(try environment.value(for: [1]) == nil)
        try environment.write { transaction in
            let table = try #require(try transaction.table(named: "t"))
            try transaction.drop(table)
            let again = try transaction.createTable(named: "t")
            try transaction.put([3], for: [3], in: again)
        }
        #expect(try environment.value(for: [2]) == nil)
        #expect(try environment.value(for: [3]) == [3])
    }

    @Test func `statistics count tables, pages and the free ones`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        for number in UInt8(1)...10 {
            try environment.put([UInt8](repeating: 1, count: 40_000), for: [number])
        }
        let full = try environment.statistics()
        #expect(full.tables.map(\.name) == ["t"])
        #expect(full.tables.map(\.entryCount) == [10])
        #expect(full.tables[0].sizeBytes >= 400_000)
        #expect(full.pagesUsed * full.pageSizeBytes >= 400_000)
        try environment.write { transaction in
            try transaction.removeAll(from: transaction.createTable(named: "t"))
        }
        let empty = try environment.statistics()
        #expect(empty.tables.map(\.entryCount) == [0])
        #expect(empty.pagesFree > 90 && empty.pagesFree < empty.pagesUsed)
        #expect(empty.transactionLast == full.transactionLast + 1)
        #expect(empty.readers.isEmpty)
        try environment.sync()
    }

    @Test func `more tables than tablesMax is an error that says so`() throws {
        let scratch = Scratch()
        let environment = try scratch.open(.init(tablesMax: 2))
        defer { environment.close() }
        try environment.put([1], for: [1], in: "a")
        try environment.put([1], for: [1], in: "b")
        #expect(code { try environment.put([1], for: [1], in: "c") } == .tablesFull)
        #expect(try environment.value(for: [1], in: "b") == [1])
    }

    @Test func `a nested read shares the snapshot, one in a write sees the state before`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        try environment.put([1], for: [1])
        try environment.read { outer in
            try environment.read { inner in #expect(inner === outer) }
        }
        try environment.write { transaction in
            try transaction.put([2], for: [1], in: transaction.createTable(named: "t"))
            #expect(try environment.value(for: [1]) == [1])
        }
        #expect(try environment.value(for: [1]) == [2])
    }

    @Test func `a walk in a write may write to other tables`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        try environment.write { transaction in
            let source = try transaction.createTable(named: "source")
            let target = try transaction.createTable(named: "target")
            for number in 0..<UInt8(200) {
                try transaction.put([number], for: [number], in: source)
            }
            try transaction.forEach(in: source, direction: .backward) { key, value in
                let copy = [UInt8](repeating: value[0], count: 5_000)
                try transaction.put(copy, for: [key[0]], in: target)
                #expect(key[0] == value[0])
                return true
            }
            #expect(try transaction.count(of: target) == 200)
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `ranges in both directions agree with a sorted list`(seed: UInt64) throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        var generator = SeededGenerator(seed: seed)
        func randomKey(_ counts: ClosedRange<Int>) -> [UInt8] {
            let isLong = Int.random(in: 0..<8, using: &generator) == 0
            let count = isLong ? 509 + counts.upperBound : Int.random(in: counts, using: &generator)
            return (0..<count).map { index in
                index < 2 || index > 508 ? .random(in: 0...2, using: &generator) : 0
            }
        }
        var oracle: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<120 { oracle[randomKey(1...2)] = randomKey(0...2) }
        let sorted = oracle.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        try environment.write { transaction in
            let table = try transaction.createTable(named: "t")
            for (key, value) in oracle { try transaction.put(value, for: key, in: table) }
        }
        func randomBound() -> Bound {
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: .unbounded
            case 1, 2: .including(randomKey(0...4))
            default: .excluding(randomKey(0...4))
            }
        }
        for _ in 0..<400 {
            let (lower, upper) = (randomBound(), randomBound())
            let expected = sorted.filter { isInside($0.key, lower, upper) }.map(\.key)
            try environment.read { transaction in
                let table = try #require(try transaction.table(named: "t"))
                for direction in [Direction.forward, .backward] {
                    var found: [[UInt8]] = []
                    try transaction.forEach(
                        in: table, from: lower, to: upper, direction: direction
                    ) { key, value in
                        found.append(key.indices.map { key[$0] })
                        #expect(oracle[found[found.count - 1]]?.count == value.count)
                        return true
                    }
                    let wanted = direction == .forward ? expected : expected.reversed()
                    #expect(found == wanted, "seed \(seed), \(lower) to \(upper)")
                }
                #expect(try transaction.first(in: table)?.key == sorted.first?.key)
                #expect(try transaction.last(in: table)?.key == sorted.last?.key)
            }
        }
    }

    private func isInside(_ key: [UInt8], _ lower: Bound, _ upper: Bound) -> Bool {
        let isAbove =
            switch lower {
            case .unbounded: true
            case .including(let bound): !key.lexicographicallyPrecedes(bound)
            case .excluding(let bound): bound.lexicographicallyPrecedes(key)
            }
        let isBelow =
            switch upper {
            case .unbounded: true
            case .including(let bound): !bound.lexicographicallyPrecedes(key)
            case .excluding(let bound): key.lexicographicallyPrecedes(bound)
            }
        return isAbove && isBelow
    }
}
