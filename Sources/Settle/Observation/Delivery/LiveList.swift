import SettleIndexing
import SettlePrimitives
import Synchronization

/// The rows that one observer is shown, and the last version delivered.
///
/// Changed only by the pass that brings it up to date, one at a time; the lock is for those who
/// end it meanwhile.
final class LiveList: Sendable {
    /// What the reader has not taken yet.
    let buffer = LatestValueBuffer<ObservedState>()

    private struct State {
        var window: ListWindow<QueryResultRow>
        /// False when the window has to be read again.
        var isLoaded = false
        /// The answer that was delivered last; nil when a failure was, or nothing.
        var delivered: ObservedResult?
        /// The number of what was delivered last, also of a failure.
        var number: UInt64 = 0
        var hasFailed = false
        /// The answer that the reader took last; nil when that was a failure, or nothing.
        var taken: ObservedResult?
    }
    private let state: Lock<State>
    private let startRow: UInt

    init(
        startRow: UInt, skip: Int, limit: Int?, isDescending: Bool, hasSpareRows: Bool = true
    ) {
        self.startRow = startRow
        let window = ListWindow<QueryResultRow>(
            skip: skip, limit: limit, isDescending: isDescending,
            spareCount: hasSpareRows ? ListWindow<QueryResultRow>.usualSpareCount : 0)
        state = Lock(State(window: window))
    }

    /// A list that has failed and stays so.
    convenience init(failing error: any Error) {
        self.init(startRow: 0, skip: 0, limit: nil, isDescending: false)
        fail(error)
    }

    /// True when there is no subscriber any more.
    var hasEnded: Bool { buffer.hasEnded }

    /// False when the rows have to be read as a whole.
    var isLoaded: Bool { state.withLock { $0.isLoaded } }

    /// How many rows to pass over, and how many to read then, for all of it; nil for all there are.
    var extent: (skip: Int, count: Int?) {
        state.withLock { ($0.window.skip, $0.window.wantedCount) }
    }

    /// Forgets the rows; they will be read again.
    func invalidate() {
        state.withLock { $0.isLoaded = false }
    }

    /// Whether a change of a row can show.
    func concerns(_ key: RowPosition) -> Bool {
        state.withLock { $0.window.concerns(key) }
    }

    /// The row at a place, as it was last seen.
    func row(at key: RowPosition) -> QueryResultRow? {
        state.withLock { $0.window.items.value(for: key) }
    }

    /// The answer that was delivered last; nil when a failure was, or nothing.
    var delivered: ObservedResult? { state.withLock { $0.delivered } }

    /// How many rows are held.
    var count: Int { state.withLock { $0.window.items.count } }

    /// Puts rows that were read as a whole in the place of those held.
    func load(_ items: [OrderedList<QueryResultRow>.Item]) {
        state.withLock { state in
            let isComplete = state.window.wantedCount.map { items.count < $0 } ?? true
            state.window.load(items, isComplete: isComplete)
            state.isLoaded = true
        }
    }

    /// Takes in rows as they are now; see ``ListWindow/apply(_:)``.
    func apply(
        _ changes: [(key: RowPosition, value: QueryResultRow?)]
    ) -> ListWindow<QueryResultRow>.Need {
        state.withLock { $0.window.apply(changes) }
    }

    /// Adds rows that were read behind the last one.
    func extend(with items: [OrderedList<QueryResultRow>.Item], wantedCount: Int) {
        state.withLock {
            $0.window.extend(with: items, isComplete: items.count < wantedCount)
        }
    }

    /// Delivers the rows, if they are not those that were delivered last.
    ///
    /// - Parameters:
    ///   - sequence: The last change that they take into account.
    ///   - place: Gives what a query says beside its rows; asked only when they are delivered.
    /// - Throws: What `place` throws.
    func deliver(
        sequence: UInt64, place: () throws -> (totalRows: Int?, offset: Int?)
    ) rethrows {
        let (window, delivered, number) = state.withLock {
            ($0.window, $0.delivered, $0.number + 1)
        }
        if let delivered, Self.isSame(window, as: delivered) {
            state.withLock { $0.window.commit() }
            return
        }
        let found = try place()
        let answer = ObservedResult(
            list: window.items, limit: window.limit, startRow: startRow,
            totalRows: found.totalRows, offset: found.offset, sequence: sequence,
            number: number)
        state.withLock { state in
            state.window.commit()
            state.delivered = answer
            state.number = number
            state.hasFailed = false
        }
        buffer.put(.answer(answer))
    }

    private static func isSame(
        _ window: ListWindow<QueryResultRow>, as delivered: ObservedResult
    ) -> Bool {
        switch window.difference {
        case .none:
            true
        case .some:
            false
        case .unknown:
            ListDifference.isNone(
                from: delivered.list, to: window.items, limit: window.limit, isSame: ==)
        }
    }

    /// Waits for an answer that is not equal to the one taken last, and takes it.
    ///
    /// What the reader did not get to may have led back to what it has.
    ///
    /// - Precondition: Nobody else waits.
    /// - Returns: The answer or failure; nil when there are no more, or when the task is cancelled.
    func take() async -> ObservedState? {
        while let next = await buffer.take() {
            let taken = state.withLock { $0.taken }
            guard case .answer(let answer) = next else {
                state.withLock { $0.taken = nil }
                return next
            }
            state.withLock { $0.taken = answer }
            guard let taken, answer.number != taken.number + 1 else { return next }
            let isSame = ListDifference.isNone(
                from: taken.list, to: answer.list, limit: answer.limit, isSame: ==)
            if !isSame { return next }
        }
        return nil
    }

    /// Delivers a failure, once until there are rows again; they will be read as a whole.
    func fail(_ error: any Error) {
        let isFirst = state.withLock { state in
            defer {
                state.hasFailed = true
                state.isLoaded = false
                state.delivered = nil
                state.number += 1
            }
            return !state.hasFailed
        }
        if isFirst { buffer.put(.failure(error)) }
    }
}
