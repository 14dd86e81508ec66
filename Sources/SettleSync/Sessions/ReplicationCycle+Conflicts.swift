import Settle

extension ReplicationCycle {
    /// What the handler says of a conflict; it is left when the handler fails.
    private func decision(
        about conflict: ReplicationConflict, of id: String
    ) async -> ConflictResolution {
        do {
            return try await session.configuration.conflictHandler.decision(about: conflict)
        } catch {
            // Who is cancelled while it thinks has not failed.
            if !Task.isCancelled {
                session.report(.conflictHandlerFailed(documentId: id, error: error))
            }
            return .leave
        }
    }

    /// Gives a conflict to the handler until its answer fits what both sides have.
    mutating func resolveConflict(of id: String) async throws {
        let (pushQueue, database) = (session.pushQueue, session.database)
        conflictCounts[id, default: 0] += 1
        if conflictCounts[id, default: 0] <= SyncTuning.resolutionCountMax {
            for _ in 0..<SyncTuning.resolutionCountMax {
                guard let conflict = try pushQueue.conflict(database, of: id) else { return }
                let resolution = await decision(about: conflict, of: id)
                try Task.checkCancellation()
                switch try await pushQueue.resolve(database, conflict, resolution) {
                case .resolved:
                    summary.conflictsResolved += 1
                    return
                case .left:
                    summary.conflicts += 1
                    session.report(.conflict(documentId: id))
                    guard case .stop = resolution else { return }
                    throw ReplicationError(
                        .stoppedByConflictHandler,
                        "The conflict handler stopped the replication at document '\(id)'.",
                        documentId: id)
                case .changed:
                    continue
                }
            }
        }
        skippedIds.insert(id)
        error = ReplicationError(
            .serverFailed,
            "Document '\(id)' changes faster than its conflicts are resolved; it will be tried "
                + "again.", documentId: id)
    }
}
