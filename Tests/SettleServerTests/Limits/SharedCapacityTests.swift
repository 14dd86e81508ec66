import HTTPTypes
import TestSupport
import Testing

@testable import SettleServer

@Suite(.timeLimit(.minutes(10))) struct `A capacity that requests share` {
    private let ann = SenderKey.subject("ann")
    private let bob = SenderKey.subject("bob")
    private let cid = SenderKey.subject("cid")

    @Test func `gives each sender at most its share`() throws {
        let capacity = SharedCapacity(total: 10, shareMax: 6)
        let first = try #require(capacity.takeNow(4, for: ann))
        #expect(capacity.takeNow(3, for: ann) == nil)
        let second = try #require(capacity.takeNow(3, for: bob))
        #expect(capacity.used == 7)
        #expect(capacity.takeNow(4, for: cid) == nil)
        #expect(first.growNow(to: 6))
        #expect(first.growNow(to: 7), "More than a share counts as the share.")
        #expect(capacity.used == 9)
        second.shrink(to: 1)
        #expect(capacity.used == 7)
        withExtendedLifetime((first, second)) {}
    }

    @Test func `takes back what nobody holds any more`() throws {
        let capacity = SharedCapacity(total: 10, clock: ManualClock())
        do {
            let lease = try #require(capacity.takeNow(5, for: ann))
            #expect(lease.count == 5)
        }
        #expect(capacity.used == 0)
    }

    @Test func `lets those wait for whom there is no room, in their order`() async throws {
        let capacity = SharedCapacity(total: 10, shareMax: 10, clock: ManualClock())
        var first: CapacityLease? = capacity.takeNow(8, for: ann)
        // A task would keep what it returns.
        let large = Task { try await capacity.take(9, for: bob).count }
        while capacity.waitingCount < 1 { await Task.yield() }
        // It would fit, and comes behind all the same: else the large one would never have its turn.
        #expect(capacity.takeNow(1, for: cid) == nil)
        let small = Task { try await capacity.take(2, for: cid).count }
        while capacity.waitingCount < 2 { await Task.yield() }
        #expect(first?.count == 8)
        first = nil
        #expect(try await large.value == 9)
        #expect(try await small.value == 2)
        #expect(capacity.used == 0)
    }

    @Test func `that keeps room has some for small requests of a sender that has large ones`()
        throws
    {
        let capacity = SharedCapacity(total: 160, keepsRoom: true)
        #expect(capacity.requestMax == 70)
        let large = try #require(capacity.takeNow(80, for: ann))
        #expect(large.count == 70)
        #expect(capacity.takeNow(6, for: ann) == nil)
        // Each leaves as much as it takes.
        var small = [try #require(capacity.takeNow(5, for: ann))]
        #expect(capacity.takeNow(3, for: ann) == nil)
        small.append(try #require(capacity.takeNow(2, for: ann)))
        small.append(try #require(capacity.takeNow(1, for: ann)))
        #expect(!small[0].growNow(to: 7))
        // That is of its own share; of others there is nothing.
        #expect(capacity.takeNow(70, for: bob) != nil)
        withExtendedLifetime((large, small)) {}
    }

    @Test func `that keeps room lets small requests by that wait behind larger ones`() async throws
    {
        let capacity = SharedCapacity(
            total: 160, shareMax: 160, keepsRoom: true, clock: ManualClock())
        var held: [CapacityLease] = [140, 5].compactMap { capacity.takeNow($0, for: ann) }
        #expect(held.count == 2)
        let large = Task { try await capacity.take(40, for: bob).count }
        while capacity.waitingCount < 1 { await Task.yield() }
        let small = try #require(capacity.takeNow(10, for: cid))
        // Not one of its size.
        let second = Task { try await capacity.take(40, for: cid).count }
        while capacity.waitingCount < 2 { await Task.yield() }
        #expect(capacity.takeNow(5, for: bob) != nil)
        held.removeFirst()
        #expect(try await large.value == 40)
        #expect(try await second.value == 40)
        withExtendedLifetime((held, small)) {}
    }

    @Test(arguments: [1, 7, 8, 100, 1 << 20, 20 << 20])
    func `has a share that is enough for the largest request`(request: Int) {
        let share = SharedCapacity.share(for: request)
        let capacity = SharedCapacity(total: share, shareMax: share, keepsRoom: true)
        #expect(capacity.requestMax >= request)
        #expect(capacity.takeNow(request, for: ann)?.count == request)
    }

    @Test func `lets no sender wait behind one whose share is used up`() async throws {
        let capacity = SharedCapacity(total: 10, shareMax: 5, clock: ManualClock())
        var held: CapacityLease? = capacity.takeNow(5, for: ann)
        let waiting = Task { try await capacity.take(1, for: ann).count }
        while capacity.waitingCount < 1 { await Task.yield() }
        #expect(capacity.takeNow(5, for: bob) != nil)
        #expect(held?.count == 5)
        held = nil
        #expect(try await waiting.value == 1)
    }

    @Test func `refuses who has waited too long, and says when to come again`() async throws {
        let clock = ManualClock()
        let capacity = SharedCapacity(total: 10, waitMax: .seconds(20), clock: clock)
        let held = capacity.takeNow(5, for: ann)
        let waiting = Task { try await capacity.take(1, for: ann) }
        await clock.sleepers(reach: 1)
        while capacity.waitingCount < 1 { await Task.yield() }
        clock.advance(by: .seconds(20))
        let problem = await #expect(throws: Problem.self) { try await waiting.value }
        #expect(problem?.status == .serviceUnavailable)
        #expect(problem?.headers[.retryAfter] == "5")
        #expect(capacity.waitingCount == 0)
        withExtendedLifetime(held) {}
    }

    @Test func `forgets who has gone`() async throws {
        let capacity = SharedCapacity(total: 10, clock: ManualClock())
        let held = capacity.takeNow(5, for: ann)
        let waiting = Task { try await capacity.take(1, for: ann) }
        while capacity.waitingCount < 1 { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(capacity.waitingCount == 0)
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await capacity.take(1, for: ann)
        }
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
        withExtendedLifetime(held) {}
    }
}
