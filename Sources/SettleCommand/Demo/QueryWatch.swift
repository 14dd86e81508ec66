import Settle
import SettlePrimitives
import Synchronization

/// Takes the results of an observed query and lets one wait for the one that is expected.
///
/// The lock guards the results; they come in on the database's queue.
final class QueryWatch: Sendable {
    private let values = Lock<[Int64?]>([])
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// How many results have come.
    var resultCount: Int { values.withLock { $0.count } }

    /// The reduced value of the last result.
    var last: Int64? { values.withLock { $0.last ?? nil } }

    /// Takes a result: the value of its one row.
    func take(_ result: QueryResultEnumerator) {
        values.withLock { $0.append(result.rows.first?.valueJSON.integerValue) }
        continuation.yield()
    }

    /// Waits until the last result has this value.
    ///
    /// - Returns: False when that did not happen in time.
    func wait(for value: Int64, atMost time: Duration = .seconds(30)) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { [self] in
                if last == value { return true }
                for await _ in stream where last == value { return true }
                return false
            }
            group.addTask {
                try? await Task.sleep(for: time)
                return false
            }
            let hasCome = await group.next() ?? false
            group.cancelAll()
            return hasCome
        }
    }
}
