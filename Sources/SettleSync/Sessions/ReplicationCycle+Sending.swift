import Settle

extension ReplicationCycle {
    /// How many failures in a row, with nothing carried out in between, mean that the remote
    /// fails altogether and not on certain documents.
    private static let outageCountMax = 3

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
    mutating func send(
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

/// How claimed operations may go.
struct PushAllowance {
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
