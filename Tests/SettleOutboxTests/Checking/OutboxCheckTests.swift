import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

@Suite(.serialized) struct `A check of the outbox` {
    /// A queue with something of every kind.
    private func filledQueue() async throws -> QueueFixture {
        let queue = try await QueueFixture()
        let first = UUID()
        try await queue.database.write { transaction in
            try transaction.save(["id": "ann", "n": 1])
            let outbox = try transaction.outbox
            try outbox.add(Errand(text: "a"), id: first, about: ["ann"], recordsChanges: true)
            try outbox.add(Errand(text: "b"), dependencies: [first], priority: 5)
            try outbox.attach("/a", to: "ann")
            try outbox.attach("/b", to: "ann", isPending: true)
            try outbox.setTag(.string("7"), "etag", of: "/a")
        }
        try await queue.database.write { transaction in
            try transaction.outbox.add(Errand(text: "c"), about: ["ann"])
        }
        return queue
    }

    /// What is done to a row, and what the check says of it.
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let problem: String
        let apply: @Sendable (Transaction) throws -> Void

        private static func firstKey(_ prefix: [UInt8], in table: SideTable) throws -> [UInt8] {
            let key = try #require(try table.firstKey(from: prefix))
            #expect(key.starts(with: prefix))
            return key
        }

        /// Removes the first row of a kind.
        private static func lost(_ kind: UInt8, _ name: String, _ problem: String) -> Damage {
            Damage(testDescription: "a lost \(name)", problem: problem) { transaction in
                let table = try transaction.sideTable(named: OutboxTable.name)
                try table.remove(firstKey([kind], in: table))
            }
        }

        /// Puts other bytes into the first row of a kind.
        private static func garbage(
            _ prefix: [UInt8], of name: String = OutboxTable.name, _ problem: String
        ) -> Damage {
            Damage(testDescription: "garbage in a row \(prefix) of \(name)", problem: problem) {
                let table = try $0.sideTable(named: name)
                try table.set([9, 9], for: firstKey(prefix, in: table))
            }
        }

        /// Adds a row.
        private static func stray(
            _ key: [UInt8], of name: String = OutboxTable.name, _ problem: String
        ) -> Damage {
            Damage(testDescription: "a stray row \(key.prefix(2)) of \(name)", problem: problem) {
                try $0.sideTable(named: name).set([1], for: key)
            }
        }

        static let all = [
            garbage([0], "The counters cannot be read."),
            garbage([1], "It cannot be read."),
            garbage([2], "An identifier leads to no operation."),
            garbage([7], "A pipeline cannot be read."),
            lost(0, "row of counters", "Its numbers were never given."),
            lost(1, "operation", "An identifier leads to no operation."),
            lost(2, "identifier", "It is not found by its identifier."),
            lost(3, "place in a list", "It waits for nothing, and is in 0 lists."),
            lost(4, "dependency", "What is said to wait for it does not."),
            lost(5, "dependant", "What it waits for does not know of it."),
            lost(6, "document", "It is not found by the document 'ann'."),
            lost(7, "pipeline", "It is in no pipeline."),
            stray([1, 2], "The key of an operation cannot be read."),
            stray([3, 2], "A row of a list cannot be read."),
            stray(
                OutboxRowKey.place(
                    .ready, OperationKey(pipeline: 1, graph: 1, number: 2), priority: 5),
                "It waits for others, and is listed as if it did not."),
            stray(
                OutboxRowKey.place(
                    .ready, OperationKey(pipeline: 1, graph: 1, number: 1), priority: 77),
                "It is listed under a key that is not its own."),
            stray(
                OutboxRowKey.place(
                    .started, OperationKey(pipeline: 1, graph: 1, number: 1), priority: 0),
                "It waits for nothing, and is in 2 lists."),
            stray(
                OutboxRowKey.wait(of: 77, for: 1), "It waits, or is waited for, and is not there."),
            stray(
                OutboxRowKey.document("bob", OperationKey(pipeline: 1, graph: 1, number: 1)),
                "A document leads to it that it is not about."),
            stray([99], "A row is of no kind that is known."),
            garbage([], of: TagTable.name, "A tag cannot be read."),
            stray(
                [1], of: CloudLinks.name, "A link cannot be read, or has a key that is not its own."
            ),
            Damage(
                testDescription: "a lost link", problem: "is not there from both ends."
            ) { transaction in
                let table = try transaction.sideTable(named: CloudLinks.name)
                try table.remove(firstKey([1], in: table))
            },
        ]
    }

    @Test func `finds nothing in a sound one, and reads every row of it`() async throws {
        let queue = try await filledQueue()
        #expect(try await queue.database.check() == [])
        try await queue.outbox.write { _ = try $0.markActive(#require($0.operations().first?.id)) }
        #expect(try await queue.database.check() == [])
    }

    @Test(arguments: Damage.all)
    func `finds`(damage: Damage) async throws {
        let queue = try await filledQueue()
        try await queue.database.write { try damage.apply($0) }
        let findings = try await queue.database.check()
        #expect(findings.contains { $0.problem.hasSuffix(damage.problem) }, "\(findings)")
        #expect(findings.allSatisfy { $0.place.hasPrefix("side table 'outbox") }, "\(findings)")
    }
}
