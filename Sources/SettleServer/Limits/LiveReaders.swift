import HTTPTypes
import SettlePrimitives

/// How many may wait for changes at once, so that they do not take all connections.
///
/// A reader who has gone is only noticed when it is written to, or when its wait is over.
struct LiveReaders: Sendable {
    typealias Place = SettlePrimitives.Place<SenderKey>

    private let places: Places<SenderKey>
    private let countMax: Int

    /// The most of one subject: the devices of a person, and then some.
    private static let subjectCountMax = 64

    /// The most of one address without subjects: half of all, since a proxy may stand there for many,
    /// and one machine must not take every place.
    private var addressCountMax: Int { max(1, countMax / 2) }

    /// A limit.
    ///
    /// - Parameter countMax: The most readers of all subjects.
    init(countMax: Int) {
        self.countMax = countMax
        places = Places(countMax: countMax)
    }

    /// Takes a place.
    ///
    /// The problems do not say when to come again: a reader who gets none may go on by polling at once.
    ///
    /// - Parameter reader: Who reads: a subject, or the address of those without one.
    /// - Returns: The place, to be kept as long as it is read.
    /// - Throws: ``Problem`` 429 when the reader has enough, 503 when all together have.
    func begin(_ reader: SenderKey) throws(Problem) -> Place {
        let ownCountMax =
            switch reader {
            case .subject: Self.subjectCountMax
            case .address: addressCountMax
            }
        do throws(Places<SenderKey>.Problem) {
            return try places.take(reader, atMost: ownCountMax)
        } catch {
            switch error {
            case .allTaken:
                throw Problem(
                    .serviceUnavailable, "Too many wait for changes already; poll instead.")
            case .ownTaken:
                throw Problem(
                    .tooManyRequests,
                    "You wait for changes \(ownCountMax) times already; end some, or poll instead.")
            }
        }
    }
}
