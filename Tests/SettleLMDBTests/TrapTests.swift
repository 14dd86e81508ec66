import Synchronization
import Testing

@testable import SettleLMDB

@Suite(.serialized) struct `Bugs trap with a sentence` {
    @Test func `a write inside a write`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let scratch = Scratch()
            let environment = try scratch.open()
            try Bugs.writeInsideWrite(environment)
            withExtendedLifetime(scratch) {}
        }
        #expect(says("inside a write of the same database", result))
    }

    @Test func `a write inside a read of the same thread`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let scratch = Scratch()
            let environment = try scratch.open()
            try environment.read { _ in try environment.put([1], for: [1]) }
            withExtendedLifetime(scratch) {}
        }
        #expect(says("inside a read of the same database", result))
    }

    @Test func `a transaction used after its closure`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let scratch = Scratch()
            let environment = try scratch.open()
            try environment.put([1], for: [1])
            var kept: ReadTransaction?
            try environment.read { kept = $0 }
            _ = try kept?.tableNames()
            withExtendedLifetime(scratch) {}
        }
        #expect(says("used after its closure", result))
    }

    @Test func `a write to the table that is walked`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let scratch = Scratch()
            let environment = try scratch.open()
            try environment.put([1], for: [1])
            try Bugs.writeInsideWalk(environment)
            withExtendedLifetime(scratch) {}
        }
        #expect(says("inside a forEach over it", result))
    }

    @Test(arguments: [0, 1, 2])
    func `a write inside a walk in place, to any table`(kind: Int) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [kind] in
            let scratch = Scratch()
            let environment = try scratch.open()
            try environment.put([1], for: [1])
            try Bugs.writeInsideWalkInPlace(environment, kind)
            withExtendedLifetime(scratch) {}
        }
        #expect(says("inside a walk that reads in place", result))
    }

    @Test func `a close inside a transaction`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let scratch = Scratch()
            let environment = try scratch.open()
            try environment.read { _ in environment.close() }
            withExtendedLifetime(scratch) {}
        }
        #expect(says("closed inside one of its own", result))
    }
}

/// Whether the process that trapped said these words; only debug builds say any.
private func says(_ words: String, _ result: ExitTest.Result?) -> Bool {
    guard let result else { return false }
    #if DEBUG
        return String(decoding: result.standardErrorContent, as: UTF8.self).contains(words)
    #else
        return true
    #endif
}

private enum Bugs {
    static func writeInsideWrite(_ environment: Environment) throws {
        try environment.write { _ in try environment.write { _ in } }
    }

    static func writeInsideWalk(_ environment: Environment) throws {
        try environment.write { transaction in
            let table = try transaction.createTable(named: "t")
            try transaction.forEach(in: table) { key, _ in
                try transaction.delete([key[0]], from: table)
            }
        }
    }

    static func writeInsideWalkInPlace(_ environment: Environment, _ kind: Int) throws {
        try environment.write { transaction in
            let table = try transaction.createTable(named: "t")
            let other = try transaction.createTable(named: "other")
            try transaction.forEachInPlace(in: table) { key, _ in
                switch kind {
                case 0: try transaction.put([1], for: [1], in: other)
                case 1: try transaction.delete([key[0]], from: table)
                default: _ = try transaction.createTable(named: "new")
                }
                return true
            }
        }
    }
}
