import SettlePrimitives
import Synchronization

/// Places at which work goes on that may take long, some of them for work that has only begun.
///
/// Of a read nobody knows whether it is short before it was tried. So each begins at a place for trials, and goes
/// on at one for long work when its first slice is over. When there is none, and others wait for their
/// trial, it ends, and begins anew when there is a place for it. So what is short waits for the first slices of
/// others, and not for all that they have to do.
package final class WorkPlaces: Sendable {
    /// Nil when nothing is tried.
    private let trials: SharedCapacity?
    private let long: SharedCapacity

    /// Places, of which one sender has at most half.
    ///
    /// - Parameters:
    ///   - count: How many there are for long work.
    ///   - trialCount: How many there are for trials besides; without them all work is long.
    ///   - waitMax: How long work waits for a place.
    ///   - clock: What the wait is measured with.
    package init(
        count: Int, trialCount: Int, waitMax: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        func places(_ count: Int) -> SharedCapacity {
            SharedCapacity(
                total: count, shareMax: max(1, count / 2), waitMax: waitMax, clock: clock)
        }
        long = places(count)
        trials = trialCount > 0 ? places(trialCount) : nil
    }

    /// Does work at a place for long work.
    ///
    /// - Parameters:
    ///   - sender: Whose work it is.
    ///   - body: What to do.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` throws; ``Problem`` 503 when there was no place in time.
    package func perform<Value: Sendable>(
        for sender: SenderKey, _ body: () async throws -> Value
    ) async throws -> Value {
        let place = try await long.take(1, for: sender)
        defer { withExtendedLifetime(place) {} }
        return try await body()
    }

    /// Does work at a place for trials as far as that goes.
    ///
    /// - Parameters:
    ///   - sender: Whose work it is.
    ///   - body: What to do, which may be done twice; it asks the trial, if there is one, at the end of each
    ///     slice.
    /// - Returns: What `body` returned.
    /// - Throws: As ``perform(for:_:)``.
    package func performTrying<Value: Sendable>(
        for sender: SenderKey, _ body: (WorkTrial?) async throws -> Value
    ) async throws -> Value {
        guard let trials else { return try await perform(for: sender) { try await body(nil) } }
        let trial = WorkTrial(
            at: try await trials.take(1, for: sender),
            // Nothing is begun anew for nobody.
            isWanted: { trials.waitingCount > 0 },
            longPlace: { [long] in long.takeNow(1, for: sender) })
        do {
            return try await body(trial)
        } catch is WorkTrial.Over {
            trial.leave()
        }
        return try await perform(for: sender) { try await body(nil) }
    }
}

/// The first run of work that may turn out to be short.
package final class WorkTrial: Sendable {
    /// The work is to end here, and to begin anew elsewhere.
    struct Over: Error {}

    private struct State {
        var place: CapacityLease?
        var isLong = false
    }

    private let state: Lock<State>
    private let isOver = Atomic(false)
    private let isWanted: @Sendable () -> Bool
    private let longPlace: @Sendable () -> CapacityLease?

    fileprivate init(
        at place: CapacityLease, isWanted: @escaping @Sendable () -> Bool,
        longPlace: @escaping @Sendable () -> CapacityLease?
    ) {
        state = Lock(State(place: place))
        self.isWanted = isWanted
        self.longPlace = longPlace
    }

    /// - Throws: ``Over`` when the trial is over.
    func check() throws(Over) {
        if isOver.load(ordering: .relaxed) { throw Over() }
    }

    /// Takes a place for long work, or else makes room for those who wait.
    ///
    /// - Throws: ``Over`` when the trial is over.
    func endSlice() throws(Over) {
        guard !state.withLock(\.isLong) else { return }
        if let place = longPlace() {
            move(to: place)
        } else if isWanted() {
            isOver.store(true, ordering: .relaxed)
            throw Over()
        }
    }

    fileprivate func leave() { move(to: nil) }

    private func move(to place: CapacityLease?) {
        // Let go outside of the lock, since others may be given it then.
        let left = state.withLock { state in
            defer { state = State(place: place, isLong: place != nil) }
            return state.place
        }
        withExtendedLifetime(left) {}
    }
}
