import Settle

extension ReplicationCycle {
    /// How many failures in a row, with nothing carried out in between, mean that the remote
    /// fails altogether and not on certain documents.
    private static let outageCountMax = 3

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
    private mutating func note(_ claim: Claim, _ progress: inout PushProgress) {
        progress.total -= claim.equalCount + claim.withheldCount
        summary.withheld += claim.withheldCount
        for (id, reason) in claim.faults {
            progress.total -= 1
            summary.rejected += 1
            session.report(.rejected(documentId: id, reason: reason))
        }
    }

    /// Sends operations, several at a time, and stores what came of them; claims and sends those behind them
    /// as long as there are and nothing else is to be done.
    ///
    /// - Parameters:
    ///   - claimed: The operations.
    ///   - allowance: How they may go.
    ///   - progress: How far the push is.
    /// - Returns: The documents that are in conflict now, and the last claim without its operations when it
    ///   leaves something else to do.
    /// - Throws: What ended the push; the database's errors.
    private mutating func send(
        _ claimed: [ClaimedOperation], _ allowance: PushAllowance,
        _ progress: inout PushProgress
    ) async throws -> (conflictIds: [String], behind: Claim?) {
        let (pushQueue, database, backend) = (session.pushQueue, session.database, session.backend)
        let isOrdered = allowance.isOrdered
        // Those that are not done, by their places.
        var operations: [Int: ClaimedOperation] = [:]
        var heldSize = 0
        var claimedCount = 0
        let sendsOnlyChanges = session.configuration.sendsOnlyChanges
        /// Gives places to operations; those of them that go by themselves.
        func take(_ claimed: [ClaimedOperation]) -> Set<Int> {
            var lone: Set<Int> = []
            for var claimed in claimed {
                claimed.operation.sendsOnlyChanges =
                    sendsOnlyChanges && claimed.operation.changedNames != nil
                if !claimed.attachments.isEmpty { lone.insert(claimedCount) }
                heldSize += claimed.size
                operations[claimedCount] = claimed
                claimedCount += 1
            }
            return lone
        }
        let lone = take(claimed)
        var machine = PushStateMachine(
            count: claimedCount,
            sendingMax: isOrdered ? 1 : session.configuration.concurrentRequestsMax,
            batchMax: isOrdered ? 1 : max(1, allowance.togetherMax), lone: lone,
            claimingMore: allowance.claimsMore)
        var outcomes: [Int: RemoteOutcome] = [:]
        var conflictIds: [String] = []
        var behind: Claim?
        var failure: (any Error)?
        await withTaskGroup(of: PushReport.self) { group in
            loop: while true {
                if Task.isCancelled { machine.abort() }
                machine.isFull =
                    operations.count >= SyncTuning.claimedCountMax
                    || heldSize >= SyncTuning.claimedSizeMax
                switch machine.nextAction() {
                case .send(let run):
                    let sent = run.compactMap { operations[$0] }
                    group.addTask {
                        .answered(
                            run, await backend.answers(to: sent, omissions: pushQueue.omissions))
                    }
                case .store(let indices):
                    let trials = indices.compactMap { index in
                        operations[index].flatMap { operation in
                            outcomes[index].map { (operation, PushQueue.Trial.answered($0)) }
                        }
                    }
                    let date = session.configuration.now()
                    group.addTask {
                        do {
                            let results = try await pushQueue.storeOutcomes(
                                database, trials, at: date)
                            return .stored(indices, .success(results))
                        } catch {
                            return .stored(indices, .failure(error))
                        }
                    }
                case .claim:
                    // What is under way is taken up again when its outcome is known.
                    let skipped = skippedIds.union(operations.values.lazy.map(\.operation.id))
                    let (withAttachments, lookedUp) = (carriesAttachments(), lookedUpIds)
                    group.addTask {
                        do {
                            return .claimed(
                                .success(
                                    try await pushQueue.claim(
                                        database, countMax: SyncTuning.claimCountMax,
                                        skipping: skipped, filter: nil,
                                        withAttachments: withAttachments, lookedUp: lookedUp)))
                        } catch {
                            return .claimed(.failure(error))
                        }
                    }
                case .wait:
                    guard let report = await group.next() else { break loop }
                    switch report {
                    case .answered(let run, let results):
                        var known: [Int] = []
                        var repeated: [Int] = []
                        for (index, result) in zip(run, results) {
                            switch result {
                            case .success(let outcome):
                                outcomes[index] = outcome
                                hasAnswer = true
                                known.append(index)
                                progress.failuresInARow = 0
                            case .failure(let error)
                            where run.count > 1 && error.mayConcernOneDocument:
                                // Perhaps for another's sake; and perhaps it was carried out.
                                operations[index]?.isRepeated = true
                                repeated.append(index)
                            case .failure(let error):
                                let id = operations[index]?.operation.id ?? ""
                                if !note(error, on: id, &progress) { failure = failure ?? error }
                            }
                        }
                        let holds =
                            isOrdered
                            && known.contains { index in
                                guard let kind = operations[index]?.operation.kind else {
                                    return false
                                }
                                return outcomes[index]?.mayConflict(with: kind) ?? false
                            }
                        machine.answered(known: known, repeating: repeated, holding: holds)
                        if failure != nil || progress.isOutage { machine.abort() }
                    case .stored(let indices, .success(let results)):
                        machine.stored()
                        if isOrdered, results.contains(.conflict) { machine.abort() }
                        var stored: [(id: String, result: PushResult)] = []
                        for (index, result) in zip(indices, results) {
                            outcomes[index] = nil
                            guard let done = operations.removeValue(forKey: index) else { continue }
                            heldSize -= done.size
                            stored.append((done.operation.id, result))
                        }
                        conflictIds += count(stored, &progress)
                        // Handlers are not kept waiting for the rest of the queue.
                        if !conflictIds.isEmpty { machine.stopClaiming() }
                    case .stored(_, .failure(let error)):
                        machine.stored()
                        failure = failure ?? error
                        machine.abort()
                    case .claimed(.success(var claim)):
                        note(claim, &progress)
                        let before = claimedCount
                        let lone = take(claim.operations)
                        let goesOn =
                            !claim.isExhausted && claim.isProgress && !claim.hasOtherWork
                        machine.claimed(claimedCount - before, lone: lone, goingOn: goesOn)
                        claim.operations = []
                        if claim.hasOtherWork { behind = claim }
                    case .claimed(.failure(let error)):
                        machine.claimed(0, goingOn: false)
                        failure = failure ?? error
                        machine.abort()
                    }
                case .finish:
                    break loop
                }
            }
        }
        if !machine.unsent.isEmpty {
            let unsent = machine.unsent.compactMap { index in
                operations[index].map { ($0, PushQueue.Trial.notSent) }
            }
            _ = try await pushQueue.storeOutcomes(database, unsent, at: session.configuration.now())
        }
        if let failure { throw failure }
        return (conflictIds, behind)
    }

    /// Notes a failure on one operation; false when it is none of the operation's and ends the cycle.
    mutating func note(
        _ error: ReplicationError, on id: String, _ progress: inout PushProgress
    ) -> Bool {
        guard error.mayConcernOneDocument else { return false }
        progress.failuresInARow += 1
        skippedIds.insert(id)
        serverFailures[id] = RemoteRejection(
            reason: error.message, statusCode: error.statusCode, body: error.responseBody)
        self.error = error
        progress.isOutage = progress.failuresInARow >= Self.outageCountMax
        return true
    }

    /// Counts what was stored and says how far the push is; the documents in conflict.
    private mutating func count(
        _ results: [(id: String, result: PushResult)],
        _ progress: inout PushProgress
    ) -> [String] {
        var conflictIds: [String] = []
        for (id, result) in results {
            switch result {
            case .acknowledged:
                progress.sent += 1
                summary.pushed += 1
            case .conflict:
                conflictIds.append(id)
            case .rejected(let reason):
                summary.rejected += 1
                progress.total -= 1
                session.report(.rejected(documentId: id, reason: reason))
            case .setAside(let row, let reason):
                summary.rejected += 1
                progress.total -= 1
                session.report(.rejected(documentId: id, reason: reason))
                if let row { noteSetAside([row]) }
            case .returned:
                break
            }
        }
        progress.total = max(progress.total, progress.sent)
        session.report(.sending(sent: progress.sent, total: progress.total))
        return conflictIds
    }

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
    private mutating func resolveConflict(of id: String) async throws {
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

extension RemoteOutcome {
    /// Whether it may turn out to be a conflict when it is compared to what is here.
    fileprivate func mayConflict(with kind: OperationKind) -> Bool {
        switch self {
        case .stored: kind == .undelete
        case .deleted: kind != .delete
        case .conflict: true
        case .rejected: false
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

/// How claimed operations may go.
private struct PushAllowance {
    /// The most that go together.
    let togetherMax: Int
    /// Whether they go one at a time, and none after the first conflict.
    let isOrdered: Bool
    /// Whether those behind them may be claimed while they are sent.
    let claimsMore: Bool
}

/// What a task of a push reports.
private enum PushReport: Sendable {
    /// One result for each of what was sent together.
    case answered(Range<Int>, [Result<RemoteOutcome, ReplicationError>])
    case stored([Int], Result<[PushResult], any Error>)
    case claimed(Result<Claim, any Error>)
}
