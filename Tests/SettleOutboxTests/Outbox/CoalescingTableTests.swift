import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

@Suite(.serialized) struct `The tables of coalescing` {
    /// What is left of a queued operation and an added one: the kind, "-" for nothing, "!" for a
    /// mistake; in the order insert, update, delete, undelete of what is added.
    private static let tables: [(queued: OperationKind, added: [String])] = [
        (.insert, ["!", "insert", "-", "!"]),
        (.update, ["!", "update", "delete", "!"]),
        (.delete, ["update", "!", "!", "update"]),
        (.undelete, ["!", "undelete", "-", "!"]),
    ]

    private static let cases = tables.flatMap { row in
        zip(OperationKind.allCases, row.added).map { (row.queued, $0, $1) }
    }

    @Test func `have an entry for all kinds`() {
        #expect(Self.cases.count == OperationKind.allCases.count * OperationKind.allCases.count)
        for (queued, added, expected) in Self.cases {
            for rules in CoalescingRules.allCases {
                let outcome = rules.outcome(queued: queued, added: added)
                switch expected {
                case "!": #expect(outcome == (rules == .tables ? .refused : .older))
                case "-": #expect(outcome == .nothing)
                default: #expect(outcome == OperationKind(rawValue: expected).map { .newer($0) })
                }
            }
        }
    }

    @Test(arguments: CoalescingRules.allCases, [false, true])
    func `say what is left in the queue`(_ rules: CoalescingRules, _ isInOneClosure: Bool)
        async throws
    {
        let queue = try await QueueFixture([
            idle(coalescing: .byKind(of: Edit.self, rules: rules))
        ])
        let outbox = queue.outbox
        for (queued, added, expected) in Self.cases {
            let comment = Comment(rawValue: "\(queued), \(added)")
            let (first, second) = (UUID(), UUID())
            let thrown = try await code {
                if isInOneClosure {
                    try await outbox.write { queue in
                        try queue.add(Edit(kind: queued, text: "old"), id: first, about: ["fig"])
                        try queue.add(Edit(kind: added, text: "new"), id: second, about: ["fig"])
                    }
                } else {
                    try await outbox.write {
                        _ = try $0.add(
                            Edit(kind: queued, text: "old"), id: first, about: ["fig"])
                    }
                    try await queue.database.write { transaction in
                        try transaction.save(Document(id: "fig-\(second)"))
                        try outbox.with(transaction).add(
                            Edit(kind: added, text: "new"), id: second, about: ["fig"])
                    }
                }
            }
            let isRefused = expected == "!" && rules == .tables
            #expect(thrown == (isRefused ? .notCoalescable : nil), comment)
            let document = try await queue.database.fetchDocument("fig-\(second)")
            #expect((document == nil) == (isRefused || isInOneClosure), comment)
            let left = try outbox.read { try $0.operations() }
            #expect(left.allSatisfy { $0.id == first }, comment)
            let edits = try left.map { try $0.operation(as: Edit.self) }
            switch expected {
            case "-": #expect(edits.isEmpty, comment)
            case "!" where isRefused && isInOneClosure: #expect(edits.isEmpty, comment)
            case "!": #expect(edits == [Edit(kind: queued, text: "old")], comment)
            default:
                let kind = try #require(OperationKind(rawValue: expected))
                #expect(edits == [Edit(kind: kind, text: "new")], comment)
            }
            try await outbox.write { _ = try $0.skipOperations() }
            let rowCount = try queue.rowCount()
            #expect(rowCount == 0, comment)
        }
    }

    @Test(arguments: CoalescingRules.allCases)
    func `never rewrite what was ever started`(_ rules: CoalescingRules) async throws {
        let queue = try await QueueFixture([
            idle(algorithm: .flatGraph, coalescing: .byKind(of: Edit.self, rules: rules))
        ])
        let outbox = queue.outbox
        for (queued, added, _) in Self.cases {
            for isGivenBack in [false, true] {
                let comment = Comment(rawValue: "\(queued), \(added), \(isGivenBack)")
                let first = try await outbox.write {
                    try $0.add(Edit(kind: queued, text: "old"), about: ["fig"])
                }
                try await queue.start()
                if isGivenBack { try await outbox.write { try $0.giveBack(first) } }
                let second = try await outbox.write {
                    try $0.add(Edit(kind: added, text: "new"), about: ["fig"])
                }
                let edits = try outbox.read { snapshot in
                    try snapshot.operations().map { try $0.operation(as: Edit.self) }
                }
                #expect(
                    edits == [Edit(kind: queued, text: "old"), Edit(kind: added, text: "new")],
                    comment)
                let dependencies = try queue.operation(second)?.dependencies
                #expect(dependencies == [first], comment)
                let started = try await queue.start()
                #expect(started == (isGivenBack ? [first] : []), comment)
                try await queue.complete(first)
                let next = try await queue.start()
                #expect(next == [second], comment)
                try await queue.complete(second)
            }
        }
    }
}
