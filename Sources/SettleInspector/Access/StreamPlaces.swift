import HTTPTypes
import SettlePrimitives
import Synchronization

/// How many streams of events may be open at once, so that they do not take all connections of a server.
///
/// All state is guarded by one lock.
final class StreamPlaces: Sendable {
    private let counts = Lock<[String: Int]>([:])

    /// The most of all sessions.
    static let countMax = 64
    /// The most of one session: a browser that has gone is only noticed at the next sign of life.
    static let sessionCountMax = 16

    /// Takes a place.
    ///
    /// - Parameter session: The session of the browser.
    /// - Returns: The place, to be kept as long as the stream is open.
    /// - Throws: ``PageProblem`` 429 when the session has enough, 503 when all together have.
    func take(_ session: String) throws(PageProblem) -> Place {
        try counts.withLock { (counts) throws(PageProblem) in
            guard counts[session, default: 0] < Self.sessionCountMax else {
                throw PageProblem(
                    status: .tooManyRequests,
                    message:
                        "This browser has \(Self.sessionCountMax) streams open; close some pages.")
            }
            guard counts.values.reduce(0, +) < Self.countMax else {
                throw PageProblem(
                    status: .serviceUnavailable,
                    message: "\(Self.countMax) streams are open already; reload the page later.")
            }
            counts[session, default: 0] += 1
        }
        return Place(places: self, session: session)
    }

    private func end(_ session: String) {
        counts.withLock { counts in
            guard let count = counts[session] else { return }
            counts[session] = count > 1 ? count - 1 : nil
        }
    }

    /// A place that is given up when it is released.
    final class Place: Sendable {
        private let places: StreamPlaces
        private let session: String

        fileprivate init(places: StreamPlaces, session: String) {
            self.places = places
            self.session = session
        }

        deinit { places.end(session) }
    }
}

/// The right of a browser to a stream of events, which ends with its session.
struct StreamLease: Sendable {
    /// Kept as long as the stream is open.
    let place: StreamPlaces.Place
    /// Whether the session goes on; a stream ends at the first wake at which it does not.
    let isValid: @Sendable () -> Bool
}
