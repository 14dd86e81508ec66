import Dispatch
import GRDB

/// An observed query of GRDB, and what it was told of.
final class GRDBWatch {
    private let cancellable: AnyDatabaseCancellable
    /// The newest result that was not asked for yet.
    private let results: AsyncThrowingStream<[GRDBTable.PlaceRow], any Error>
    private let counter: Counter

    init(
        _ writer: any DatabaseWriter,
        _ fetch: @escaping @Sendable (Database) throws -> [GRDBTable.PlaceRow]
    ) {
        let (results, continuation) = AsyncThrowingStream<
            [GRDBTable.PlaceRow], any Error
        >.makeStream(bufferingPolicy: .bufferingNewest(1))
        let counter = Counter()
        // What GRDB observes does not differ from one fetch to the next, which it likes to know.
        cancellable = ValueObservation.trackingConstantRegion(fetch).start(
            in: writer, scheduling: .async(onQueue: DispatchQueue(label: "benchmarks-grdb")),
            onError: { continuation.finish(throwing: $0) },
            onChange: { rows in
                counter.increment()
                continuation.yield(rows)
            })
        (self.results, self.counter) = (results, counter)
    }

    /// How many results there were so far.
    var resultCount: Int { counter.count }

    /// Waits for a result with this sum of amounts, which grows with every change.
    func result(total: Int) async throws -> AnswerSums {
        for try await rows in results where rows.reduce(0, { $0 + $1.amount }) == total {
            return rows.reduce(into: AnswerSums()) { sums, row in
                sums.add(
                    amount: row.amount,
                    keyBytes: row.type.utf8.count + row.city.utf8.count
                        + row.identifier.utf8.count)
            }
        }
        throw BenchmarkError("GRDB's observation ended before it told of the last change.")
    }

    /// Ends the observation.
    func end() { cancellable.cancel() }
}
