import Testing

@testable import SettleLMDB

@Suite(.serialized) struct `Spans of a snapshot` {
    @Test func `show the value in place`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        try environment.put([1, 2, 3], for: [1])
        try environment.put([], for: [2])
        try environment.read { transaction in
            let table = try #require(try transaction.table(named: "t"))
            guard let span = try transaction.span(for: [1], in: table) else {
                Issue.record("The value is missing.")
                return
            }
            // A second one beside it: neither needs the other gone.
            let empty = try transaction.span(for: [2], in: table)
            let found = (0..<span.count).map { span[$0] }
            #expect(found == [1, 2, 3])
            guard let empty else {
                Issue.record("The empty value is missing.")
                return
            }
            let count = empty.count
            #expect(count == 0)
            let isAbsent = try transaction.span(for: [3], in: table) == nil
            #expect(isAbsent)
            #expect(code { _ = try transaction.span(for: [], in: table) == nil } == .keyTooLong)
        }
    }

    @Test func `are refused in a write transaction`() async {
        await #expect(processExitsWith: .failure) {
            let scratch = Scratch()
            let environment = try scratch.open()
            try environment.put([1], for: [1])
            try Self.spanInWrite(environment)
            withExtendedLifetime(scratch) {}
        }
    }

    private static func spanInWrite(_ environment: Environment) throws {
        try environment.write { transaction in
            let table = try transaction.createTable(named: "t")
            if try transaction.span(for: [1], in: table) == nil { return }
        }
    }
}
