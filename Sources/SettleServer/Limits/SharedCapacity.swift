import HTTPTypes
import SettlePrimitives
import Synchronization

/// A number of units that requests hold for a while: bytes of memory, or places to work at.
///
/// Who asks for more than there is waits, in the order of asking; nobody has more than a share, so that one
/// sender leaves room for the others. A wait has an end: then the request is refused and may come again.
///
/// Where requests are of different sizes, a large one may leave room for smaller ones of its sender: each leaves as
/// much of the share as it takes itself, up to an eighth of the share. However many large ones there are,
/// one that is small enough finds room then, and waits behind none that is larger.
package final class SharedCapacity: Sendable {
    private struct Waiter {
        let ticket: Int
        /// How many units it asks for.
        let count: Int
        /// How many it will hold then.
        let size: Int
        let sender: SenderKey
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var used = 0
        var shares: [SenderKey: Int] = [:]
        var waiters: [Waiter] = []
        var ticket = 0
    }

    private let state = Lock(State())
    /// How many units there are.
    package let total: Int
    /// The most of one sender.
    package let shareMax: Int
    /// How much of the share a large request leaves to smaller ones of its sender.
    private let roomKept: Int
    private let waitMax: Duration
    private let clock: any Clock<Duration>
    /// Called when nothing is used any more.
    private let onIdle: @Sendable () -> Void

    /// Capacity of which nothing is used.
    ///
    /// - Parameters:
    ///   - total: How many units there are.
    ///   - shareMax: The most of one sender; nil for half of all.
    ///   - keepsRoom: Whether a large request leaves room for smaller ones of its sender.
    ///   - waitMax: How long a request waits for its part.
    ///   - clock: What the wait is measured with.
    ///   - onIdle: Called each time that nothing is used any more.
    package init(
        total: Int, shareMax: Int? = nil, keepsRoom: Bool = false, waitMax: Duration = .seconds(20),
        clock: any Clock<Duration> = ContinuousClock(),
        onIdle: @escaping @Sendable () -> Void = {}
    ) {
        self.onIdle = onIdle
        self.total = max(1, total)
        let share = max(1, min(shareMax ?? total / 2, total))
        self.shareMax = share
        roomKept = keepsRoom ? share / 8 : 0
        self.waitMax = waitMax
        self.clock = clock
    }

    /// The most of one request.
    package var requestMax: Int { shareMax - roomKept }

    /// The share that leaves so much to one request of a capacity that keeps room, as ``requestMax``.
    package static func share(for request: Int) -> Int { request + request / 7 + 1 }

    /// How many requests wait.
    var waitingCount: Int { state.withLock { $0.waiters.count } }

    /// How many units are used.
    package var used: Int { state.withLock { $0.used } }

    /// Takes units, waiting until they are there.
    ///
    /// - Parameters:
    ///   - count: How many; more than ``requestMax`` count as that.
    ///   - sender: Whose they are.
    /// - Returns: What is held until nobody refers to it any more.
    /// - Throws: ``Problem`` 503 with `Retry-After` when they were not there in time; `CancellationError`
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

    fileprivate func limited(_ count: Int) -> Int { min(max(0, count), requestMax) }

    fileprivate func takeNow(_ count: Int, upTo size: Int, of sender: SenderKey) -> Bool {
        state.withLock { state in
            guard count > 0 else { return true }
            // Who waits for the room comes first, but for those who wait for their own share.
            let isTurn = state.waiters.allSatisfy {
                mayPass($0.size, size) || isOverShare($0, in: state)
            }
            guard isTurn, hasRoom(count, upTo: size, for: sender, in: state) else { return false }
            Self.take(count, for: sender, in: &state)
            return true
        }
    }

    fileprivate func wait(for count: Int, upTo size: Int, of sender: SenderKey) async throws {
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
                    ticket: ticket, count: count, size: size, sender: sender,
                    continuation: continuation)
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
        !hasShare(waiter.count, upTo: waiter.size, for: waiter.sender, in: state)
    }

    /// Whether there is room in a sender's share for units with which a request will hold so many.
    private func hasShare(
        _ count: Int, upTo size: Int, for sender: SenderKey, in state: State
    ) -> Bool {
        state.shares[sender, default: 0] + count + min(size, roomKept) <= shareMax
    }

    private func hasRoom(
        _ count: Int, upTo size: Int, for sender: SenderKey, in state: State
    ) -> Bool {
        state.used + count <= total && hasShare(count, upTo: size, for: sender, in: state)
    }

    /// Whether a request need not wait behind one that came before: a small one behind a larger one.
    private func mayPass(_ earlier: Int, _ size: Int) -> Bool { roomKept > 0 && size < earlier }

    private static func take(_ count: Int, for sender: SenderKey, in state: inout State) {
        state.used += count
        state.shares[sender, default: 0] += count
    }

    /// Gives to those who wait, in their order, passing over those whose share is used up, and those who wait for
    /// more.
    private func grant(in state: inout State) -> [Waiter] {
        var granted: [Waiter] = []
        var left: [Waiter] = []
        // The smallest of those who go on waiting for room; none of its size passes it.
        var leftMin: Int?
        for waiter in state.waiters {
            let isTurn = leftMin.map { mayPass($0, waiter.size) } ?? true
            if isTurn, hasRoom(waiter.count, upTo: waiter.size, for: waiter.sender, in: state) {
                Self.take(waiter.count, for: waiter.sender, in: &state)
                granted.append(waiter)
            } else {
                if !isOverShare(waiter, in: state) {
                    leftMin = min(leftMin ?? waiter.size, waiter.size)
                }
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

    /// The problem for a request for which there is no room.
    static let full = Problem(
        .serviceUnavailable,
        "The server has too much to do just now; try again in a few seconds.",
        headers: [.retryAfter: "5"])
}

/// Units of a capacity that one request holds; they are given back when nobody refers to it any more.
package final class CapacityLease: Sendable {
    private let capacity: SharedCapacity
    private let sender: SenderKey
    private let held = Lock(0)

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
    /// - Parameter count: How many there shall be in all; more than ``requestMax`` count as that.
    /// - Throws: As ``SharedCapacity/take(_:for:)``; then as many are held as before.
    package func grow(to count: Int) async throws {
        let size = capacity.limited(count)
        let more = size - self.count
        guard more > 0 else { return }
        if !capacity.takeNow(more, upTo: size, of: sender) {
            try await capacity.wait(for: more, upTo: size, of: sender)
        }
        held.withLock { $0 += more }
    }

    /// Holds more when they are there.
    ///
    /// - Parameter count: How many there shall be in all.
    /// - Returns: False when there are not so many, or others wait already; then as many are held as before.
    package func growNow(to count: Int) -> Bool {
        let size = capacity.limited(count)
        let more = size - self.count
        guard more > 0 else { return true }
        guard capacity.takeNow(more, upTo: size, of: sender) else { return false }
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
