import Testing

@testable import SettleLMDB

private struct Problem: Error {}

@Suite(.serialized) struct `Filling a value in place` {
    @Test func `stores what the closure wrote, of any length`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        for count in [0, 1, 300, 2_000, 5_000, 100_000] {
            try environment.write { transaction in
                let table = try transaction.createTable(named: "t")
                try transaction.put(count: count, for: [1], in: table) { output in
                    for index in 0..<count { output.append(UInt8(truncatingIfNeeded: index)) }
                }
            }
            let expected = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            #expect(try environment.value(for: [1]) == expected)
        }
    }

    @Test func `an insert fills nothing when the key is there`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        try environment.write { transaction in
            let table = try transaction.createTable(named: "t")
            #expect(
                try transaction.insert(count: 2, for: [5], in: table) {
                    $0.append(7)
                    $0.append(8)
                })
            #expect(
                try !transaction.insert(count: 1, for: [5], in: table) { _ in
                    Issue.record("There was no place to fill.")
                })
            #expect(try transaction.insert(count: 0, for: [4], in: table) { _ in })
        }
        #expect(try environment.value(for: [5]) == [7, 8])
        #expect(try environment.value(for: [4]) == [])
    }

    @Test func `keeps the rules of a put`() throws {
        let scratch = Scratch()
        let environment = try scratch.open(.init(valueSizeMax: 10))
        defer { environment.close() }
        let wrong: [(count: Int, key: [UInt8], code: LMDBError.Code)] = [
            (1, [], .keyTooLong), (1, [UInt8](repeating: 1, count: 512), .keyTooLong),
            (11, [1], .valueTooLarge),
        ]
        for (count, key, expected) in wrong {
            let found = code {
                try environment.write { transaction in
                    let table = try transaction.createTable(named: "t")
                    try transaction.put(count: count, for: key, in: table) { output in
                        output.append(repeating: 0, count: count)
                    }
                }
            }
            #expect(found == expected)
        }
    }

    @Test(arguments: [false, true])
    func `a closure that throws gives the transaction up, hidden or not`(isHidden: Bool) throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        try environment.put([1], for: [1])
        #expect(throws: Problem.self) {
            try environment.write { transaction in
                let table = try transaction.createTable(named: "t")
                try transaction.put([2], for: [2], in: table)
                do {
                    try transaction.put(count: 3, for: [1], in: table) { output in
                        output.append(9)
                        throw Problem()
                    }
                } catch {
                    if !isHidden { throw error }
                }
            }
        }
        #expect(try environment.value(for: [1]) == [1])
        #expect(try environment.value(for: [2]) == nil)
    }

    @Test func `a full map runs the closure again`() throws {
        let scratch = Scratch()
        let environment = try scratch.open(.init(mapSizeInitial: 128 << 10))
        defer { environment.close() }
        try environment.write { transaction in
            let table = try transaction.createTable(named: "t")
            try transaction.put(count: 1 << 20, for: [1], in: table) { output in
                output.append(repeating: 3, count: 1 << 20)
            }
        }
        #expect(try environment.value(for: [1]) == [UInt8](repeating: 3, count: 1 << 20))
    }

    @Test func `a place that is not filled to its end traps`() async {
        await #expect(processExitsWith: .failure) {
            let scratch = Scratch()
            let environment = try scratch.open()
            try Fills.short(environment)
            withExtendedLifetime(scratch) {}
        }
    }

    @Test func `a write inside the closure traps`() async {
        await #expect(processExitsWith: .failure) {
            let scratch = Scratch()
            let environment = try scratch.open()
            try Fills.writing(environment)
            withExtendedLifetime(scratch) {}
        }
    }
}

private enum Fills {
    static func short(_ environment: Environment) throws {
        try environment.write { transaction in
            let table = try transaction.createTable(named: "t")
            try transaction.put(count: 2, for: [1], in: table) { $0.append(1) }
        }
    }

    static func writing(_ environment: Environment) throws {
        try environment.write { transaction in
            let table = try transaction.createTable(named: "t")
            try transaction.put(count: 1, for: [1], in: table) { output in
                try transaction.put([1], for: [2], in: table)
                output.append(1)
            }
        }
    }
}
