import Settle

/// An observed query of Settle, and what its handler was called with.
final class SettleWatch: Sendable {
    /// A call of the handler.
    struct Call: Sendable {
        let time: ContinuousClock.Instant
        let answer: QueryResultEnumerator
    }

    private let database: Database
    private let observer: QueryObserver
    /// The newest call that was not asked for yet.
    private let calls: AsyncStream<Call>
    private let counter: Counter

    /// Begins to observe.
    ///
    /// - Parameters:
    ///   - query: What is asked.
    ///   - index: The index that is asked.
    ///   - database: The database that has it.
    /// - Throws: ``BenchmarkError`` when it cannot be observed.
    init(_ query: any QueryParameters, of index: Database.Index, in database: Database) throws {
        let (calls, continuation) = AsyncStream<Call>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let counter = Counter()
        let observer = database.observeQuery(on: index.name, with: query) { answer in
            let time = ContinuousClock.now
            counter.increment()
            continuation.yield(Call(time: time, answer: answer))
        }
        guard let observer else {
            throw BenchmarkError("The index '\(index.name)' cannot be observed.")
        }
        (self.database, self.observer, self.calls, self.counter) =
            (database, observer, calls, counter)
    }

    /// How often the handler was called so far.
    var callCount: Int { counter.count }

    /// Waits for a call with a result that takes a change into account.
    ///
    /// - Parameter sequence: The sequence of the change; 0 for the first result.
    /// - Returns: The call.
    /// - Throws: ``BenchmarkError``, or why the query failed.
    func call(at sequence: UInt64) async throws -> Call {
        for await call in calls {
            if let error = call.answer.error { throw error }
            if call.answer.sequence >= sequence { return call }
        }
        throw BenchmarkError("The observation ended before it told of change \(sequence).")
    }

    /// Ends the observation.
    func end() {
        database.removeObserver(observer)
    }
}
