import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

@Suite(.serialized) struct `Coalescing in the queue` {
    private func fixture(
        _ policy: CoalescingPolicy = .byKind(of: Edit.self),
        algorithm: PipelineAlgorithm = .flatGraph
    ) async throws -> QueueFixture {
        try await QueueFixture([idle(algorithm: algorithm, coalescing: policy)])
    }

    private func add(
        _ kind: OperationKind, _ text: String = "", about ids: [String] = ["fig"],
        after dependencies: Set<UUID> = [], priority: Int32 = 0, to queue: QueueFixture
    ) async throws -> UUID {
        try await queue.outbox.write {
            try $0.add(
                Edit(kind: kind, text: text), about: ids, dependencies: dependencies,
                priority: priority)
        }
    }

    @Test func `keeps the place of the older one, and unites what both had`() async throws {
        let queue = try await fixture(algorithm: .commitGraph)
        let (one, other) = try await queue.outbox.write { queue in
            (try queue.add(Errand()), try queue.add(Errand()))
        }
        let edit = try await add(.insert, after: [one], priority: 2, to: queue)
        try await queue.outbox.write {
            try $0.hold(edit, until: .distantFuture, context: "wifi")
        }
        let later = try await queue.add("later")
        let vanished = try await queue.outbox.write { queue in
            let id = try queue.add(
                Edit(kind: .update, text: "new"), about: ["fig"], dependencies: [other],
                priority: 1)
            try queue.hold(id, until: .distantFuture, context: "night")
            return id
        }
        let ids = try queue.ids()
        #expect(ids == [one, other, edit, later])
        let found = try #require(try queue.operation(edit))
        #expect(found.dependencies == [one, other])
        #expect(found.priority == 2)
        #expect(Set(found.holds.keys) == ["wifi", "night"])
        let gone = try queue.operation(vanished)
        #expect(gone == nil)
    }

    @Test func `reports the one that was added as skipped`() async throws {
        let queue = try await fixture()
        var changes = queue.outbox.queueChanges.makeAsyncIterator()
        let first = try await add(.insert, to: queue)
        #expect(await changes.next()?.added == [first])
        let second = try await add(.update, to: queue)
        var change = try #require(await changes.next())
        #expect(change.modified == [first] && change.skipped == [second] && change.added == [])
        let third = try await add(.delete, to: queue)
        change = try #require(await changes.next())
        #expect(change.modified == [] && change.skipped == [first, third])
    }

    @Test func `unites the recorded changes of both`() async throws {
        let queue = try await fixture()
        let outbox = queue.outbox
        for number in 1...3 {
            try await queue.database.write { transaction in
                var document = try transaction.document("fig") ?? Document(id: "fig")
                document[json: "n"] = .integer(Int64(number))
                document[json: "m\(number)"] = true
                try transaction.save(document)
                try outbox.with(transaction).add(
                    Edit(kind: number == 1 ? .insert : .update), about: ["fig"],
                    recordsChanges: true)
            }
        }
        let operations = try outbox.read { try $0.operations() }
        #expect(operations.count == 1)
        #expect(
            operations.first?.changedFields["fig"]
                == FieldChanges(old: [:], new: ["n": 3, "m1": true, "m2": true, "m3": true]))
    }

    @Test func `makes those wait for the older one that name the newer one`() async throws {
        let queue = try await fixture()
        let first = try await add(.update, "old", to: queue)
        let ids = try await queue.outbox.write { queue in
            let (before, newer) = (UUID(), UUID())
            try queue.add(Errand(), id: before, dependencies: [newer])
            try queue.add(Edit(kind: .update, text: "new"), id: newer, about: ["fig"])
            return [before, try queue.add(Errand(), dependencies: [newer])]
        }
        for id in ids {
            let dependencies = try queue.operation(id)?.dependencies
            #expect(dependencies == [first])
        }
        let started = try await queue.start()
        #expect(started == [first])
        try await queue.complete(first)
        let next = try await queue.start()
        #expect(next == ids)
    }

    @Test func `frees those that wait for what vanishes`() async throws {
        let queue = try await fixture()
        let first = try await add(.insert, to: queue)
        let waiting = try await queue.add("waiting", after: [first])
        let last = try await queue.outbox.write { queue in
            let newer = try queue.add(Edit(kind: .delete), about: ["fig"])
            return try queue.add(Errand(), dependencies: [newer, first])
        }
        let started = try await queue.start()
        #expect(started == [waiting, last])
    }

    @Test func `opens the next graph, when all of one vanishes, for what is free in it`()
        async throws
    {
        let queue = try await fixture(algorithm: .commitGraph)
        _ = try await add(.insert, to: queue)
        let ids = try await queue.outbox.write { queue in
            let (first, second) = (UUID(), UUID())
            try queue.add(Errand(), id: first, dependencies: [second])
            try queue.add(Errand(), id: second)
            try queue.add(Edit(kind: .delete), about: ["fig"])
            return [second, first]
        }
        for id in ids {
            let started = try await queue.start()
            #expect(started == [id])
            try await queue.complete(id)
        }
        let rowCount = try queue.rowCount()
        #expect(rowCount == 0)
    }

    @Test func `goes through any number of edits in one closure`() async throws {
        let queue = try await fixture()
        try await queue.outbox.write { queue in
            for kind in [OperationKind.insert, .update, .delete, .insert, .update] {
                try queue.add(Edit(kind: kind), about: ["fig"])
            }
        }
        let edits = try queue.outbox.read { snapshot in
            try snapshot.operations().map { try $0.operation(as: Edit.self) }
        }
        #expect(edits == [Edit(kind: .insert)])
    }

    @Test func `leaves operations about other documents, of other pipelines and types`()
        async throws
    {
        let policy = CoalescingPolicy.byKind(of: Edit.self)
        let queue = try await QueueFixture([
            idle(coalescing: policy), idle("second", coalescing: policy), idle("plain"),
        ])
        let first = try await add(.insert, to: queue)
        let other = try await add(.insert, about: ["plum"], to: queue)
        for pipeline in ["second", "plain", "plain"] {
            try await queue.outbox.write {
                _ = try $0.add(Edit(kind: .insert), pipeline: pipeline, about: ["fig"])
            }
        }
        let errand = try await queue.add("errand", about: ["fig"])
        let edit = try await add(.update, to: queue)
        let ids = try queue.ids(in: "default")
        #expect(ids == [first, other, errand, edit])
        let dependencies = try [errand, edit].map { try queue.operation($0)?.dependencies }
        #expect(dependencies == [[first], [errand]])
        let count = try queue.ids(in: "plain").count
        #expect(count == 2)
    }

    @Test func `an operation about several documents stays behind the last about each`()
        async throws
    {
        let queue = try await fixture()
        let fig = try await add(.update, about: ["fig"], to: queue)
        let plum = try await add(.update, about: ["plum"], to: queue)
        let both = try await add(.update, about: ["fig", "plum"], to: queue)
        let dependencies = try queue.operation(both)?.dependencies
        #expect(dependencies == [fig, plum])
        let again = try await add(.update, "new", about: ["fig", "plum"], to: queue)
        let gone = try queue.operation(again)
        #expect(gone == nil)
    }

    @Test func `is not done where the older one could not wait for what the newer one does`()
        async throws
    {
        let queue = try await fixture()
        // The newer one names one after the older, then one that waits for the older.
        let first = try await add(.update, "old", to: queue)
        let between = try await queue.add("between", after: [first])
        let second = try await add(.update, "new", after: [between], to: queue)
        let ids = try queue.ids()
        #expect(ids == [first, between, second])
        let dependencies = try queue.operation(second)?.dependencies
        #expect(dependencies == [first, between])

        let other = try await fixture()
        let (waiting, edit) = try await other.outbox.write { queue in
            let (waiting, edit) = (UUID(), UUID())
            try queue.add(Errand(), id: waiting, dependencies: [edit])
            try queue.add(Edit(kind: .update), id: edit, about: ["fig"])
            return (waiting, edit)
        }
        let third = try await add(.update, "new", after: [waiting], to: other)
        let left = try other.ids()
        #expect(left == [waiting, edit, third])

        let one = try await fixture()
        let last = try await add(.update, "old", to: one)
        let count = try await one.outbox.write { queue in
            let (edit, later) = (UUID(), UUID())
            try queue.add(Edit(kind: .update), id: edit, about: ["fig"], dependencies: [later])
            try queue.add(Errand(), id: later)
            return queue.addedOperations().count
        }
        #expect(count == 2)
        let all = try one.ids()
        #expect(all.count == 3 && all.first == last)
    }

    @Test func `is not done where a strict graph between would wait for itself`() async throws {
        let flatOnly = [idle(algorithm: .flatGraph, coalescing: .byKind(of: Edit.self))]
        var queue = try await QueueFixture(flatOnly + [idle("second")])
        let first = try await queue.add("first")
        let strict = try await queue.add("strict", in: "second")
        let edit = try await add(.update, "old", to: queue)
        try await queue.outbox.write { try $0.modify(first) { $0.dependencies = [edit] } }
        queue = try await queue.reopened(flatOnly)
        // The strict one waits for the first now, and that for the edit.
        let coalesced = try await add(.update, "new", to: queue)
        let newest = try await add(.update, "newest", after: [strict], to: queue)
        let gone = try queue.operation(coalesced)
        #expect(gone == nil)
        for id in [edit, first, strict, newest] {
            let started = try await queue.start()
            #expect(started == [id])
            try await queue.complete(id)
        }
    }

    @Test func `is not done where both name one identifier, but not one operation`() async throws {
        let queue = try await fixture()
        let named = try await queue.add("one")
        let first = try await add(.update, "old", after: [named], to: queue)
        let coalesced = try await add(.update, "new", after: [named], to: queue)
        try await queue.complete(named)
        try await queue.add("another", named)
        let second = try await add(.update, "newest", after: [named], to: queue)
        let ids = try queue.ids()
        #expect(ids == [first, named, second] && !ids.contains(coalesced))
        let started = try await queue.start()
        #expect(started == [first, named])
        try await queue.complete(first)
        let more = try await queue.start()
        #expect(more.isEmpty)
    }

    @Test func `does what a policy of the app's own says`() async throws {
        let policy = CoalescingPolicy { queued, added in
            switch try added.operation(as: Errand.self)?.text {
            case "both": return .keepBoth
            case "order": return .keepInOrder
            case "drop": return .dropBoth
            case "refuse": return .refuse("No.")
            case "throw": throw ExpectedError()
            default:
                var result = queued
                try result.set(Errand(text: "replaced"))
                result.documentIds = ["plum"]
                return .replace(result)
            }
        }
        let queue = try await fixture(policy)
        let first = try await queue.add("first", about: ["fig"])
        let both = try await queue.add("both", about: ["fig"])
        let order = try await queue.add("order", about: ["fig"])
        let dependencies = try [both, order].map { try queue.operation($0)?.dependencies }
        #expect(dependencies == [[], [both]])
        do {
            try await queue.add("refuse", about: ["fig"])
            Issue.record("It was not refused.")
        } catch let error as OutboxError {
            #expect(error.code == .notCoalescable && error.message == "No.")
        }
        await #expect(throws: ExpectedError.self) { try await queue.add("throw", about: ["fig"]) }
        try await queue.add("drop", about: ["fig"])
        var ids = try queue.ids()
        #expect(ids == [first, both])
        try await queue.add("other", about: ["fig"])
        ids = try queue.ids()
        #expect(ids == [first, both])
        let errand = try queue.operation(both)?.operation(as: Errand.self)
        #expect(errand == Errand(text: "replaced"))
        let about = try queue.outbox.read { snapshot in
            try ["fig", "plum"].map { try snapshot.operations(about: $0).map(\.id) }
        }
        #expect(about == [[first], [both]])
    }

    @Test func `makes an insert after a deletion an update, with its new members`()
        async throws
    {
        let queue = try await QueueFixture([idle(coalescing: .byKind(of: Edit.self))])
        let (database, outbox) = (queue.database, queue.outbox)
        try await database.save(["id": "fig", "n": 1, "gone": true])
        let first = try await database.write { transaction in
            try transaction.delete(documentWithId: "fig")
            return try outbox.with(transaction).add(
                Edit(kind: .delete), about: ["fig"], recordsChanges: true)
        }
        try await database.write { transaction in
            try transaction.save(["id": "fig", "n": 2, "new": true])
            try outbox.with(transaction).add(
                Edit(kind: .insert, text: "again"), about: ["fig"], recordsChanges: true)
        }
        let left = try outbox.read { try $0.operations() }
        #expect(left.map(\.id) == [first])
        #expect(try left[0].operation(as: Edit.self) == Edit(kind: .update, text: "again"))
        #expect(
            left[0].changedFields["fig"]
                == FieldChanges(
                    old: ["n": 1, "gone": true], new: ["n": 2, "new": true]))
    }
}
