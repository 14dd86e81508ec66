import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

@Suite(.serialized) struct `The hook before operations are stored` {
    /// What a hook was called with.
    private final class Seen: Sendable {
        let calls = Collected<[UUID]>()
    }

    @Test func `adds dependencies on earlier operations`() async throws {
        // Each operation waits for the last one about the same document.
        let queue = try await QueueFixture([
            idle(algorithm: .flatGraph) { added, queue in
                for index in added.indices {
                    for id in added[index].documentIds {
                        let last = try queue.stored().operations(about: id).last
                        if let last { added[index].dependencies.insert(last.id) }
                    }
                }
            }
        ])
        let fig = try await queue.add("put", about: ["fig"])
        let plum = try await queue.add("put", about: ["plum"])
        let figAgain = try await queue.add("delete", about: ["fig"])
        var started = try await queue.start()
        #expect(started == [fig, plum])
        try await queue.complete(fig)
        started = try await queue.start()
        #expect(started == [figAgain])
    }

    @Test func `changes priorities, and earlier operations`() async throws {
        let queue = try await QueueFixture([
            idle(algorithm: .flatGraph) { added, queue in
                for index in added.indices where added[index].priority == 0 {
                    added[index].priority = 7
                }
                for other in try queue.stored().operations() {
                    try queue.modify(other.id) { $0.dependencies.formUnion(added.map(\.id)) }
                }
            }
        ])
        let first = try await queue.add("first")
        let second = try await queue.add("second")
        let found = try queue.operation(second)
        #expect(found?.priority == 7)
        for id in [second, first] {
            let started = try await queue.start()
            #expect(started == [id])
            try await queue.complete(id)
        }
    }

    @Test func `is called once for each closure that adds to its pipeline`() async throws {
        let seen = Seen()
        let queue = try await QueueFixture([
            idle { added, _ in seen.calls.add(added.map(\.id)) }, idle("photos"),
        ])
        let ids = try await queue.outbox.write { queue in
            let gone = try queue.add(Errand())
            try queue.skip(gone)
            try queue.add(Errand(), pipeline: "photos")
            return [try queue.add(Errand()), try queue.add(Errand())]
        }
        try await queue.add("photo", in: "photos")
        try await queue.outbox.write { try $0.modify(ids[0]) { $0.priority = 1 } }
        #expect(seen.calls.all == [ids])
    }

    @Test func `may hold what was added, and note something with it, and change it as well`()
        async throws
    {
        let night = Date(timeIntervalSince1970: 2_000_000_000)
        let queue = try await QueueFixture([
            idle { added, queue in
                for index in added.indices {
                    try queue.hold(added[index].id, until: night, context: "night")
                    try queue.setNotes(["at": 5], of: added[index].id)
                    added[index].priority = 7
                }
            }
        ])
        let id = try await queue.add("one")
        let found = try #require(try queue.operation(id))
        #expect(found.priority == 7)
        #expect(found.holds == ["night": night])
        #expect(found.notes == ["at": 5])
        #expect(try queue.lists() == QueueLists(held: [id]))
    }

    @Test func `sees what the hook of a later pipeline adds to its own`() async throws {
        let seen = Collected<[String]>()
        let queue = try await QueueFixture([
            idle { added, queue in
                seen.add(added.map(\.name))
                // Ends although each adds for the other.
                for _ in added { try queue.add(Errand(), pipeline: "photos") }
            },
            idle("photos") { added, queue in
                for _ in added { try queue.add(Parcel()) }
            },
        ])
        try await queue.add("photo", in: "photos")
        #expect(seen.all == [["parcel"]])
        #expect(try queue.ids().count == 4)
    }

    @Test func `refuses the commit by throwing, or by what it asks for`() async throws {
        let queue = try await QueueFixture([
            idle { added, _ in
                guard let text = try added.first?.operation(as: Errand.self)?.text else { return }
                if text == "throw" { throw ExpectedError() }
                if text == "circle" { added[0].dependencies = [added[0].id] }
            }
        ])
        await #expect(throws: ExpectedError.self) { try await queue.add("throw") }
        let thrown = try await code { _ = try await queue.add("circle") }
        #expect(thrown == .dependencyCycle)
        let rowCount = try queue.rowCount()
        #expect(rowCount == 0)
    }

    @Test func `may drop what was added, and add more`() async throws {
        let queue = try await QueueFixture([
            idle { added, queue in
                if added.count > 1 {
                    try queue.skip(added[0].id)
                    try queue.add(Errand(text: "more"))
                }
            }
        ])
        try await queue.outbox.write { queue in
            for text in ["one", "two"] { try queue.add(Errand(text: text)) }
        }
        let texts = try queue.outbox.read { snapshot in
            try snapshot.operations().map { try $0.operation(as: Errand.self)?.text }
        }
        #expect(texts == ["two", "more"])
    }
}
