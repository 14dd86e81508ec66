import Dispatch
import Foundation
import SettlePrimitives
import Synchronization

/// Lets work that may take long use the processors in turns.
///
/// At most as many pieces of work go on at once as there are processors. One that has had its slice gives
/// way at its next ``WorkTurn/check()`` when others wait: to those of the sender who was served least,
/// and among these to the work that was served least. So what is short is soon done, however much long work
/// there is, and nobody gets more than a share by asking often.
package final class WorkTurns: Sendable {
    private struct State {
        var running = 0
        var waiting: [WorkTurn] = []
        /// How many slices each sender with work had; one who comes anew begins with the least of them.
        var served: [SenderKey: (slices: Int, works: Int)] = [:]
        var arrivals = 0
    }

    private let state = Lock(State())
    private let count: Int
    /// How long work goes on before it gives way to others.
    let slice: Duration
    private let now: @Sendable () -> ContinuousClock.Instant

    /// How often work is passed over before it comes first.
    private static let passesMax = 16

    /// How long work goes on that is done at once.
    private static let shortSlice = Duration.milliseconds(1)

    /// As many as there are cores, and not only one, so that what does not give way soon does not stop
    /// everything else.
    package static let standardCount = max(2, ProcessInfo.processInfo.activeProcessorCount)

    /// Turns for a number of processors.
    ///
    /// - Parameters:
    ///   - count: How many pieces of work go on at once.
    ///   - slice: How long one goes on while others wait.
    ///   - now: A clock.
    package init(
        count: Int = WorkTurns.standardCount, slice: Duration = .milliseconds(10),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.count = max(1, count)
        self.slice = slice
        self.now = now
    }

    /// Does a piece of work in turns with others, on the thread of the caller, which is blocked in between.
    ///
    /// Not for the threads that tasks share.
    ///
    /// - Parameters:
    ///   - sender: Whose work it is.
    ///   - cancellation: Knows whether somebody still waits for it.
    ///   - trial: Whether it is to make room at the end of a slice; nil when it has its place.
    ///   - body: What to do; calls ``WorkTurn/check()`` now and then.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` throws; `CancellationError` when nobody waits for it any more.
    package func perform<Value>(
        for sender: SenderKey, until cancellation: ReadCancellation = ReadCancellation(),
        on trial: WorkTrial? = nil, _ body: (WorkTurn) throws -> Value
    ) throws -> Value {
        let turn = WorkTurn(of: self, sender, cancellation, trial)
        begin(turn)
        defer { end(turn) }
        try cancellation.check()
        return try body(turn)
    }

    /// Does a piece of work at once on the thread of the caller, if a turn is free and it is done within a
    /// short slice.
    ///
    /// For the threads that tasks share: it neither waits nor goes on for long.
    ///
    /// - Parameters:
    ///   - sender: Whose work it is.
    ///   - body: What to do, of which nothing stays when it is not done in time; calls ``WorkTurn/check()`` now
    ///     and then, and ``WorkTurn/check(before:)`` before it deals with many bytes.
    /// - Returns: What `body` returned; nil when no turn was free, or it took too long.
    /// - Throws: What `body` throws.
    package func performNow<Value>(
        for sender: SenderKey, _ body: (WorkTurn) throws -> Value
    ) throws -> Value? {
        let turn = WorkTurn(of: self, sender, ReadCancellation(), nil, isShort: true)
        let hasTurn = state.withLock { state in
            guard state.running < count else { return false }
            arrive(turn, in: &state)
            state.running += 1
            note(turn, in: &state)
            return true
        }
        guard hasTurn else { return nil }
        defer { end(turn) }
        turn.sliceEnd.withLock { $0 = now() + Self.shortSlice }
        do {
            return try body(turn)
        } catch is WorkTrial.Over {
            return nil
        }
    }

    /// How many pieces of work wait for their turn.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    private func begin(_ turn: WorkTurn) {
        let hasTurn = state.withLock { state in
            arrive(turn, in: &state)
            guard state.running < count else {
                state.waiting.append(turn)
                return false
            }
            state.running += 1
            note(turn, in: &state)
            return true
        }
        if !hasTurn { turn.wait() }
        turn.sliceEnd.withLock { $0 = now() + slice }
    }

    /// Counts work that has come.
    private func arrive(_ turn: WorkTurn, in state: inout State) {
        let least = state.served.values.lazy.map(\.slices).min() ?? 0
        let known = state.served[turn.sender] ?? (least, 0)
        state.served[turn.sender] = (known.slices, known.works + 1)
        state.arrivals += 1
        turn.arrival.withLock { $0 = state.arrivals }
    }

    private func end(_ turn: WorkTurn) {
        let next = state.withLock { state in
            if let known = state.served[turn.sender] {
                state.served[turn.sender] = known.works > 1 ? (known.slices, known.works - 1) : nil
            }
            state.running -= 1
            return takeNext(in: &state)
        }
        next?.go()
    }

    fileprivate func isSliceOver(_ turn: WorkTurn) -> Bool {
        turn.sliceEnd.withLock { now() >= $0 }
    }

    /// Gives way to others when somebody waits; called when the slice is over.
    fileprivate func passOn(_ turn: WorkTurn) {
        let next = state.withLock { state -> WorkTurn? in
            guard !state.waiting.isEmpty else {
                note(turn, in: &state)
                return nil
            }
            state.running -= 1
            state.arrivals += 1
            turn.arrival.withLock { $0 = state.arrivals }
            state.waiting.append(turn)
            return takeNext(in: &state)
        }
        if let next, next !== turn {
            next.go()
            turn.wait()
        }
        turn.sliceEnd.withLock { $0 = now() + slice }
    }

    /// Takes out who comes next, and counts its slice.
    private func takeNext(in state: inout State) -> WorkTurn? {
        guard state.running < count, !state.waiting.isEmpty else { return nil }
        let rank = { (turn: WorkTurn) -> (Int, Int, Int) in
            let standing = turn.standing.withLock { $0 }
            let slices = state.served[turn.sender]?.slices ?? 0
            let arrival = turn.arrival.withLock { $0 }
            return standing.passes >= Self.passesMax
                ? (-1, 0, arrival) : (slices, standing.slices, arrival)
        }
        let ranks = state.waiting.map(rank)
        guard let place = ranks.indices.min(by: { ranks[$0] < ranks[$1] }) else { return nil }
        let next = state.waiting.remove(at: place)
        for turn in state.waiting { turn.standing.withLock { $0.passes += 1 } }
        state.running += 1
        note(next, in: &state)
        return next
    }

    private func note(_ turn: WorkTurn, in state: inout State) {
        state.served[turn.sender]?.slices += 1
        turn.standing.withLock {
            $0.slices += 1
            $0.passes = 0
        }
    }
}

/// The turns of one piece of work.
package final class WorkTurn: Sendable {
    fileprivate let sender: SenderKey
    /// When it began to wait, as a number.
    fileprivate let arrival = Lock(0)
    /// How many slices it had, and how many others were taken since the last of them.
    fileprivate let standing = Lock((slices: 0, passes: 0))
    fileprivate let sliceEnd = Lock(ContinuousClock.now)
    private let turns: WorkTurns
    private let cancellation: ReadCancellation
    private let trial: WorkTrial?
    /// Whether it ends with its first slice.
    private let isShort: Bool
    private let signal = DispatchSemaphore(value: 0)

    fileprivate init(
        of turns: WorkTurns, _ sender: SenderKey, _ cancellation: ReadCancellation,
        _ trial: WorkTrial?, isShort: Bool = false
    ) {
        self.turns = turns
        self.sender = sender
        self.cancellation = cancellation
        self.trial = trial
        self.isShort = isShort
    }

    fileprivate func wait() { signal.wait() }

    fileprivate func go() { signal.signal() }

    /// Gives way to others when it is their turn.
    ///
    /// - Throws: `CancellationError` when nobody waits for the work any more; ``WorkTrial/Over`` when it is
    ///   to begin anew at another place. Whichever it is, each further call throws it again.
    package func check() throws {
        try cancellation.check()
        try trial?.check()
        guard turns.isSliceOver(self) else { return }
        if isShort { throw WorkTrial.Over() }
        try trial?.endSlice()
        turns.passOn(self)
        try cancellation.check()
    }

    /// Ends work that was to be short before it deals with many bytes at once.
    ///
    /// - Throws: ``WorkTrial/Over``.
    package func check(before byteCount: Int) throws {
        if isShort, byteCount > ItemMembers.smallBytesMax { throw WorkTrial.Over() }
    }
}

/// Whether the task that waits for a piece of work was cancelled.
package final class ReadCancellation: Sendable {
    private let state = Atomic(false)

    package init() {}

    package var hasBegun: Bool { state.load(ordering: .relaxed) }

    /// Says that it was cancelled.
    package func begin() {
        state.store(true, ordering: .relaxed)
    }

    /// Throws `CancellationError` when it was cancelled.
    package func check() throws {
        if hasBegun { throw CancellationError() }
    }
}
