import HTTPTypes
import Synchronization

/// How many may wait for changes at once, so that they do not take all connections.
///
/// A reader who has gone is only noticed when it is written to, or when its wait is over.
final class LiveReaders: Sendable {
    private struct State {
        var count = 0
        var counts: [String: Int] = [:]
    }

    private let state = Mutex(State())
    private let countMax: Int

    /// The most of one subject: the devices of a person, and then some.
    private static let subjectCountMax = 64

    /// A limit.
    ///
    /// - Parameter countMax: The most readers of all subjects.
    init(countMax: Int) {
        self.countMax = countMax
    }

    /// Takes a place.
    ///
    /// - Parameter subject: Who reads; nil for readers without a name, who share what there is.
    /// - Returns: The place, to be kept as long as it is read.
    /// - Throws: ``Refusal`` 429 when the subject has enough, 503 when all together have.
    func begin(_ subject: String?) throws(Refusal) -> Place {
        let isTaken = try state.withLock { (state) throws(Refusal) -> Bool in
            guard state.count < countMax else {
                throw Refusal(
                    .serviceUnavailable, "Too many wait for changes already; poll instead.",
                    headers: [.retryAfter: "30"])
            }
            if let subject, state.counts[subject, default: 0] >= Self.subjectCountMax {
                return false
            }
            state.count += 1
            if let subject { state.counts[subject, default: 0] += 1 }
            return true
        }
        guard isTaken else {
            throw Refusal(
                .tooManyRequests,
                "You wait for changes \(Self.subjectCountMax) times already; end some.",
                headers: [.retryAfter: "30"])
        }
        return Place(readers: self, subject: subject)
    }

    fileprivate func end(_ subject: String?) {
        state.withLock { state in
            state.count -= 1
            guard let subject, let count = state.counts[subject] else { return }
            state.counts[subject] = count > 1 ? count - 1 : nil
        }
    }

    /// A place that is given up when nobody holds it any more.
    final class Place: Sendable {
        private let readers: LiveReaders
        private let subject: String?

        fileprivate init(readers: LiveReaders, subject: String?) {
            self.readers = readers
            self.subject = subject
        }

        deinit { readers.end(subject) }
    }
}
