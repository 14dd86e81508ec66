/// Decides conflicts.
///
/// A handler of one's own is a closure:
///
///     configuration.conflictHandler = ConflictHandler { conflict in
///         conflict.local == nil ? .useServer : .useLocal
///     }
///
/// It may be asked several times about one conflict, when the document changes here or there while
/// it thinks; its answer is only used for the two versions it was shown. It may take its time, but
/// the push waits for it: to ask a person, answer `.leave` and resolve the conflict later with
/// `Database.resolve(_:with:)`. It must not wait for the end of the replication it is asked by, nor
/// purge what that replicates: both wait for the handler.
///
/// A handler that throws leaves the conflict as it is; ``ReplicationEvent/conflictHandlerFailed(documentId:error:)``
/// tells of it, and the next replication asks again.
///
/// **Stopping.** A handler that may answer `.stop` is asked before anything behind the conflict is
/// sent: operations go one at a time, in the order in which their documents were first changed, and
/// after `.stop` those behind it are still in the queue, untouched. The price is one request for
/// each operation, one after the other. A handler that never stops says so with `mayStop: false`;
/// then operations go several at a time, and many together where the server takes that. The
/// ready-made handlers never stop.
///
/// ```swift
/// configuration.conflictHandler = ConflictHandler(mayStop: false) { conflict in
///     guard let local = conflict.local, let server = conflict.server else { return .leave }
///     var merged = local
///     merged["seen"] = (local.integer("seen") ?? 0) + (server.integer("seen") ?? 0)
///     return .use(merged)
/// }
/// ```
public struct ConflictHandler: Sendable {
    /// Whether the handler may answer ``ConflictResolution/stop``, so that a push with it goes
    /// operation by operation.
    public let mayStop: Bool
    /// Whether the handler never decides anything, so that old conflicts need not be shown to it.
    let isPassive: Bool
    private let decide: @Sendable (ReplicationConflict) async throws -> ConflictResolution

    /// A handler that asks a closure.
    ///
    /// - Parameters:
    ///   - mayStop: Whether the closure may answer `.stop`; true unless given. With false `.stop`
    ///     still ends the replication, but later operations may have been sent by then.
    ///   - decide: Decides a conflict.
    public init(
        mayStop: Bool = true,
        _ decide: @escaping @Sendable (ReplicationConflict) async throws -> ConflictResolution
    ) {
        self.decide = decide
        self.mayStop = mayStop
        isPassive = false
    }

    private init(
        isPassive: Bool, _ decide: @escaping @Sendable (ReplicationConflict) -> ConflictResolution
    ) {
        self.decide = decide
        self.isPassive = isPassive
        mayStop = false
    }

    /// Leaves every conflict listed, so that nothing is lost; the default.
    public static let leave = ConflictHandler(isPassive: true) { _ in .leave }

    /// What the remote has wins; edits made here that it refuses are given up.
    public static let serverWins = ConflictHandler(isPassive: false) { _ in .useServer }

    /// What was done here wins; the remote's change is overwritten.
    public static let localWins = ConflictHandler(isPassive: false) { _ in .useLocal }

    /// The later of the two changes wins, by the two sides' clocks; the remote when they are
    /// equal.
    ///
    /// A change whose time is not known beats nothing: what is live stays, against a deletion or
    /// an absence without a time, and a conflict of two live documents is left.
    public static let latestWins = ConflictHandler(isPassive: false) { conflict in
        if conflict.localChange != nil, conflict.serverChange != nil {
            return conflict.isLocalLater ? .useLocal : .useServer
        }
        switch (conflict.local, conflict.server) {
        case (_?, nil): return .useLocal
        case (nil, _?): return .useServer
        default: return .leave
        }
    }

    /// Merges members of the two documents against the one both come from.
    ///
    /// A member that only one side changed, added or removed is taken from that side. Where both
    /// changed one member to different values, the later change wins. An edit wins over a
    /// deletion. Without a common base, every member of both counts as added.
    public static let merge = ConflictHandler(isPassive: false) { conflict in
        ThreeWayMerge.resolution(of: conflict)
    }

    /// Asks for a decision; a handler that throws leaves the conflict.
    public func callAsFunction(_ conflict: ReplicationConflict) async -> ConflictResolution {
        do {
            return try await decision(about: conflict)
        } catch {
            return .leave
        }
    }

    /// Asks for a decision.
    ///
    /// - Throws: What the closure throws.
    func decision(about conflict: ReplicationConflict) async throws -> ConflictResolution {
        try await decide(conflict)
    }
}

extension ReplicationConflict {
    /// Whether the change made here is later than the remote's, as far as the clocks tell.
    var isLocalLater: Bool {
        guard let localChange, let serverChange else { return false }
        return localChange > serverChange
    }
}
