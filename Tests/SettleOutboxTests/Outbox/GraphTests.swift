import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

@Suite(.serialized) struct `Graphs and priorities` {
    @Test func `a strict graph starts when all of the earlier ones have ended`() async throws {
        let queue = try await QueueFixture()
        let first = try await queue.outbox.write { queue in
            [try queue.add(Errand()), try queue.add(Errand())]
        }
        let second = try await queue.add("second", priority: .max)
        let third = try await queue.add("third")
        var started = try await queue.start()
        #expect(started == first)
        try await queue.complete(first[0])
        started = try await queue.start()
        #expect(started.isEmpty)
        try await queue.complete(first[1])
        started = try await queue.start()
        #expect(started == [second])
        try await queue.complete(second)
        started = try await queue.start()
        #expect(started == [third])
    }

    @Test func `flat graphs do not wait for each other, but start in order`() async throws {
        let queue = try await QueueFixture([idle(algorithm: .flatGraph)])
        var ids: [UUID] = []
        for number in 0..<5 { ids.append(try await queue.add("\(number)")) }
        var started = try await queue.start(2)
        #expect(started == Array(ids[..<2]))
        started = try await queue.start()
        #expect(started == Array(ids[2...]))
    }

    @Test func `pipelines do not wait for each other`() async throws {
        let queue = try await QueueFixture([idle(), idle("photos")])
        try await queue.add("here")
        let there = try await queue.add("there", in: "photos")
        let started = try await queue.start(in: "photos")
        #expect(started == [there])
    }

    @Test(arguments: PipelineAlgorithm.allCases)
    func `higher priorities start first, equal ones in the order of adding`(
        _ algorithm: PipelineAlgorithm
    ) async throws {
        var random = SeededGenerator()
        let queue = try await QueueFixture([idle(algorithm: algorithm)])
        let priorities = (0..<60).map { _ in
            [Int32.min, -2, -1, 0, 1, 2, .max].randomElement(using: &random) ?? 0
        }
        let ids = try await queue.outbox.write { queue in
            try priorities.map { try queue.add(Errand(), priority: $0) }
        }
        let expected = priorities.indices.sorted {
            (-Int(priorities[$0]), $0) < (-Int(priorities[$1]), $1)
        }.map { ids[$0] }
        var started: [UUID] = []
        while started.count < 60 { started += try await queue.start(7) }
        #expect(started == expected, "\(random)")
    }

    @Test func `a priority overrules no dependency and no graph`() async throws {
        let queue = try await QueueFixture()
        let (low, high) = try await queue.outbox.write { queue in
            let low = try queue.add(Errand(), priority: -5)
            return (low, try queue.add(Errand(), dependencies: [low], priority: 5))
        }
        let highest = try await queue.add("later", priority: 9)
        for id in [low, high, highest] {
            let started = try await queue.start()
            #expect(started == [id])
            try await queue.complete(id)
        }
    }

    @Test func `an operation inserted into the lowest graph may start at once`() async throws {
        let queue = try await QueueFixture()
        let first = try await queue.add("first")
        let second = try await queue.add("second")
        var started = try await queue.start()
        #expect(started == [first])
        let inserted = try await queue.outbox.write {
            try $0.insert(Errand(text: "inserted"), intoGraphOf: first)
        }
        started = try await queue.start()
        #expect(started == [inserted])
        try await queue.complete(first)
        started = try await queue.start()
        #expect(started.isEmpty)
        try await queue.complete(inserted)
        started = try await queue.start()
        #expect(started == [second])
    }

    @Test func `one inserted into a later graph waits with it, and may depend on it`() async throws
    {
        let queue = try await QueueFixture()
        let first = try await queue.add("first")
        let second = try await queue.add("second")
        let third = try await queue.add("third")
        let inserted = try await queue.outbox.write {
            try $0.insert(Errand(), intoGraphOf: second, dependencies: [second, first])
        }
        for id in [first, second, inserted, third] {
            let started = try await queue.start()
            #expect(started == [id])
            try await queue.complete(id)
        }
    }

    @Test func `a graph whose last operation ends in the closure that inserts another stays open`()
        async throws
    {
        let queue = try await QueueFixture()
        let first = try await queue.add("first")
        let second = try await queue.add("second")
        try await queue.start()
        let inserted = try await queue.outbox.write { queue in
            let inserted = try queue.insert(Errand(), intoGraphOf: first)
            try queue.complete(first)
            return inserted
        }
        for id in [inserted, second] {
            let started = try await queue.start()
            #expect(started == [id])
            try await queue.complete(id)
        }
    }

    @Test func `nothing can be inserted beside what is not stored`() async throws {
        let queue = try await QueueFixture()
        let outbox = queue.outbox
        let gone = try await queue.add("gone")
        try await queue.complete(gone)
        let thrown = [
            try await code {
                try await outbox.write { _ = try $0.insert(Errand(), intoGraphOf: gone) }
            },
            try await code {
                try await outbox.write { queue in
                    let added = try queue.add(Errand())
                    try queue.insert(Errand(), intoGraphOf: added)
                }
            },
        ]
        #expect(thrown == [.graphNotFound, .graphNotFound])
    }

    @Test func `an operation is inserted into a graph by its number as by a neighbour`()
        async throws
    {
        let queue = try await QueueFixture([idle(), idle("photos", algorithm: .flatGraph)])
        let (first, second) = (try await queue.add("first"), try await queue.add("second"))
        let photo = try await queue.add("photo", in: "photos")
        let numbers = try queue.outbox.read { snapshot in
            [try snapshot.graphNumbers(), try snapshot.graphNumbers(in: "photos")]
        }
        #expect(try numbers[0] == [first, second].map { try queue.operation($0)?.graph })
        #expect(try numbers[1] == [queue.operation(photo)?.graph])
        let (now, later, free) = try await queue.outbox.write { queue in
            let stored = try queue.stored()
            let executing = try #require(try stored.graphNumbers().first)
            return (
                try queue.insert(Errand(text: "now"), intoGraph: executing),
                try queue.insert(
                    Errand(text: "later"), intoGraph: numbers[0][1], about: ["fig"],
                    dependencies: [second], priority: 7),
                try queue.insert(Errand(), intoGraph: numbers[1][0], of: "photos")
            )
        }
        let inserted = try queue.operation(later)
        #expect(inserted?.graph == numbers[0][1] && inserted?.priority == 7)
        #expect(inserted?.documentIds == ["fig"] && inserted?.dependencies == [second])
        var started = try await queue.start()
        #expect(started == [first, now])
        for id in [first, now] { try await queue.complete(id) }
        for id in [second, later] {
            started = try await queue.start()
            #expect(started == [id])
            try await queue.complete(id)
        }
        started = try await queue.start(in: "photos")
        #expect(started == [photo, free])
        let none = try queue.outbox.read { try $0.graphNumbers() }
        #expect(none.isEmpty)
    }

    @Test func `an operation that is inserted keeps its graph open for another`() async throws {
        let queue = try await QueueFixture()
        let (first, second) = (try await queue.add("first"), try await queue.add("second"))
        let number = try #require(try queue.operation(first)?.graph)
        let inserted = try await queue.outbox.write { queue in
            let one = try queue.insert(Errand(text: "one"), intoGraph: number)
            try queue.complete(first)
            return [one, try queue.insert(Errand(text: "two"), intoGraph: number)]
        }
        var started = try await queue.start()
        #expect(started == inserted)
        for id in inserted { try await queue.complete(id) }
        started = try await queue.start()
        #expect(started == [second])
    }

    /// A queue with a graph of which one operation does not wait for earlier graphs and one does, which
    /// was moved from another pipeline, and an operation of an earlier graph.
    private func queueOfTwo() async throws -> (
        queue: QueueFixture, earlier: UUID, flat: UUID, strict: UUID, graph: UInt64
    ) {
        let flatOnly = [idle(algorithm: .flatGraph)]
        let queue = try await QueueFixture(flatOnly + [idle("second")])
        let earlier = try await queue.add("earlier", in: "second")
        let (flat, strict) = try await queue.outbox.write { queue in
            (try queue.add(Errand()), try queue.add(Errand(), pipeline: "second"))
        }
        let graph = try #require(try queue.operation(flat)?.graph)
        return (try await queue.reopened(flatOnly), earlier, flat, strict, graph)
    }

    @Test func `one inserted by number waits for earlier graphs if any of its graph does`()
        async throws
    {
        let (queue, earlier, flat, strict, graph) = try await queueOfTwo()
        let (besideFlat, byNumber) = try await queue.outbox.write { queue in
            (
                try queue.insert(Errand(), intoGraphOf: flat),
                try queue.insert(Errand(), intoGraph: graph)
            )
        }
        var started = try await queue.start()
        #expect(started == [earlier, flat, besideFlat])
        try await queue.complete(earlier)
        started = try await queue.start()
        #expect(started == [strict, byNumber])
    }

    @Test(arguments: [false, true])
    func `one inserted by number waits if one that was inserted in the same closure does`(
        endsFlat: Bool
    ) async throws {
        let (queue, earlier, flat, strict, graph) = try await queueOfTwo()
        // None that is stored waits any more, but one that takes its place does.
        let (free, waiting) = try await queue.outbox.write { queue in
            let free = try (0..<5).map { _ in try queue.insert(Errand(), intoGraphOf: flat) }
            let besideStrict = try queue.insert(Errand(), intoGraphOf: strict)
            try queue.complete(strict)
            if endsFlat { try queue.complete(flat) }
            return (free, [besideStrict, try queue.insert(Errand(), intoGraph: graph)])
        }
        var started = try await queue.start()
        #expect(started == [earlier] + (endsFlat ? [] : [flat]) + free)
        try await queue.complete(earlier)
        started = try await queue.start()
        #expect(started == waiting)
    }

    @Test func `numbers of graphs that a pipeline does not have are refused`() async throws {
        let queue = try await QueueFixture([idle(), idle("photos")])
        let outbox = queue.outbox
        let gone = try await queue.add("gone")
        let goneNumber = try #require(try queue.operation(gone)?.graph)
        let photo = try await queue.add("photo", in: "photos")
        let photoNumber = try #require(try queue.operation(photo)?.graph)
        try await queue.complete(gone)
        for number in [0, goneNumber, photoNumber, photoNumber + 1, .max] {
            let thrown = try await code {
                try await outbox.write { _ = try $0.insert(Errand(), intoGraph: number) }
            }
            #expect(thrown == .graphNotFound, "\(number)")
        }
        let unknown = try await code {
            try await outbox.write {
                _ = try $0.insert(Errand(), intoGraph: photoNumber, of: "films")
            }
        }
        #expect(unknown == .unknownPipeline)
        // The graph of the commit that is under way has no number yet.
        let next = try await code {
            try await outbox.write { queue in
                try queue.add(Errand())
                try queue.insert(Errand(), intoGraph: photoNumber + 1)
            }
        }
        #expect(next == .graphNotFound)
        let ids = try queue.ids()
        #expect(ids == [photo])
    }

    @Test func `are listed with what is left of them`() async throws {
        let queue = try await QueueFixture([idle(), idle("photos")])
        let ids = try await queue.outbox.write { queue in
            [try queue.add(Errand()), try queue.add(Errand())]
        }
        try await queue.add("photo", in: "photos")
        let last = try await queue.add("last")
        try await queue.complete(ids[0])
        let graphs = try queue.outbox.read { try $0.graphs() }
        #expect(graphs.map { $0.operations.map(\.id) } == [[ids[1]], [last]])
        #expect(graphs.map(\.id) == graphs.map(\.number))
        let other = try queue.outbox.read { try $0.graphs(in: "nothing") }
        #expect(other.isEmpty)
    }
}
