import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

/// An operation with a member that may be large.
private struct Letter: OutboxOperation, Hashable {
    static let operationName = "letter"
    var recipient: String
    var content: [String]?
}

@Suite(.serialized) struct `Looking at the queue` {
    @Test func `goes on at the graph where it was stopped`() async throws {
        let queue = try await QueueFixture()
        var ids: [UUID] = []
        for number in 0..<5 { ids.append(try await queue.add("\(number)")) }
        let graph = try #require(try queue.operation(ids[2])?.graph)
        let rest = try queue.outbox.read { snapshot in
            var found: [UUID] = []
            try snapshot.forEachOperation(fromGraph: graph) { operation in
                found.append(operation.id)
                return found.count < 2
            }
            return found
        }
        #expect(rest == [ids[2], ids[3]])
        let behind = try queue.outbox.read { snapshot in
            var count = 0
            try snapshot.forEachOperation(fromGraph: .max) { _ in
                count += 1
                return true
            }
            return count
        }
        #expect(behind == 0)
        await queue.close()
    }

    @Test func `finds out whether there are operations about a document`() async throws {
        let queue = try await QueueFixture()
        let outbox = queue.outbox
        func hasOperations(_ id: String) throws -> Bool {
            try outbox.read { try $0.hasOperations(about: id) }
        }
        let id = try await queue.add(about: ["fig"])
        #expect(try hasOperations("fig"))
        #expect(try !hasOperations("fi") && !hasOperations("fig\u{0}"))
        try await outbox.write { transaction in
            #expect(try !transaction.hasOperations(about: "date"))
            try transaction.add(Errand(), about: ["date"])
            #expect(try transaction.hasOperations(about: "date"))
            #expect(try transaction.hasOperations(about: "fig"))
        }
        try await queue.complete(id)
        #expect(try !hasOperations("fig"))
        await queue.close()
    }

    @Test func `leaves out members that are not wanted`() async throws {
        let queue = try await QueueFixture(operations: [Letter.self])
        let letter = Letter(
            recipient: "Ada", content: Array(repeating: "Dear Madam", count: 1_000))
        let id = UUID()
        try await queue.outbox.write { try $0.add(letter, id: id) }
        let found = try #require(try queue.operation(id))
        #expect(found.size > 10_000)
        #expect(
            try found.operation(as: Letter.self, leavingOut: ["content"])
                == Letter(recipient: "Ada"))
        #expect(try found.operation(as: Letter.self, leavingOut: ["none"]) == letter)
        #expect(try found.operation(as: Letter.self) == letter)
        #expect(try found.operation(as: Errand.self, leavingOut: ["content"]) == nil)
        await queue.close()
    }
}
