import CoreMetrics
import HTTPTypes
import SettlePrimitives
import Synchronization

/// What a server counts, from its start on, through a factory of swift-metrics.
///
/// Labels are templates of paths, known methods and statuses; nothing that a sender can choose is
/// among them, so their number has an end.
final class ServerMetrics: Sendable {
    /// Connections that are open.
    let connections: Meter

    private let factory: any MetricsFactory
    private let bodyBytesMax: Int
    private let requestsInFlight: Meter
    private let bytesReceived: Counter
    private let bytesSent: Counter
    private let items: (read: Counter, written: Counter)
    private let liveReaders: Meter
    private let rateLimits: Counter
    private let tokenFailures: Counter
    private let labelled = Lock(Labelled())

    /// What is made when there is something to count for the first time.
    private struct Labelled {
        var requests: [RequestKind: Counter] = [:]
        var refusals: [Int: Counter] = [:]
        var durations: [String: Timer] = [:]
    }

    private struct RequestKind: Hashable {
        var route: String
        var method: String
        var status: Int
    }

    /// Methods that have a label of their own.
    private static let methods: Set<HTTPRequest.Method> = [
        .get, .head, .post, .put, .patch, .delete, .options,
    ]

    /// Counts from 0 on.
    ///
    /// - Parameters:
    ///   - factory: What makes counters, meters and timers.
    ///   - bodyBytesMax: The longest body that is taken. A header may name any length; more than this is never
    ///     counted of one request, so that no sender brings a sum to where numbers end.
    init(_ factory: any MetricsFactory, bodyBytesMax: Int) {
        func counter(_ metric: ServerMetric) -> Counter {
            Counter(label: metric.rawValue, dimensions: [], factory: factory)
        }
        func meter(_ metric: ServerMetric) -> Meter {
            Meter(label: metric.rawValue, dimensions: [], factory: factory)
        }
        self.factory = factory
        self.bodyBytesMax = bodyBytesMax
        connections = meter(.connections)
        requestsInFlight = meter(.requestsInFlight)
        bytesReceived = counter(.bytesReceived)
        bytesSent = counter(.bytesSent)
        items = (counter(.itemsRead), counter(.itemsWritten))
        liveReaders = meter(.liveReaders)
        rateLimits = counter(.rateLimited)
        tokenFailures = counter(.tokenFailures)
    }

    /// The label of a method: itself, or `other` for one that is not known.
    static func label(of method: HTTPRequest.Method) -> String {
        isKnown(method) ? method.rawValue : "other"
    }

    /// Whether a method is one that has a label of its own.
    static func isKnown(_ method: HTTPRequest.Method) -> Bool { methods.contains(method) }

    /// Counts a request that has come.
    func requestBegan() {
        requestsInFlight.increment()
    }

    /// Counts a request whose answer begins.
    ///
    /// - Parameters:
    ///   - route: The template of its path.
    ///   - method: Its method; one that is not known counts as `other`.
    ///   - status: The status of the answer.
    ///   - duration: How long it took so far.
    ///   - received: The length of its body in bytes, as far as it was said.
    ///   - sent: The length of the answer's body in bytes, as far as it is known.
    func requestEnded(
        route: String, method: HTTPRequest.Method, status: Int, duration: Duration, received: Int,
        sent: Int
    ) {
        let kind = RequestKind(route: route, method: Self.label(of: method), status: status)
        let (requests, refusals, durations) = labelled.withLock { labelled in
            (
                requestCounter(kind, &labelled),
                status >= 400 ? refusalCounter(status, &labelled) : nil,
                durationTimer(route, &labelled)
            )
        }
        requestsInFlight.decrement()
        requests.increment()
        refusals?.increment()
        durations.recordNanoseconds(Int64(duration / .nanoseconds(1)))
        bytesReceived.increment(by: min(received, bodyBytesMax))
        bytesSent.increment(by: sent)
    }

    /// Counts items that were sent to readers.
    func itemsRead(_ count: Int) {
        items.read.increment(by: count)
    }

    /// Counts items that were stored.
    func itemsWritten(_ count: Int) {
        items.written.increment(by: count)
    }

    /// Counts a reader that waits for changes; ``liveReaderEnded()`` follows.
    func liveReaderBegan() {
        liveReaders.increment()
    }

    /// Counts a reader that waits no longer.
    func liveReaderEnded() {
        liveReaders.decrement()
    }

    /// Counts a request that was one too many.
    func rateLimited() {
        rateLimits.increment()
    }

    /// Counts a request whose token was missing or not good.
    func tokenFailed() {
        tokenFailures.increment()
    }

    private func requestCounter(_ kind: RequestKind, _ labelled: inout Labelled) -> Counter {
        if let counter = labelled.requests[kind] { return counter }
        let counter = Counter(
            label: ServerMetric.requests.rawValue,
            dimensions: [
                ("route", kind.route), ("method", kind.method), ("status", "\(kind.status)"),
            ], factory: factory)
        labelled.requests[kind] = counter
        return counter
    }

    private func refusalCounter(_ status: Int, _ labelled: inout Labelled) -> Counter {
        if let counter = labelled.refusals[status] { return counter }
        let counter = Counter(
            label: ServerMetric.refusals.rawValue, dimensions: [("status", "\(status)")],
            factory: factory)
        labelled.refusals[status] = counter
        return counter
    }

    private func durationTimer(_ route: String, _ labelled: inout Labelled) -> Timer {
        if let timer = labelled.durations[route] { return timer }
        let timer = Timer(
            label: ServerMetric.durations.rawValue, dimensions: [("route", route)],
            preferredDisplayUnit: .seconds, factory: factory)
        labelled.durations[route] = timer
        return timer
    }
}
