import Testing

@testable import SettleLMDB

@Suite(.serialized) struct `The number of the last commit` {
    @Test func `rises with commits and not with reads, rollbacks, or a compaction`() throws {
        struct GivenUp: Error {}
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        try environment.put([1], for: [1])
        let first = try #require(try environment.lastTransaction())
        #expect(try environment.value(for: [1]) == [1])
        #expect(throws: GivenUp.self) { try environment.write { _ in throw GivenUp() } }
        #expect(try environment.lastTransaction() == first)
        try environment.put([2], for: [1])
        let second = try #require(try environment.lastTransaction())
        #expect(second > first)
        _ = try environment.compact()
        #expect(try environment.lastTransaction() == second)
        #expect(try environment.statistics().transactionLast == second)
    }

    @Test func `can be told inside a read and a write`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        try environment.put([1], for: [1])
        let number = try environment.lastTransaction()
        #expect(try environment.read { _ in try environment.lastTransaction() } == number)
        #expect(try environment.write { _ in try environment.lastTransaction() } == number)
    }

    @Test func `is not told once the environment is closed`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        try environment.put([1], for: [1])
        environment.close()
        #expect(try environment.lastTransaction() == nil)
    }
}
