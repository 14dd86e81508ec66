import Settle

extension ReplicationCycle {
    /// Sends what waits until nothing does.
    ///
    /// - Returns: Nil when everything was sent or resolved; else why some documents still wait.
    /// - Throws: ``ReplicationError`` when nothing more can be sent for now; the database's errors.
    mutating func push() async throws -> ReplicationError? {
        let turn = session.pushQueue.turn
        return try await turn.run { try await pushInTurn() }
    }

    private mutating func pushInTurn() async throws -> ReplicationError? {
        let (pushQueue, database) = (session.pushQueue, session.database)
        // What another process wrote is in no queue yet.
        try await pushQueue.catchUp(database)
        var progress = PushProgress(
            total: try pushQueue.read(database) { _, tables in try tables.queuedCount() })
        // What is queued from now on ends the poll wait of a replication that repeats.
        guard try progress.total > 0 || mayCatchUpAttachments() else { return error }
        if progress.total > 0 { session.report(.sending(sent: 0, total: progress.total)) }
        try await session.backend.prepare()
        progress.total += try await queueUndescribed(isPulled: false)
        guard progress.total > 0 else { return error }
        let isOrdered = session.configuration.conflictHandler.mayStop
        while true {
            try Task.checkCancellation()
            // Before anything is taken up: what was is taken to have been sent. A single operation
            // goes by itself, and nothing need be known for that.
            let isSeveral = !isOrdered && progress.total - progress.sent > 1
            let batchCountMax = isSeveral ? try await session.backend.batchCountMax() : 1
            let progressBefore = session.order?.progressCount ?? 0
            let claim = try await pushQueue.claim(
                database,
                countMax: isOrdered ? SyncTuning.orderedClaimCountMax : SyncTuning.claimCountMax,
                skipping: skippedIds, filter: session.filter,
                withAttachments: carriesAttachments(), lookedUp: lookedUpIds,
                endingAtConflict: isOrdered, in: session.order)
            if claim.isExhausted { break }
            if let preceding = claim.precedingRemote {
                if claim.isHeldBySkipped { break }
                guard try await waits(for: preceding, since: progressBefore) else { break }
                continue
            }
            try await doOtherWork(of: claim, &progress)
            note(claim, &progress)
            var conflictIds: [String] = []
            if !claim.operations.isEmpty {
                let maySend = PushAllowance(
                    togetherMax: batchCountMax, isOrdered: isOrdered,
                    claimsMore: isSeveral && session.order == nil && session.filter == nil)
                let (found, behind) = try await send(claim.operations, maySend, &progress)
                conflictIds = found
                if let behind {
                    try await doOtherWork(of: behind, &progress)
                    conflictIds += behind.conflictIds
                }
            }
            // One that was known stands behind what was sent; its turn comes with the next claim.
            if !isOrdered || conflictIds.isEmpty { conflictIds += claim.conflictIds }
            for id in conflictIds { try await resolveConflict(of: id) }
            session.order?.progressed()
            // Whether the remote is there at all, the pull will tell.
            if progress.isOutage { break }
        }
        return error
    }

    /// Waits until another remote made progress, as far as it may.
    ///
    /// - Parameters:
    ///   - remote: The remote whose operations come first.
    ///   - count: What was counted before it was found that they do.
    /// - Returns: False when the push ends without what comes after them.
    /// - Throws: `CancellationError` when the task is cancelled.
    private mutating func waits(for remote: String, since count: UInt64) async throws -> Bool {
        guard let order = session.order else { return false }
        // One that goes on is woken: what is new there is pulled meanwhile.
        if session.configuration.isRepeating {
            return !order.interrupts(session.pollWait, since: count)
        }
        switch order.hasFailed(remote) {
        case nil:
            await order.waitForProgress(since: count)
            try Task.checkCancellation()
            return true
        case false?:
            // Committed after its last push, and so what comes after is not of this replication.
            return false
        case true?:
            error = ReplicationError(
                .heldBack,
                "Operations of '\(remote)' that were committed before have not been acknowledged, so "
                    + "those that come after them were not sent. Replicate again.")
            return false
        }
    }

    /// Fetches what operations of a claim wait for.
    private mutating func doOtherWork(
        of claim: Claim, _ progress: inout PushProgress
    ) async throws {
        for id in claim.undownloadedIds {
            _ = try await Self.download(id, for: session)
            let isLeft = try session.pushQueue.read(session.database) { snapshot, tables in
                try tables.hasDownload(ofDocumentWithId: id, in: snapshot)
            }
            if isLeft { skippedIds.insert(id) }
        }
        if !claim.undescribedIds.isEmpty {
            try await lookUpAttachments(of: claim.undescribedIds, &progress)
        }
    }

    /// Counts what of a claim is not sent.
    mutating func note(_ claim: Claim, _ progress: inout PushProgress) {
        progress.total -= claim.equalCount + claim.withheldCount
        summary.withheld += claim.withheldCount
        for (id, reason) in claim.faults {
            progress.total -= 1
            summary.rejected += 1
            session.report(.rejected(documentId: id, reason: reason))
        }
    }
}

/// How far a push is.
struct PushProgress {
    /// Operations that were carried out.
    var sent = 0
    /// Those and the ones that wait.
    var total: Int
    /// Failures of the remote since it last carried anything out.
    var failuresInARow = 0
    /// Whether there were so many that nothing more is sent.
    var isOutage = false
}
