/// Begins observations for asynchronous sequences.
struct ObservationSource: Sendable {
    private let database: Database
    private let interval: Duration
    private let begin: @Sendable () throws(DatabaseError) -> LiveList

    init(
        _ database: Database, _ interval: Duration,
        _ begin: @escaping @Sendable () throws(DatabaseError) -> LiveList
    ) {
        self.database = database
        self.interval = interval
        self.begin = begin
    }

    /// Begins an observation.
    ///
    /// - Throws: ``DatabaseError`` when it cannot be begun.
    func observation() throws(DatabaseError) -> ObservationReader {
        ObservationReader(
            try begin(), database.observers, interval, database.configuration.clock)
    }
}

/// Reads one observation, and ends it when it is let go of.
final class ObservationReader: Sendable {
    private let list: LiveList
    private let center: ObservationCenter
    private let interval: Duration
    private let clock: any Clock<Duration>

    init(
        _ list: LiveList, _ center: ObservationCenter, _ interval: Duration,
        _ clock: any Clock<Duration>
    ) {
        self.list = list
        self.center = center
        self.interval = interval
        self.clock = clock
    }

    deinit {
        center.end(list)
    }

    private static func databaseError(_ error: any Error) -> DatabaseError {
        let error = DatabaseError.translated(error)
        guard let error = error as? DatabaseError else {
            preconditionFailure("An observed query failed with \(type(of: error)).")
        }
        return error
    }

    /// Waits for the next answer.
    ///
    /// - Parameter isFirst: False when the interval has to pass first.
    /// - Returns: The answer; nil when there are no more.
    /// - Throws: ``DatabaseError``, why there is none.
    func next(isFirst: Bool) async throws(DatabaseError) -> ObservedResult? {
        if !isFirst, interval > .zero { await letIntervalPass() }
        switch await list.take() {
        case .answer(let answer): return answer
        case .failure(let error): throw Self.databaseError(error)
        case nil: return nil
        }
    }

    /// Waits for the interval, or for the task to be cancelled or the observation to end.
    private func letIntervalPass() async {
        let sleep = Task { [clock, interval] in _ = try? await clock.sleep(for: interval) }
        center.cancel(sleep, atEndOf: list)
        await withTaskCancellationHandler {
            await sleep.value
        } onCancel: {
            sleep.cancel()
        }
    }
}
