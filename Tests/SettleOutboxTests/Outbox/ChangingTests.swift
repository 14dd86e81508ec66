import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

@Suite(.serialized) struct `Changing queued operations` {
    @Test func `a change is there after a restart`() async throws {
        let queue = try await QueueFixture()
        let first = try await queue.add("first")
        let id = try await queue.add("old", about: ["fig", "plum"])
        try await queue.outbox.write { queue in
            try queue.modify(id) { operation in
                try operation.set(Errand(text: "new"))
                operation.priority = -7
                operation.dependencies = [first]
                operation.documentIds = ["plum", "quince"]
                operation.changedFields = ["plum": FieldChanges(old: ["n": 1], new: ["n": 2])]
            }
        }
        let again = try await queue.reopened()
        let found = try #require(try again.operation(id))
        let errand = try found.operation(as: Errand.self)
        #expect(errand == Errand(text: "new"))
        #expect(found.priority == -7)
        #expect(found.dependencies == [first])
        #expect(found.documentIds == ["plum", "quince"])
        #expect(found.changedFields["plum"]?.new == ["n": 2])
        let about = try again.outbox.read { snapshot in
            try ["fig", "plum", "quince"].map { try snapshot.operations(about: $0).map(\.id) }
        }
        #expect(about == [[], [id], [id]])
    }

    @Test func `an operation of this closure can be changed too`() async throws {
        let queue = try await QueueFixture()
        let id = try await queue.outbox.write { queue in
            let id = try queue.add(Errand(text: "old"))
            try queue.modify(id) { try $0.set(Errand(text: "new")) }
            try queue.hold(id, until: .distantFuture, context: "wifi")
            try queue.hold(id, until: .distantFuture, context: "login")
            return id
        }
        var found = try #require(try queue.operation(id))
        let errand = try found.operation(as: Errand.self)
        #expect(errand?.text == "new")
        #expect(Set(found.holds.keys) == ["wifi", "login"])
        let other = try await queue.outbox.write { queue in
            let other = try queue.add(Errand())
            try queue.hold(other, until: .distantFuture, context: "wifi")
            try queue.releaseHolds(other)
            return other
        }
        found = try #require(try queue.operation(other))
        #expect(found.holds.isEmpty)
    }

    @Test func `what was started cannot be changed until it is given back`() async throws {
        let queue = try await QueueFixture()
        let outbox = queue.outbox
        let id = try await queue.add("one")
        try await queue.start()
        let thrown = [
            try await code { try await outbox.write { try $0.modify(id) { $0.priority = 1 } } },
            try await code {
                try await outbox.write { try $0.hold(id, until: .distantFuture, context: "a") }
            },
            try await code { try await outbox.write { try $0.releaseHolds(id) } },
            try await code { try await outbox.write { try $0.markActive(id) } },
        ]
        #expect(thrown == Array(repeating: .operationIsActive, count: 4))
        try await outbox.write { queue in
            try queue.giveBack(id)
            try queue.modify(id) { try $0.set(Errand(text: "merged")) }
        }
        let found = try #require(try queue.operation(id))
        let errand = try found.operation(as: Errand.self)
        #expect(errand?.text == "merged")
        #expect(found.startCount == 1)
        let started = try await queue.start()
        #expect(started == [id])
    }

    @Test func `what is not there cannot be changed`() async throws {
        let queue = try await QueueFixture()
        let outbox = queue.outbox
        let (id, pending) = (UUID(), try await queue.add("pending"))
        let thrown = [
            try await code { try await outbox.write { try $0.modify(id) { $0.priority = 1 } } },
            try await code { try await outbox.write { try $0.hold(id, until: nil, context: "a") } },
            try await code { try await outbox.write { try $0.releaseHolds(id) } },
            try await code { try await outbox.write { try $0.markActive(id) } },
            try await code { try await outbox.write { try $0.giveBack(id) } },
            try await code { try await outbox.write { try $0.giveBack(pending) } },
            try await code {
                try await outbox.write { try $0.modify(pending) { try $0.set(Parcel()) } }
            },
            try await code {
                try await outbox.write { try $0.modify(pending) { $0.documentIds = [""] } }
            },
            try await code {
                try await outbox.write { try $0.hold(pending, until: .distantFuture, context: "") }
            },
        ]
        #expect(
            thrown == Array(repeating: .operationNotFound, count: 5)
                + [.operationIsNotActive, .invalidOperation, .invalidOperation, .invalidName])
    }

    @Test func `a change that throws changes nothing`() async throws {
        let queue = try await QueueFixture()
        let id = try await queue.add("one")
        try await queue.outbox.write { queue in
            #expect(throws: ExpectedError.self) {
                try queue.modify(id) { operation in
                    operation.priority = 9
                    throw ExpectedError()
                }
            }
        }
        let found = try queue.operation(id)
        #expect(found?.priority == 0)
        let started = try await queue.start()
        #expect(started == [id])
    }
}
