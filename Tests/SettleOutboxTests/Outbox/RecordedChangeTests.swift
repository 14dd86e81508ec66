import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

@Suite(.serialized) struct `Recorded changes of documents` {
    private func record(
        _ queue: QueueFixture, about ids: [String],
        _ change: @escaping @Sendable (Transaction) throws -> Void
    ) async throws -> [String: FieldChanges] {
        let outbox = queue.outbox
        let id = try await queue.database.write { transaction in
            // Before the documents change: what counts is the end of the closure.
            let id = try outbox.with(transaction).add(
                Errand(), about: ids, recordsChanges: true)
            try change(transaction)
            return id
        }
        return try #require(try queue.operation(id)).changedFields
    }

    @Test func `have what was changed, added, and removed`() async throws {
        let queue = try await QueueFixture()
        try await queue.database.write { transaction in
            var document = Document(id: "fig")
            document[json: "same"] = 1
            document[json: "changed"] = "old"
            document[json: "removed"] = [1, 2]
            try transaction.save(document)
        }
        let changes = try await record(queue, about: ["fig"]) { transaction in
            var document = try #require(try transaction.document("fig"))
            document[json: "changed"] = "between"
            try transaction.save(document)
            document = try #require(try transaction.document("fig"))
            document[json: "changed"] = "new"
            document[json: "removed"] = nil
            document[json: "added"] = .null
            try transaction.save(document)
        }
        #expect(
            changes == [
                "fig": FieldChanges(
                    old: ["changed": "old", "removed": [1, 2]],
                    new: ["changed": "new", "added": .null])
            ])
    }

    @Test func `of new and deleted documents have all members on one side`() async throws {
        let queue = try await QueueFixture()
        let added = try await record(queue, about: ["fig"]) { transaction in
            var document = Document(id: "fig")
            document[json: "n"] = 1
            try transaction.save(document)
        }
        #expect(added == ["fig": FieldChanges(old: [:], new: ["n": 1])])
        let deleted = try await record(queue, about: ["fig", "none"]) { transaction in
            try transaction.delete(documentWithId: "fig")
        }
        #expect(
            deleted == ["fig": FieldChanges(old: ["n": 1], new: [:]), "none": FieldChanges()])
    }

    @Test func `are not there unless they are asked for`() async throws {
        let queue = try await QueueFixture()
        let outbox = queue.outbox
        let id = try await queue.database.write { transaction in
            try transaction.save(Document(id: "fig"))
            return try outbox.with(transaction).add(Errand(), about: ["fig"])
        }
        let found = try queue.operation(id)
        #expect(found?.changedFields == [:])
    }

    @Test func `that follow each other are the changes from the first to the last`() {
        var random = SeededGenerator()
        func someMembers() -> [String: JSONValue] {
            var members: [String: JSONValue] = [:]
            for name in ["a", "b", "c", "d"] where Bool.random(using: &random) {
                members[name] = [1, 2, .null, "x"].randomElement(using: &random)
            }
            return members
        }
        func changes(_ old: [String: JSONValue], _ new: [String: JSONValue]) -> FieldChanges {
            FieldChanges(
                old: old.filter { new[$0.key] != $0.value },
                new: new.filter { old[$0.key] != $0.value })
        }
        for _ in 0..<2_000 {
            let states = (0..<4).map { _ in someMembers() }
            let steps = zip(states, states.dropFirst()).map { changes($0, $1) }
            let all = steps[0].followed(by: steps[1]).followed(by: steps[2])
            let expected = changes(states[0], states[3])
            if all != expected { Issue.record("\(states): \(all); \(random)") }
        }
    }
}
