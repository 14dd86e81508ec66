import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

@Suite(.serialized) struct `Adding operations` {
    @Test func `stores them in the commit of the documents, and they come back as they were`()
        async throws
    {
        let queue = try await QueueFixture()
        let outbox = queue.outbox
        let first = UUID()
        try await queue.database.write { transaction in
            try transaction.save(Document(id: "fig"))
            try outbox.with(transaction).add(
                Errand(text: "put"), id: first, about: ["fig"], priority: 3)
        }
        let found = try #require(try queue.operation(first))
        #expect(found.name == "errand")
        #expect(found.pipeline == "default")
        #expect(found.priority == 3)
        #expect(found.documentIds == ["fig"])
        #expect(found.status == .pending)
        #expect(found.startCount == 0)
        #expect(found.holds.isEmpty && found.holdDate == nil)
        #expect(found.changedFields.isEmpty && found.dependencies.isEmpty)
        let errand = try found.operation(as: Errand.self)
        #expect(errand == Errand(text: "put"))
        let parcel = try found.operation(as: Parcel.self)
        #expect(parcel == nil)
        let json = try found.json()
        #expect(json == ["text": "put"])
        let again = try await queue.reopened()
        let ids = try again.ids()
        #expect(ids == [first])
    }

    @Test func `is undone with the documents when the closure throws`() async throws {
        let queue = try await QueueFixture()
        let outbox = queue.outbox
        await #expect(throws: ExpectedError.self) {
            try await queue.database.write { transaction in
                try transaction.save(Document(id: "fig"))
                try outbox.with(transaction).add(Errand())
                throw ExpectedError()
            }
        }
        let (rowCount, document) = (
            try queue.rowCount(), try await queue.database.fetchDocument("fig")
        )
        #expect(rowCount == 0)
        #expect(document == nil)
        try await queue.add("next")
        let ids = try queue.ids()
        #expect(ids.count == 1)
    }

    @Test func `is undone when another participant refuses the commit`() async throws {
        let queue = try await QueueFixture()
        let outbox = queue.outbox
        let refusing = RefusingParticipant()
        queue.database.addParticipant(refusing)
        await #expect(throws: ExpectedError.self) {
            try await queue.database.write { transaction in
                try transaction.save(Document(id: "fig"))
                try outbox.with(transaction).add(Errand())
            }
        }
        queue.database.removeParticipant(refusing)
        let rowCount = try queue.rowCount()
        #expect(rowCount == 0)
    }

    @Test func `is refused with the documents when what it depends on is wrong`() async throws {
        let queue = try await QueueFixture()
        let outbox = queue.outbox
        let own = UUID()
        let thrown = try await code {
            try await queue.database.write { transaction in
                try transaction.save(Document(id: "fig"))
                try outbox.with(transaction).add(Errand(), id: own, dependencies: [own])
            }
        }
        #expect(thrown == .dependencyCycle)
        let document = try await queue.database.fetchDocument("fig")
        #expect(document == nil)
    }

    @Test func `makes one graph of each closure, also of those that are committed together`()
        async throws
    {
        let queue = try await QueueFixture()
        let outbox = queue.outbox
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    do {
                        try await outbox.write { queue in
                            for _ in 0..<3 { try queue.add(Errand()) }
                            // Those that fail leave nothing with the others.
                            if number % 4 == 0 { throw ExpectedError() }
                        }
                    } catch is ExpectedError {}
                }
            }
            try await group.waitForAll()
        }
        let graphs = try outbox.read { try $0.graphs() }
        #expect(graphs.map(\.operations.count) == Array(repeating: 3, count: 30))
        #expect(graphs.map(\.number) == graphs.map(\.number).sorted())
        let started = try await queue.start()
        #expect(started == graphs.first?.operations.map(\.id))
    }

    @Test func `of one commit into two pipelines gives both the same graph`() async throws {
        let queue = try await QueueFixture([idle(), idle("photos")])
        let (one, other) = try await queue.outbox.write { queue in
            (try queue.add(Errand()), try queue.add(Parcel(), pipeline: "photos"))
        }
        let (first, second) = (try queue.operation(one), try queue.operation(other))
        #expect(first?.graph == second?.graph)
        #expect(second?.pipeline == "photos")
        let names = try queue.outbox.read { $0.pipelineNames }
        #expect(names == ["default", "photos"])
    }

    @Test func `is seen by the rest of the closure`() async throws {
        let queue = try await QueueFixture()
        let before = try await queue.add("before")
        try await queue.outbox.write { queue in
            let added = try queue.add(Errand(text: "added"))
            let (all, own) = (try queue.operations(), queue.addedOperations())
            #expect(all.map(\.id) == [before, added])
            #expect(own.map(\.id) == [added])
            let (found, stored) = (try queue.operation(added), try queue.stored().operation(added))
            #expect(found?.id == added)
            #expect(stored == nil)
        }
    }

    @Test func `needs a type and a pipeline of the outbox, and an identifier of its own`()
        async throws
    {
        let queue = try await QueueFixture(operations: [Errand.self])
        let outbox = queue.outbox
        let first = try await queue.add("first")
        let codes = [
            try await code { try await outbox.write { _ = try $0.add(Parcel()) } },
            try await code { try await outbox.write { _ = try $0.add(Errand(), pipeline: "no") } },
            try await code { try await outbox.write { _ = try $0.add(Errand(), id: first) } },
            try await code {
                try await outbox.write { queue in
                    let id = try queue.add(Errand())
                    try queue.add(Errand(), id: id)
                }
            },
            try await code { try await outbox.write { _ = try $0.add(Errand(), about: [""]) } },
            try await code {
                let long = String(repeating: "x", count: 256)
                try await outbox.write { _ = try $0.add(Errand(), about: [long]) }
            },
        ]
        #expect(
            codes == [
                .unknownType, .unknownPipeline, .duplicateOperation, .duplicateOperation,
                .invalidOperation, .invalidOperation,
            ])
        let ids = try queue.ids()
        #expect(ids == [first])
    }

    @Test func `works again with an identifier whose operation is done`() async throws {
        let queue = try await QueueFixture()
        let id = try await queue.add("one")
        try await queue.outbox.write { queue in
            try queue.complete(id)
            try queue.add(Errand(text: "two"), id: id)
        }
        let errand = try queue.operation(id)?.operation(as: Errand.self)
        #expect(errand?.text == "two")
        let started = try await queue.start()
        #expect(started == [id])
    }

    @Test func `of what cannot be stored is refused, and of what is no object is not`()
        async throws
    {
        let queue = try await QueueFixture(operations: [Measure.self, Signal.self])
        let outbox = queue.outbox
        let thrown = try await code {
            try await outbox.write { _ = try $0.add(Measure(value: .nan)) }
        }
        #expect(thrown == .invalidOperation)
        let id = try await outbox.write { try $0.add(Signal.red) }
        let found = try #require(try queue.operation(id))
        let (signal, json) = (try found.operation(as: Signal.self), try found.json())
        #expect(signal == .red)
        #expect(json == "red")
    }
}

private struct Measure: OutboxOperation {
    static let operationName = "measure"
    var value: Double
}

/// An operation that is stored as a text.
private enum Signal: String, OutboxOperation {
    case red, green
    static let operationName = "signal"
}

private final class RefusingParticipant: CommitParticipant {
    func willCommit(_ changes: [DocumentChange], in transaction: Transaction) throws {
        throw ExpectedError()
    }
}
