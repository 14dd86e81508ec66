import HTTPTypes
import SettlePrimitives
import Synchronization

/// How many may wait for changes at once, so that they do not take all connections.
///
/// A reader who has gone is only noticed when it is written to, or when its wait is over.
final class LiveReaders: Sendable {
    private struct State {
        var count = 0
        var counts: [SenderKey: Int] = [:]
    }

    private let state = Lock(State())
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
        let isTaken = try state.withLock { (state) throws(Problem) -> Bool in
            guard state.count < countMax else {
                throw Problem(
                    .serviceUnavailable, "Too many wait for changes already; poll instead.")
            }
            guard state.counts[reader, default: 0] < ownCountMax else { return false }
            state.count += 1
            state.counts[reader, default: 0] += 1
            return true
        }
        guard isTaken else {
            throw Problem(
                .tooManyRequests,
                "You wait for changes \(ownCountMax) times already; end some, or poll instead.")
        }
        return Place(readers: self, reader: reader)
    }

    fileprivate func end(_ reader: SenderKey) {
        state.withLock { state in
            state.count -= 1
            guard let count = state.counts[reader] else { return }
            state.counts[reader] = count > 1 ? count - 1 : nil
        }
    }

    /// A place that is given up when nobody holds it any more.
    final class Place: Sendable {
        private let readers: LiveReaders
        private let reader: SenderKey

        fileprivate init(readers: LiveReaders, reader: SenderKey) {
            self.readers = readers
            self.reader = reader
        }

        deinit { readers.end(reader) }
    }
}
