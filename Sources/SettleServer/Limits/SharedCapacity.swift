import HTTPTypes
import Synchronization

/// A number of units that requests hold for a while: bytes of memory, or places to work at.
///
/// Who asks for more than there is waits, in the order of asking; nobody has more than a share, so that one
/// sender leaves room for the others. A wait has an end: then the request is refused and may come again.
package final class SharedCapacity: Sendable {
    private struct Waiter {
        let ticket: Int
        let count: Int
        let sender: SenderKey
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var used = 0
        var shares: [SenderKey: Int] = [:]
        var waiters: [Waiter] = []
        var ticket = 0
    }

    private let state = Mutex(State())
    /// How many units there are.
    package let total: Int
    /// The most of one sender.
    package let shareMax: Int
    private let waitMax: Duration
    private let clock: any Clock<Duration>
    /// Called when nothing is used any more.
    private let onIdle: @Sendable () -> Void

    /// Capacity of which nothing is used.
    ///
    /// - Parameters:
    ///   - total: How many units there are.
    ///   - shareMax: The most of one sender; nil for half of all.
    ///   - waitMax: How long a request waits for its part.
    ///   - clock: What the wait is measured with.
    ///   - onIdle: Called each time that nothing is used any more.
    package init(
        total: Int, shareMax: Int? = nil, waitMax: Duration = .seconds(20),
        clock: any Clock<Duration> = ContinuousClock(),
        onIdle: @escaping @Sendable () -> Void = {}
    ) {
        self.onIdle = onIdle
        self.total = max(1, total)
        self.shareMax = max(1, min(shareMax ?? total / 2, total))
        self.waitMax = waitMax
        self.clock = clock
    }

    /// How many requests wait.
    var waitingCount: Int { state.withLock { $0.waiters.count } }

    /// How many units are used.
    package var used: Int { state.withLock { $0.used } }

    /// Takes units, waiting until they are there.
    ///
    /// - Parameters:
    ///   - count: How many; more than the share of a sender count as the share.
    ///   - sender: Whose they are.
    /// - Returns: What is held until nobody refers to it any more.
    /// - Throws: ``Refusal`` 503 with `Retry-After` when they were not there in time; `CancellationError`
    ///   when the task is cancelled.
    package func take(_ count: Int, for sender: SenderKey) async throws -> CapacityLease {
        let lease = CapacityLease(of: self, sender)
        try await lease.grow(to: count)
        return lease
    }

    /// Takes units when they are there.
    ///
    /// - Returns: What is held; nil when there are not so many, or others wait already.
    package func takeNow(_ count: Int, for sender: SenderKey) -> CapacityLease? {
        let lease = CapacityLease(of: self, sender)
        return lease.growNow(to: count) ? lease : nil
    }

    fileprivate func limited(_ count: Int) -> Int { min(max(0, count), shareMax) }

    fileprivate func takeNow(_ count: Int, of sender: SenderKey) -> Bool {
        state.withLock { state in
            guard count > 0 else { return true }
            // Who waits for the room comes first, but for those who wait for their own share.
            let isTurn = state.waiters.allSatisfy { isOverShare($0, in: state) }
            guard isTurn, hasRoom(count, for: sender, in: state) else { return false }
            Self.take(count, for: sender, in: &state)
            return true
        }
    }

    fileprivate func wait(for count: Int, of sender: SenderKey) async throws {
        let ticket = state.withLock { state in
            state.ticket += 1
            return state.ticket
        }
        let (clock, waitMax) = (clock, waitMax)
        let timer = Task { [weak self] in
            try await clock.sleep(for: waitMax)
            self?.give(up: ticket, for: Self.full)
        }
        defer { timer.cancel() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = Waiter(
                    ticket: ticket, count: count, sender: sender, continuation: continuation)
                let granted = state.withLock { state -> [Waiter]? in
                    // Looked at under the lock: a cancellation from here on finds the waiter.
                    guard !Task.isCancelled else { return nil }
                    state.waiters.append(waiter)
                    return grant(in: &state)
                }
                guard let granted else {
                    return continuation.resume(throwing: CancellationError())
                }
                for waiter in granted { waiter.continuation.resume() }
            }
        } onCancel: {
            give(up: ticket, for: CancellationError())
        }
    }

    fileprivate func giveBack(_ count: Int, of sender: SenderKey) {
        guard count > 0 else { return }
        let (granted, isIdle) = state.withLock { state in
            state.used -= count
            let rest = state.shares[sender, default: 0] - count
            state.shares[sender] = rest > 0 ? rest : nil
            let granted = grant(in: &state)
            return (granted, state.used == 0)
        }
        for waiter in granted { waiter.continuation.resume() }
        if isIdle { onIdle() }
    }

    private func isOverShare(_ waiter: Waiter, in state: State) -> Bool {
        state.shares[waiter.sender, default: 0] + waiter.count > shareMax
    }

    private func hasRoom(_ count: Int, for sender: SenderKey, in state: State) -> Bool {
        state.used + count <= total && state.shares[sender, default: 0] + count <= shareMax
    }

    private static func take(_ count: Int, for sender: SenderKey, in state: inout State) {
        state.used += count
        state.shares[sender, default: 0] += count
    }

    /// Gives to those who wait, in their order, passing over those whose share is used up.
    private func grant(in state: inout State) -> [Waiter] {
        var granted: [Waiter] = []
        var left: [Waiter] = []
        var isFull = false
        for waiter in state.waiters {
            if !isFull, hasRoom(waiter.count, for: waiter.sender, in: state) {
                Self.take(waiter.count, for: waiter.sender, in: &state)
                granted.append(waiter)
            } else {
                if !isOverShare(waiter, in: state) { isFull = true }
                left.append(waiter)
            }
        }
        state.waiters = left
        return granted
    }

    private func give(up ticket: Int, for error: any Error) {
        let (waiter, granted) = state.withLock { state -> (Waiter?, [Waiter]) in
            guard let place = state.waiters.firstIndex(where: { $0.ticket == ticket }) else {
                return (nil, [])
            }
            let waiter = state.waiters.remove(at: place)
            // It may have stood in the way of others.
            return (waiter, grant(in: &state))
        }
        waiter?.continuation.resume(throwing: error)
        for waiter in granted { waiter.continuation.resume() }
    }

    /// The refusal of a request for which there is no room.
    static let full = Refusal(
        .serviceUnavailable,
        "The server has too much to do just now; try again in a few seconds.",
        headers: [.retryAfter: "5"])
}

/// Units of a capacity that one request holds; they are given back when nobody refers to it any more.
package final class CapacityLease: Sendable {
    private let capacity: SharedCapacity
    private let sender: SenderKey
    private let held = Mutex(0)

    fileprivate init(of capacity: SharedCapacity, _ sender: SenderKey) {
        self.capacity = capacity
        self.sender = sender
    }

    deinit { capacity.giveBack(held.withLock { $0 }, of: sender) }

    /// How many units are held.
    package var count: Int { held.withLock { $0 } }

    /// Holds more, waiting until they are there; nothing when so many are held already.
    ///
    /// For one task at a time.
    ///
    /// - Parameter count: How many there shall be in all; more than the share of a sender count as the share.
    /// - Throws: As ``SharedCapacity/take(_:for:)``; then as many are held as before.
    package func grow(to count: Int) async throws {
        let more = capacity.limited(count) - self.count
        guard more > 0 else { return }
        if !capacity.takeNow(more, of: sender) { try await capacity.wait(for: more, of: sender) }
        held.withLock { $0 += more }
    }

    /// Holds more when they are there.
    ///
    /// - Parameter count: How many there shall be in all.
    /// - Returns: False when there are not so many, or others wait already; then as many are held as before.
    package func growNow(to count: Int) -> Bool {
        let more = capacity.limited(count) - self.count
        guard more > 0 else { return true }
        guard capacity.takeNow(more, of: sender) else { return false }
        held.withLock { $0 += more }
        return true
    }

    /// Gives back what is more than so many.
    package func shrink(to count: Int) {
        let less = held.withLock { held in
            let less = max(0, held - max(0, count))
            held -= less
            return less
        }
        capacity.giveBack(less, of: sender)
    }
}
