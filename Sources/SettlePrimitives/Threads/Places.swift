import Synchronization

/// How many may hold something at once, of each holder and all together.
///
/// All state is guarded by one lock.
package final class Places<Holder: Hashable & Sendable>: Sendable {
    /// Why there is no place.
    package enum Problem: Error, Equatable {
        /// The holder has enough.
        case ownTaken
        /// All together have.
        case allTaken
    }

    private struct State {
        var count = 0
        var counts: [Holder: Int] = [:]
    }

    private let state = Lock(State())
    private let countMax: Int

    /// Places.
    ///
    /// - Parameter countMax: How many there are.
    package init(countMax: Int) {
        self.countMax = countMax
    }

    /// Takes a place.
    ///
    /// - Parameters:
    ///   - holder: For whom.
    ///   - ownMax: The most of this holder.
    /// - Returns: The place, to be kept as long as it is needed.
    /// - Throws: ``Problem``; `ownTaken` when both hold.
    package func take(_ holder: Holder, atMost ownMax: Int) throws(Problem) -> Place<Holder> {
        try state.withLock { (state) throws(Problem) in
            guard state.counts[holder, default: 0] < ownMax else { throw .ownTaken }
            guard state.count < countMax else { throw .allTaken }
            state.count += 1
            state.counts[holder, default: 0] += 1
        }
        return Place(of: self, for: holder)
    }

    fileprivate func giveUp(_ holder: Holder) {
        state.withLock { state in
            state.count -= 1
            guard let count = state.counts[holder] else { return }
            state.counts[holder] = count > 1 ? count - 1 : nil
        }
    }
}

/// A place that is given up when it is released.
package final class Place<Holder: Hashable & Sendable>: Sendable {
    private let places: Places<Holder>
    private let holder: Holder

    fileprivate init(of places: Places<Holder>, for holder: Holder) {
        self.places = places
        self.holder = holder
    }

    deinit { places.giveUp(holder) }
}
