/// What an iteration of a change feed does next.
///
/// Pure: the shell (``ChangeFeed/Pages/Iterator``) performs ``action`` and tells what came of it.
struct ChangeFeedStateMachine: Sendable, Equatable {
    /// What the shell has to do.
    enum Action: Sendable, Equatable {
        /// Read the changes after a sequence, up to another where one is given.
        case read(after: UInt64, through: UInt64?)
        /// Wait until there is a change after a sequence.
        case wait(beyond: UInt64)
        /// Nothing: the iteration is over.
        case end
    }

    /// What a snapshot says beside the changes.
    struct Found: Sendable, Equatable {
        /// The changes up to here were read.
        var lastSequence: UInt64
        /// The last sequence of the database.
        var databaseSequence: UInt64
        /// Purges up to this sequence may be missing among the changes.
        var forgottenPurgeSequence: UInt64
    }

    /// Why a feed cannot go on from where it stands.
    enum Gap: Sendable, Equatable {
        /// Purges that happened meanwhile are not listed any more.
        case purgesForgotten
        /// The database has not come as far: it is another one, or an older copy.
        case databaseIsBehind
    }

    /// The changes up to here were read.
    private(set) var lastSequence: UInt64
    private(set) var action: Action
    private let isLive: Bool
    private let ignoresForgottenPurges: Bool
    /// Of documents purged up to here the reader cannot have heard; nil before the first read of
    /// one who began with nothing.
    private var ignorance: UInt64?
    /// Where a feed that is not live ends; nil before the first read.
    private var end: UInt64?
    private var hasRead = false

    /// A feed that begins after a sequence.
    init(since sequence: UInt64, isLive: Bool, ignoresForgottenPurges: Bool) {
        self.isLive = isLive
        self.ignoresForgottenPurges = ignoresForgottenPurges
        lastSequence = sequence
        action = .read(after: sequence, through: nil)
        ignorance = sequence == 0 ? nil : sequence
    }

    /// A page was read.
    ///
    /// - Returns: Why the page must not be used; the feed is over then.
    mutating func found(_ found: Found) -> Gap? {
        hasRead = true
        // Who had nothing when this state was read knows no document that was purged before it;
        // and who has read nothing yet has nothing, however long that is.
        let known = lastSequence == 0 ? found.databaseSequence : ignorance ?? lastSequence
        ignorance = known
        let safe = max(known, lastSequence)
        if !ignoresForgottenPurges {
            if found.forgottenPurgeSequence > safe { return stop(.purgesForgotten) }
            if found.databaseSequence < lastSequence { return stop(.databaseIsBehind) }
        }
        if !isLive, end == nil { end = found.databaseSequence }
        lastSequence = max(lastSequence, found.lastSequence)
        if let end {
            action = lastSequence < end ? .read(after: lastSequence, through: end) : .end
        } else {
            action =
                lastSequence < found.databaseSequence
                ? .read(after: lastSequence, through: nil) : .wait(beyond: lastSequence)
        }
        return nil
    }

    /// There is a change after the last that was read.
    mutating func changed() {
        if case .wait = action { action = .read(after: lastSequence, through: nil) }
    }

    /// The database was closed while the feed waited.
    mutating func closed() {
        action = .end
    }

    /// A page could not be read.
    ///
    /// - Returns: Whether that is an end like any other: a live feed that has begun goes on until
    ///   the database is closed.
    mutating func readFailed(isClosed: Bool) -> Bool {
        action = .end
        return isClosed && isLive && hasRead
    }

    private mutating func stop(_ gap: Gap) -> Gap {
        action = .end
        return gap
    }
}

extension DatabaseError {
    /// The error of a feed that cannot go on from where it stands.
    init(
        _ gap: ChangeFeedStateMachine.Gap, since sequence: UInt64,
        _ found: ChangeFeedStateMachine.Found
    ) {
        switch gap {
        case .purgesForgotten:
            self.init(
                .changesForgotten,
                "Not all changes after the sequence \(sequence) are known any more: purges up to "
                    + "\(found.forgottenPurgeSequence) are no longer listed. Begin anew at 0, with "
                    + "nothing of what was kept.")
        case .databaseIsBehind:
            self.init(
                .changesForgotten,
                "The changes cannot be followed from the sequence \(sequence): the database is "
                    + "at \(found.databaseSequence), so it is another one or an older copy. Begin "
                    + "anew at 0, with nothing of what was kept.")
        }
    }
}
