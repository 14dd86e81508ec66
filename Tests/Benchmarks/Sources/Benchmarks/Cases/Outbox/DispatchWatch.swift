import SettleOutbox
import Synchronization

/// Completes operations at once, and notes when each was started and what was written until then.
final class DispatchWatch: PipelineDelegate {
    private struct State {
        var times: [ContinuousClock.Instant] = []
        var places: [Place] = []
        var written: (first: Int, last: Int)?
    }

    /// What decides the order.
    private struct Place {
        let graph: UInt64
        let priority: Int32
    }

    private let countMax: Int
    private let state = Mutex(State())
    private let (ends, end) = AsyncStream<Never>.makeStream()

    /// - Parameter count: How many operations are completed; the next one is left active.
    init(completing count: Int) {
        countMax = count
    }

    func start(
        _ operation: QueuedOperation, in pipeline: Pipeline
    ) async throws -> OperationOutcome {
        let written = try WrittenBytes.count()
        let isLast = state.withLock { state in
            state.written = (state.written?.first ?? written, written)
            state.times.append(.now)
            state.places.append(Place(graph: operation.graph, priority: operation.priority))
            return state.times.count > countMax
        }
        guard isLast else { return .completed }
        end.finish()
        return .leftActive
    }

    /// Waits until the last one was started.
    func finish() async {
        for await _ in ends {}
    }

    /// What it took from the start of one operation to that of the next: the median in microseconds.
    var time: Double {
        let times = state.withLock { $0.times }
        let gaps = zip(times, times.dropFirst()).map { ($1 - $0) / .microseconds(1) }
        return gaps.sorted()[gaps.count / 2]
    }

    /// How many bytes were written from the start of one operation to that of the next, on average.
    var writtenByteCount: Double {
        let written = state.withLock { $0.written }
        return written.map { Double($0.last - $0.first) / Double(countMax) } ?? 0
    }

    /// Whether the operations came in the order that an algorithm asks for.
    func isInOrder(of algorithm: PipelineAlgorithm) -> Bool {
        let places = state.withLock { $0.places }
        return zip(places, places.dropFirst()).allSatisfy { first, second in
            switch algorithm {
            case .commitGraph: (first.graph, second.priority) <= (second.graph, first.priority)
            case .flatGraph: (second.priority, first.graph) <= (first.priority, second.graph)
            }
        }
    }
}
