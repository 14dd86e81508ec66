import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

/// Writes down what it is told, in the transaction, and refuses what a test says.
private final class Diary: OutboxHooks {
    /// What is refused, by the words of the entries.
    let refused: Set<String>
    /// Called when an operation is about to be added.
    let adding: (@Sendable (inout QueuedOperation, Transaction) throws -> Void)?

    init(
        refusing refused: Set<String> = [],
        adding: (@Sendable (inout QueuedOperation, Transaction) throws -> Void)? = nil
    ) {
        self.refused = refused
        self.adding = adding
    }

    private func note(
        _ what: String, _ operation: QueuedOperation, _ transaction: Transaction
    ) throws {
        let text = try operation.operation(as: Errand.self)?.text ?? "?"
        if refused.contains("\(what) \(text)") { throw ExpectedError() }
        var diary = try transaction.document("diary") ?? Document(id: "diary")
        let entries = diary[json: "entries"]?.arrayValue ?? []
        let known = try transaction.outbox.operation(operation.id) != nil
        let entry = "\(what) \(text) \(operation.status) \(known ? "there" : "not there")"
        diary[json: "entries"] = .array(entries + [.string(entry)])
        try transaction.save(diary)
    }

    func willAdd(_ operation: inout QueuedOperation, in transaction: Transaction) throws {
        try note("willAdd", operation, transaction)
        try adding?(&operation, transaction)
    }

    func didAdd(_ operation: QueuedOperation, in transaction: Transaction) throws {
        try note("didAdd", operation, transaction)
    }

    func willInsert(_ operation: inout QueuedOperation, in transaction: Transaction) throws {
        try note("willInsert", operation, transaction)
    }

    func didInsert(_ operation: QueuedOperation, in transaction: Transaction) throws {
        try note("didInsert", operation, transaction)
    }

    func willModify(
        _ operation: inout QueuedOperation, from old: QueuedOperation, in transaction: Transaction
    ) throws {
        try note("willModify", operation, transaction)
        operation.priority += 1
    }

    func didModify(
        _ operation: QueuedOperation, from old: QueuedOperation, in transaction: Transaction
    ) throws {
        try note("didModify from \(old.priority) to \(operation.priority)", operation, transaction)
    }

    func willComplete(_ operation: QueuedOperation, in transaction: Transaction) throws {
        try note("willComplete", operation, transaction)
    }

    func didComplete(_ operation: QueuedOperation, in transaction: Transaction) throws {
        try note("didComplete", operation, transaction)
    }

    func willSkip(_ operation: QueuedOperation, in transaction: Transaction) throws {
        try note("willSkip", operation, transaction)
    }

    func didSkip(_ operation: QueuedOperation, in transaction: Transaction) throws {
        try note("didSkip", operation, transaction)
    }

    func didCoalesce(
        _ added: QueuedOperation, with queued: QueuedOperation, into result: QueuedOperation?,
        in snapshot: Snapshot
    ) throws {
        let kinds = try [added, queued, result].map { try $0?.operation(as: Edit.self)?.kind }
        if refused.contains("didCoalesce") { throw ExpectedError() }
        coalesced.add(kinds)
    }

    let coalesced = Collected<[OperationKind?]>()
}

@Suite(.serialized) struct `Hooks of an outbox` {
    private func entries(_ queue: QueueFixture) async throws -> [String] {
        let diary = try await queue.database.fetchDocument("diary")
        return diary?[json: "entries"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    @Test func `are called around whatever happens, in its transaction`() async throws {
        let queue = try await QueueFixture(hooks: Diary())
        let outbox = queue.outbox
        let a = try await queue.add("a")
        let b = try await outbox.write { queue in
            let b = try queue.insert(Errand(text: "b"), intoGraphOf: a)
            try queue.modify(b) { $0.priority = 3 }
            return b
        }
        try await outbox.write { try $0.modify(a) { $0.priority = 5 } }
        #expect(try queue.operation(a)?.priority == 6)
        #expect(try queue.operation(b)?.priority == 4)
        try await queue.complete(a)
        try await outbox.write { queue in
            try queue.skip(b)
            let c = try queue.add(Errand(text: "c"))
            try queue.skip(c)
            let again = try queue.skip(c)
            #expect(!again)
        }
        #expect(
            try await entries(queue) == [
                "willAdd a pending not there", "didAdd a pending there",
                "willInsert b pending not there", "didInsert b pending there",
                "willModify b pending there", "didModify from 0 to 4 b pending there",
                "willModify a pending there", "didModify from 0 to 6 a pending there",
                "willComplete a pending there", "didComplete a completed not there",
                "willSkip b pending there", "didSkip b skipped not there",
                "willAdd c pending not there", "didAdd c pending there",
                "willSkip c pending there", "didSkip c skipped not there",
            ])
        #expect(try queue.ids().isEmpty)
    }

    @Test(arguments: [
        "willAdd x", "didAdd x", "willInsert x", "didInsert x", "willModify x",
        "didModify from 0 to 8 x", "willComplete x", "didComplete x", "willSkip x", "didSkip x",
    ])
    func `refuse by throwing, and then nothing is stored`(refused: String) async throws {
        let queue = try await QueueFixture(hooks: Diary(refusing: [refused]))
        let outbox = queue.outbox
        let there = try await queue.add("there")
        let kept = try await entries(queue)
        await #expect(throws: ExpectedError.self) {
            try await queue.database.write { transaction in
                try transaction.save(Document(id: "with it"))
                let queue = try outbox.with(transaction)
                let isInserted = refused.contains("Insert")
                let x =
                    isInserted
                    ? try queue.insert(Errand(text: "x"), intoGraphOf: there)
                    : try queue.add(Errand(text: "x"))
                try queue.modify(x) { $0.priority = 7 }
                if refused.contains("Complete") { try queue.complete(x) } else { try queue.skip(x) }
            }
        }
        #expect(try queue.ids() == [there])
        #expect(try await queue.database.fetchDocument("with it") == nil)
        #expect(try await entries(queue) == kept)
    }

    @Test func `that refuse before leave the operation as it was for who catches it`()
        async throws
    {
        let refusing: Set<String> = [
            "willAdd y", "willModify x", "willComplete x", "willSkip x",
        ]
        let queue = try await QueueFixture(hooks: Diary(refusing: refusing))
        let outbox = queue.outbox
        let x = try await queue.add("x")
        try await outbox.write { queue in
            for body in [
                { _ = try queue.add(Errand(text: "y")) },
                { try queue.modify(x) { $0.priority = 9 } },
                { try queue.complete(x) }, { try queue.skip(x) },
            ] as [() throws -> Void] {
                #expect(throws: ExpectedError.self) { try body() }
            }
        }
        #expect(try queue.ids() == [x])
        #expect(try queue.operation(x)?.priority == 0)
    }

    @Test func `may change what is added, and add more`() async throws {
        let hooks = Diary { operation, transaction in
            guard let errand = try operation.operation(as: Errand.self) else { return }
            operation.priority = 4
            operation.documentIds.append("fig")
            try operation.set(Errand(text: errand.text + "!"))
            if errand.text == "one" {
                let other = try transaction.outbox.add(Errand(text: "other"))
                operation.dependencies.insert(other)
            }
        }
        let queue = try await QueueFixture(hooks: hooks)
        let one = try await queue.add("one")
        let about = try queue.outbox.read { try $0.operations(about: "fig") }
        #expect(try about.map { try $0.operation(as: Errand.self)?.text } == ["other!", "one!"])
        #expect(about.map(\.priority) == [4, 4])
        let started = try await queue.start()
        #expect(started == [about[0].id] && about[1].id == one)
    }

    /// Holds whatever is about to be modified, and notes something with it.
    private struct Holding: OutboxHooks {
        func willModify(
            _ operation: inout QueuedOperation, from old: QueuedOperation,
            in transaction: Transaction
        ) throws {
            let queue = try transaction.outbox
            try queue.hold(operation.id, until: .distantFuture, context: "wifi")
            try queue.setNotes(["at": 5], of: operation.id)
        }

        func didModify(
            _ operation: QueuedOperation, from old: QueuedOperation, in transaction: Transaction
        ) throws {
            #expect(Set(operation.holds.keys) == ["wifi"] && operation.notes == ["at": 5])
        }
    }

    @Test func `may hold what is about to be modified, stored or not`() async throws {
        let queue = try await QueueFixture(hooks: Holding())
        let stored = try await queue.add("stored")
        let added = try await queue.outbox.write { queue in
            let added = try queue.add(Errand(text: "added"))
            for id in [stored, added] { try queue.modify(id) { $0.priority = 3 } }
            return added
        }
        for id in [stored, added] {
            let found = try #require(try queue.operation(id))
            #expect(found.priority == 3 && Set(found.holds.keys) == ["wifi"])
            #expect(found.notes == ["at": 5])
        }
        #expect(try queue.lists() == QueueLists(held: [stored]))
        let findings = try await queue.database.check()
        #expect(findings.isEmpty)
    }

    @Test func `are called for what a policy coalesces, and may refuse it`() async throws {
        let hooks = Diary()
        let queue = try await QueueFixture(
            [idle(coalescing: .byKind(of: Edit.self))], hooks: hooks)
        for kind in [OperationKind.insert, .update, .delete] {
            try await queue.outbox.write { _ = try $0.add(Edit(kind: kind), about: ["fig"]) }
        }
        #expect(hooks.coalesced.all == [[.update, .insert, .insert], [.delete, .insert, nil]])
        let other = try await QueueFixture(
            [idle(coalescing: .byKind(of: Edit.self))],
            hooks: Diary(refusing: ["didCoalesce"]))
        let outbox = other.outbox
        try await outbox.write { _ = try $0.add(Edit(kind: .insert), about: ["fig"]) }
        await #expect(throws: ExpectedError.self) {
            try await outbox.write { _ = try $0.add(Edit(kind: .delete), about: ["fig"]) }
        }
        let left = try outbox.read { try $0.operations() }
        #expect(try left.map { try $0.operation(as: Edit.self)?.kind } == [.insert])
    }
}
