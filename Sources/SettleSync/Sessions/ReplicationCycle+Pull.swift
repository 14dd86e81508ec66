import Foundation
import Logging
import Settle
import Synchronization

extension ReplicationCycle {
    /// Fetches page after page until there is nothing more, and lists everything when that is due.
    mutating func pull() async throws {
        while true {
            let channels = session.channels
            let query = try await session.query(of: channels)
            session.queryHash = query.hash
            var isDone = try await pull(query, as: channels)
            if !isDone {
                guard try await isCurrent(query, as: channels) else { continue }
                // Another replication of the remote was faster: nobody pushes meanwhile.
                isDone = try await session.pushQueue.turn.run {
                    try await pull(query, as: channels)
                }
            }
            guard isDone else { continue }
            try await PushQueue.storeFreed(session.database)
            try await downloadAttachments()
            if try await reconcile(query, as: channels) { return }
        }
    }

    /// Whether the query is still what is to be asked; channels and rights may change meanwhile.
    private func isCurrent(_ query: PullQuery, as channels: [String]) async throws -> Bool {
        guard session.channels == channels else { return false }
        return try await session.backend.scope() == query.scope
    }

    /// A page that is asked for now.
    func context(of query: PullQuery) -> PageContext {
        var context = PageContext(
            query: query, others: session.center.queryHashes(besides: session),
            storedOutcomeCount: session.pushQueue.storedOutcomeCount.load(ordering: .relaxed),
            date: session.configuration.now())
        context.carriesAttachments = knownAttachments ?? false
        context.isIncremental = session.configuration.isIncremental
        return context
    }

    /// Fetches everything that is new.
    ///
    /// - Returns: False when it has to begin again: the channels were changed, or the token.
    private mutating func pull(_ query: PullQuery, as channels: [String]) async throws -> Bool {
        let (session, backend) = (session, session.backend)
        let isIncremental = session.configuration.isIncremental
        var token = try session.pushQueue.read(session.database) { _, tables in
            isIncremental ? try tables.checkpoint(of: query).token : nil
        }
        let sizeMax = session.configuration.pageSize
        var context = context(of: query)
        var page = try await backend.pull(
            query, after: token, itemCountMax: sizeMax, isFirstPage: true)
        // Now the back-end has heard from the remote.
        let describes = carriesAttachments()
        let mustBegin =
            isIncremental
            ? try await session.pushQueue.beginDescribing(
                session.database, query, carriesAttachments: describes) : false
        if mustBegin {
            token = nil
            context = self.context(of: query)
            page = try await backend.pull(
                query, after: nil, itemCountMax: sizeMax, isFirstPage: true)
        }
        context.carriesAttachments = describes
        let first = AskedPage(page: page, token: token, context: context, isFirst: true)
        // Not kept beyond its turn, like every other page.
        page = PullPage(items: [], token: nil, isLast: true)
        return try await pull(query, as: channels, from: first)
    }

    /// Stores a page, and fetches and stores those behind it.
    ///
    /// - Returns: False when the pull has to begin again.
    private mutating func pull(
        _ query: PullQuery, as channels: [String], from first: consuming AskedPage
    ) async throws -> Bool {
        let session = session
        var machine = PullStateMachine()
        var progress = PullProgress()
        // Where the last page ended, where the next one is asked for, and what is stored.
        var (end, storedEnd) = (first.page.token, first.endToken)
        var report: PullReport? = .came(.success(first))
        // The pages that came, and those of them that are made and wait to be stored.
        var coming = ArrivedPages()
        var waiting: [AskedPage] = []
        var isOvertaken = false
        var (failure, storingFailure): ((any Error)?, (any Error)?)
        await withTaskGroup(of: PullReport.self) { group in
            loop: while true {
                switch report {
                case .came(.success(let asked))?:
                    do {
                        try Task.checkCancellation()
                        if try await isCurrent(query, as: channels) {
                            try asked.check()
                            (end, storedEnd) = (asked.page.token, asked.endToken)
                            machine.came(isLast: asked.page.isLast)
                            let number = coming.add()
                            group.addTask { .made(number, asked.made()) }
                        } else {
                            isOvertaken = true
                            machine.failed()
                        }
                    } catch {
                        failure = error
                        machine.failed()
                    }
                case .came(.failure(let error))?:
                    failure = error
                    machine.failed()
                case .made(let number, let asked)?:
                    for page in coming.made(number, asked) {
                        machine.made()
                        waiting.append(page)
                    }
                case .stored(let pages, .success(let applications))?:
                    machine.stored()
                    for (asked, application) in zip(pages, applications) {
                        if application.isOvertaken { isOvertaken = true }
                        if isOvertaken { break }
                        note(application, of: asked, &progress)
                    }
                case .stored(_, .failure(let error))?:
                    machine.stored()
                    storingFailure = error
                case nil: break
                }
                report = nil
                if isOvertaken || storingFailure != nil || Task.isCancelled {
                    machine.abort()
                    group.cancelAll()
                }
                switch machine.nextAction() {
                case .ask:
                    let (after, token, context) = (end, storedEnd, context(of: query))
                    let (backend, sizeMax) = (
                        session.backend, session.configuration.pageSize
                    )
                    group.addTask {
                        do {
                            let page = try await backend.pull(
                                query, after: after, itemCountMax: sizeMax,
                                isFirstPage: false)
                            return .came(
                                .success(
                                    AskedPage(page: page, token: token, context: context))
                            )
                        } catch {
                            return .came(.failure(error))
                        }
                    }
                case .store(let count):
                    let pages = Array(waiting.prefix(count))
                    waiting.removeFirst(count)
                    group.addTask {
                        do {
                            let applications = try await session.pushQueue.apply(
                                session.database, pages)
                            return .stored(pages, .success(applications))
                        } catch {
                            return .stored(pages, .failure(error))
                        }
                    }
                case .wait: report = await group.next()
                case .finish: break loop
                }
            }
        }
        if let storingFailure { throw storingFailure }
        if isOvertaken { return false }
        if let failure { throw failure }
        try Task.checkCancellation()
        return true
    }

    /// Counts a page that was stored, and says how far the pull is.
    private mutating func note(
        _ application: PageApplication, of asked: AskedPage, _ progress: inout PullProgress
    ) {
        note(application)
        // The first page may show once more what was read before.
        if asked.isNews, !asked.isFirst || application.changedCount > 0 { advanceCount += 1 }
        let page = asked.page
        if let remaining = page.itemCountRemaining {
            // The number comes from the remote and may be anything.
            let (sum, overflow) = progress.received.addingReportingOverflow(remaining)
            progress.total = overflow ? progress.received : sum
        }
        progress.received += page.itemCount
        summary.received += page.itemCount
        progress.total = max(progress.total, progress.received)
        guard page.itemCount > 0 else { return }
        session.report(.receiving(received: progress.received, total: progress.total))
    }

    mutating func note(_ application: PageApplication) {
        summary.pulled += application.changedCount
        queuedCount += application.queuedCount
        noteSetAside(application.setAside)
    }

    /// Counts and reports items that were set aside.
    mutating func noteSetAside(_ rows: [SetAsideRow]) {
        summary.skipped += rows.count
        for row in rows {
            let item = SetAsideItem(remote: session.pushQueue.identifier, row: row)
            session.logger.warning(
                "An item of the remote cannot be a document here and is set aside.",
                metadata: ["item": "\(item)"])
            session.report(.setAside(item))
        }
    }

    // MARK: Reconciling

    /// Lists everything that the query asks for, when that is due, and purges what is gone.
    ///
    /// - Returns: False when the channels were changed meanwhile, so that nothing was purged.
    private mutating func reconcile(_ query: PullQuery, as channels: [String]) async throws -> Bool
    {
        let (session, pushQueue) = (session, session.pushQueue)
        let start = session.configuration.now()
        guard try isReconcilingDue(query, at: start) else { return true }
        var missing = try pushQueue.shownVersions(session.database, by: query)
        var unseen = try pushQueue.shownFaults(session.database, by: query)
        var token: PullToken?
        while true {
            let context = context(of: query)
            let page = try await session.backend.list(
                query, after: token, itemCountMax: session.configuration.pageSize
            )?.describingAttachments(carriesAttachments())
            try Task.checkCancellation()
            guard let page else {
                session.logger.warning("The remote cannot list items, so nothing is reconciled.")
                session.hasReconciled.store(true, ordering: .relaxed)
                return true
            }
            guard try await isCurrent(query, as: channels) else { return false }
            if !page.isLast, page.token == token || page.token == nil {
                throw ReplicationError(
                    .protocolViolation,
                    "The remote sent a page of a listing that ends where it began.")
            }
            let application = try await pushQueue.apply(session.database, page.items, in: context)
            if application.isOvertaken { return false }
            note(application)
            for item in page.items {
                missing[Array(item.id.utf8)] = nil
                unseen[SetAsideKey(item, item.fault)] = nil
            }
            if page.isLast { break }
            token = page.token
        }
        let gone = missing.map { (String(decoding: $0.key, as: UTF8.self), $0.value) }
        for start in stride(from: 0, to: max(1, gone.count), by: SyncTuning.purgeCountMax) {
            let batch = gone[start..<min(gone.count, start + SyncTuning.purgeCountMax)]
            note(
                try await pushQueue.remove(
                    session.database, Array(batch), listedAt: session.configuration.now(),
                    in: context(of: query)))
        }
        try await pushQueue.removeFaults(session.database, unseen)
        session.hasReconciled.store(true, ordering: .relaxed)
        return true
    }

    private func isReconcilingDue(_ query: PullQuery, at date: Date) throws -> Bool {
        guard session.configuration.isIncremental else { return false }
        switch session.configuration.reconciling {
        case .never: return false
        case .atStart: return !session.hasReconciled.load(ordering: .relaxed)
        case .every(let interval):
            let last = try session.pushQueue.read(session.database) { _, tables in
                try tables.checkpoint(of: query).reconciled
            }
            guard let last else { return true }
            let passed = date.timeIntervalSince(last)
            // A clock that was set back must not put it off for ever.
            return passed < 0 || passed >= interval / .seconds(1)
        }
    }
}

/// How far a pull is.
private struct PullProgress {
    /// Items that were stored.
    var received = 0
    /// Those and the ones that are to come, as far as the remote said.
    var total = 0
}

/// What a task of a pull reports.
private enum PullReport: Sendable {
    case came(Result<AskedPage, any Error>)
    /// The items of the page that came as the one with this number.
    case made(Int, AskedPage)
    /// What was changed by each of the pages, up to one that was overtaken.
    case stored([AskedPage], Result<[PageApplication], any Error>)
}
