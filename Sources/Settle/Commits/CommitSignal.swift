import SettlePrimitives
import SettleStorage
import Synchronization

/// Tells those who wait that the database has new changes, whoever committed them.
///
/// A commit of this process wakes them at once. Commits of other processes are found by looking at
/// the number of the last one in the file's map, at the interval of the configuration and only
/// while somebody waits or listens; such a look is a lock and some reads of memory, and reads
/// counters of the store when the number is another one.
///
/// The lock guards the state; nothing is called and nobody is woken while it is held.
final class CommitSignal: Sendable {
    private struct Waiter {
        let sequence: UInt64
        let continuation: CheckedContinuation<UInt64?, Never>
    }

    private struct State {
        weak var store: Store?
        /// The highest sequence that is known to have been committed.
        var last: UInt64 = 0
        var waiters: [UInt64: Waiter] = [:]
        var listeners: [UInt64: @Sendable (UInt64) -> Void] = [:]
        var numberLast: UInt64 = 0
        /// Looks for the commits of others; nil while there are no subscribers.
        var watch: Task<Void, Never>?
        /// The number of the last commit when somebody looked.
        var transactionSeen: UInt64?
        var isClosed = false

        var hasAudience: Bool { !waiters.isEmpty || !listeners.isEmpty }

        mutating func nextNumber() -> UInt64 {
            numberLast += 1
            return numberLast
        }
    }

    private let state = Lock(State())
    private let clock: any Clock<Duration>
    private let interval: Duration

    /// A signal for a database that is about to be opened.
    ///
    /// - Parameters:
    ///   - clock: What the interval is measured by.
    ///   - interval: How often to look for commits of other processes.
    init(clock: any Clock<Duration>, interval: Duration) {
        self.clock = clock
        self.interval = interval
    }

    /// Says which store is meant, once it is open.
    func attach(_ store: Store) {
        state.withLock { $0.store = store }
    }

    /// Waits until the database has a change after a sequence.
    ///
    /// No commit is missed between a look at the database and this call: one that was made
    /// meanwhile is returned at once, or with the next look if another process made it.
    ///
    /// - Parameter sequence: The last one the caller has seen.
    /// - Returns: A higher sequence that has been committed; nil when the task is cancelled or the
    ///   database closed.
    func wait(beyond sequence: UInt64) async -> UInt64? {
        let number = state.withLock { $0.nextNumber() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter(sequence: sequence, continuation: continuation)
                let answer: UInt64?? = state.withLock { state in
                    // Cancelling sets the flag before it runs the handler: a handler that came
                    // too early to find the waiter is seen here.
                    if state.isClosed || Task.isCancelled { return .some(nil) }
                    if state.last > sequence { return state.last }
                    state.waiters[number] = waiter
                    watch(&state)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
            waiter?.continuation.resume(returning: nil)
        }
    }

    /// Has a closure called with the last sequence whenever that has risen, and when somebody has
    /// committed something else.
    ///
    /// It is called on the writer's thread or on one of the concurrent pool and must only hand
    /// things over. Calls may overtake each other, so the highest sequence counts; one may be for
    /// a commit that was there before, and one notification may stand for many commits. None comes after
    /// the database was closed.
    ///
    /// - Returns: What ``removeListener(_:)`` wants.
    func addListener(_ listener: @escaping @Sendable (UInt64) -> Void) -> UInt64 {
        state.withLock { state in
            let number = state.nextNumber()
            guard !state.isClosed else { return number }
            state.listeners[number] = listener
            watch(&state)
            return number
        }
    }

    /// Ends what ``addListener(_:)`` began; a call that is under way on another thread goes on.
    func removeListener(_ number: UInt64) {
        _ = state.withLock { $0.listeners.removeValue(forKey: number) }
    }

    /// Wakes those who have not seen this sequence yet.
    func committed(_ sequence: UInt64) {
        let (waiters, listeners) = state.withLock {
            state -> ([Waiter], [@Sendable (UInt64) -> Void]) in
            guard !state.isClosed, sequence > state.last else { return ([], []) }
            state.last = sequence
            let due = state.waiters.filter { $0.value.sequence < sequence }
            for number in due.keys { state.waiters[number] = nil }
            return (Array(due.values), Array(state.listeners.values))
        }
        for waiter in waiters { waiter.continuation.resume(returning: sequence) }
        for listener in listeners { listener(sequence) }
    }

    /// Ends every wait; nobody is notified any more.
    func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            state.watch?.cancel()
            state.watch = nil
            state.listeners = [:]
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }

    /// Begins to look for the commits of other processes, unless somebody does.
    private func watch(_ state: inout State) {
        guard state.watch == nil else { return }
        // Detached: it outlives the task that happened to be the first to wait.
        state.watch = Task.detached { [weak self, clock, interval] in
            while self?.look() == true {
                guard (try? await clock.sleep(for: interval)) != nil else { return }
            }
        }
    }

    /// Looks whether somebody else has committed.
    ///
    /// - Returns: False when nobody wants to know any more.
    private func look() -> Bool {
        let (store, seen) = state.withLock { state -> (Store?, UInt64?) in
            let store = state.hasAudience ? state.store : nil
            if store == nil { state.watch = nil }
            return (store, state.transactionSeen)
        }
        guard let store else { return false }
        // A store that cannot be read now is looked at again; its readers get the error.
        guard let transaction = try? store.lastTransaction(), transaction != seen,
            let found = try? store.read("commits", { ($0.transactionNumber, $0.lastSequence) })
        else { return true }
        // Of the snapshot and not of the map, where a commit is seen some time before it can be
        // read.
        let (number, sequence) = found
        let listeners = state.withLock { state -> [@Sendable (UInt64) -> Void] in
            state.transactionSeen = number
            return sequence > state.last ? [] : Array(state.listeners.values)
        }
        committed(sequence)
        // Not a document, but the rows of an index may have been brought up to date.
        for listener in listeners { listener(sequence) }
        return true
    }
}
