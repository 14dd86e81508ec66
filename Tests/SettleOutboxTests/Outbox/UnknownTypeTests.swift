import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

@Suite(.serialized) struct `Operations of unknown types` {
    @Test func `are kept, reported, and not started, until their type is known again`() async throws
    {
        var queue = try await QueueFixture([idle(algorithm: .flatGraph)])
        let parcel = try await queue.outbox.write { try $0.add(Parcel(weight: 3), priority: 5) }
        let errand = try await queue.add("errand")
        for _ in 0..<2 {
            queue = try await queue.reopened(
                [idle(algorithm: .flatGraph)], operations: [Errand.self])
            let started = try await queue.start()
            #expect(started == [errand])
            let found = try #require(try queue.operation(parcel))
            #expect(found.status == .unknown)
            #expect(found.name == "parcel")
            let json = try found.json()
            #expect(json == ["weight": 3])
            let lists = try queue.lists()
            #expect(lists.unknown == [parcel])
            // Those that are known are started however many are before them that are not.
            let more = try await queue.start()
            #expect(more.isEmpty)
        }
        queue = try await queue.reopened([idle(algorithm: .flatGraph)])
        let found = try #require(try queue.operation(parcel))
        #expect(found.status == .pending && found.startCount == 0)
        let value = try found.operation(as: Parcel.self)
        #expect(value == Parcel(weight: 3))
        let started = try await queue.start()
        #expect(started == [parcel, errand])
    }

    @Test func `hold a strict graph, and can be skipped, held, and completed`() async throws {
        var queue = try await QueueFixture()
        let parcels = try await queue.outbox.write { queue in
            try (0..<3).map { _ in try queue.add(Parcel()) }
        }
        let errand = try await queue.add("errand")
        queue = try await queue.reopened(operations: [Errand.self])
        var started = try await queue.start()
        #expect(started.isEmpty)
        try await queue.outbox.write { queue in
            try queue.skip(parcels[0])
            try queue.complete(parcels[1])
            try queue.hold(parcels[2], until: .distantFuture, context: "a")
        }
        let lists = try queue.lists()
        #expect(lists == QueueLists(held: [parcels[2]]))
        try await queue.outbox.write { _ = try $0.skip(parcels[2]) }
        started = try await queue.start()
        #expect(started == [errand])
    }

    @Test func `do not keep others from starting, in any number`() async throws {
        var queue = try await QueueFixture([idle(algorithm: .flatGraph)])
        try await queue.outbox.write { queue in
            for _ in 0..<600 { try queue.add(Parcel()) }
        }
        let errand = try await queue.add("errand")
        queue = try await queue.reopened([idle(algorithm: .flatGraph)], operations: [Errand.self])
        let started = try await queue.start(1)
        #expect(started == [errand])
        let count = try queue.lists().unknown.count
        #expect(count == 600)
    }

    @Test func `are reported by a tool that was told of no types only as far as was found out`()
        async throws
    {
        var queue = try await QueueFixture([idle(algorithm: .flatGraph)])
        let parcel = try await queue.outbox.write { try $0.add(Parcel()) }
        let status = try queue.database.read { try OutboxSnapshot(in: $0).status(of: parcel) }
        #expect(status == .pending)
        queue = try await queue.reopened([idle(algorithm: .flatGraph)], operations: [Errand.self])
        try await queue.start()
        let later = try queue.database.read { try OutboxSnapshot(in: $0).status(of: parcel) }
        #expect(later == .unknown)
    }
}
