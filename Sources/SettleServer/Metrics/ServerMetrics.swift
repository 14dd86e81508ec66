import HTTPTypes
import Synchronization

/// What a server counts, from its start on.
///
/// Labels are templates of paths, known methods and statuses; nothing that a sender can choose is
/// among them, so their number has an end.
final class ServerMetrics: Sendable {
    /// What requests are counted by.
    struct RequestKind: Hashable, Comparable, Sendable {
        var route: String
        var method: String
        var status: Int

        static func < (left: RequestKind, right: RequestKind) -> Bool {
            (left.route, left.method, left.status) < (right.route, right.method, right.status)
        }
    }

    /// All that is counted, at one moment.
    struct Values: Sendable {
        var requests: [RequestKind: Int] = [:]
        var durations: [String: DurationHistogram] = [:]
        var requestsInFlight = 0
        var bytesReceived = 0
        var bytesSent = 0
        var itemsRead = 0
        var itemsWritten = 0
        var liveReaders = 0
        var rateLimited = 0
        var tokenFailures = 0
    }

    private let values = Mutex(Values())
    private static let methods: Set<HTTPRequest.Method> = [
        .get, .head, .post, .put, .patch, .delete, .options,
    ]

    /// What is counted up to now.
    var current: Values { values.withLock { $0 } }

    /// Counts a request that has come.
    func requestBegan() {
        values.withLock { $0.requestsInFlight += 1 }
    }

    /// Counts a request whose answer begins.
    ///
    /// - Parameters:
    ///   - route: The template of its path.
    ///   - method: Its method; one that is not known counts as `other`.
    ///   - status: The status of the answer.
    ///   - seconds: How long it took so far.
    ///   - received: The length of its body in bytes, as far as it was said.
    ///   - sent: The length of the answer's body in bytes, as far as it is known.
    func requestEnded(
        route: String, method: HTTPRequest.Method, status: Int, seconds: Double, received: Int,
        sent: Int
    ) {
        let kind = RequestKind(
            route: route, method: Self.methods.contains(method) ? method.rawValue : "other",
            status: status)
        values.withLock { values in
            values.requestsInFlight -= 1
            values.requests[kind, default: 0] += 1
            values.durations[route, default: DurationHistogram()].record(seconds)
            // What a sender says of a length may be any number; only sums may not break.
            values.bytesReceived &+= received
            values.bytesSent &+= sent
        }
    }

    /// Counts items that were sent to readers.
    func itemsRead(_ count: Int) {
        values.withLock { $0.itemsRead += count }
    }

    /// Counts items that were stored.
    func itemsWritten(_ count: Int) {
        values.withLock { $0.itemsWritten += count }
    }

    /// Counts a reader that waits for changes; ``liveReaderEnded()`` follows.
    func liveReaderBegan() {
        values.withLock { $0.liveReaders += 1 }
    }

    /// Counts a reader that waits no longer.
    func liveReaderEnded() {
        values.withLock { $0.liveReaders -= 1 }
    }

    /// Counts a request that was one too many.
    func rateLimited() {
        values.withLock { $0.rateLimited += 1 }
    }

    /// Counts a request whose token was missing or not good.
    func tokenFailed() {
        values.withLock { $0.tokenFailures += 1 }
    }
}
