import HTTPTypes
import SettlePrimitives

/// How many streams of events may be open at once, so that they do not take all connections of a server.
struct StreamPlaces: Sendable {
    typealias Place = SettlePrimitives.Place<String>

    private let places = Places<String>(countMax: Self.countMax)

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
        do throws(Places<String>.Problem) {
            return try places.take(session, atMost: Self.sessionCountMax)
        } catch {
            switch error {
            case .ownTaken:
                throw PageProblem(
                    status: .tooManyRequests,
                    message:
                        "This browser has \(Self.sessionCountMax) streams open; close some pages.")
            case .allTaken:
                throw PageProblem(
                    status: .serviceUnavailable,
                    message: "\(Self.countMax) streams are open already; reload the page later.")
            }
        }
    }
}

/// The right of a browser to a stream of events, which ends with its session.
struct StreamLease: Sendable {
    /// Kept as long as the stream is open.
    let place: StreamPlaces.Place
    /// Whether the session goes on, and the database is there; a stream ends at the first wake at which it does not.
    let isValid: @Sendable () -> Bool
}
