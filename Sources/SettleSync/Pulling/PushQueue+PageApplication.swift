import Foundation
import Settle
import Synchronization

/// What a page changed here.
struct PageApplication: Sendable, Hashable {
    /// Documents stored, deleted or purged.
    var changedCount = 0
    /// Documents that have attachments to be sent, as it turned out.
    var queuedCount = 0
    /// Items that were left aside because the document has something to tell first.
    var keptCount = 0
    /// Items that were set aside because they cannot be documents, and were not before.
    var setAside: [SetAsideRow] = []
    /// True when nothing was stored because another replication was faster: the pull of this query
    /// went on elsewhere, or answers of the remote were stored that the page may not show yet.
    var isOvertaken = false
}

/// The pull that a page belongs to.
struct PageContext: Sendable {
    let query: PullQuery
    /// The query's hash, which every item of a page is marked with.
    let queryHash: UInt64
    /// What other running replications of the remote ask for, by the queries' hashes.
    let others: Set<UInt64>
    /// `PushQueue.storedOutcomeCount` when the page was asked for.
    let storedOutcomeCount: UInt64
    /// Whether items come with their attachments.
    var carriesAttachments = false
    /// Whether it is kept how far the pull got, and which query showed an item.
    var isIncremental = true
    /// What time it is.
    let date: Date

    /// A page's pull.
    init(query: PullQuery, others: Set<UInt64> = [], storedOutcomeCount: UInt64, date: Date) {
        self.query = query
        self.date = date
        queryHash = query.hash
        self.others = others
        self.storedOutcomeCount = storedOutcomeCount
    }
}

extension PushQueue {
    /// Stores the items of pages that follow each other, and where the last of them ended, in one
    /// transaction.
    ///
    /// An item whose document waits to be sent does not touch it; the state is remembered, so that
    /// the push resolves the two without asking again. Items that are here already change nothing.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - pages: The pages. When another token is stored by now than one was asked for with, nothing of it
    ///     and those behind it is stored: the tables were purged, or another replication went on, and knows
    ///     better.
    /// - Returns: What was changed by each, up to one that was overtaken.
    /// - Throws: What the database throws when it cannot be written; the pages then count as not
    ///   read.
    func apply(_ database: Database, _ pages: [AskedPage]) async throws -> [PageApplication] {
        guard pages.contains(where: \.isNews) else { return pages.map { _ in PageApplication() } }
        return try await write(database) { [self] transaction, tables in
            var applications: [PageApplication] = []
            for asked in pages {
                let application = try apply(asked, in: transaction, tables)
                applications.append(application)
                if application.isOvertaken { break }
            }
            return applications
        }
    }

    private func apply(
        _ asked: AskedPage, in transaction: Transaction, _ tables: RemoteTables
    ) throws -> PageApplication {
        let (page, context) = (asked.page, asked.context)
        guard asked.isNews else { return PageApplication() }
        guard context.isIncremental else {
            return try apply(page.items, in: transaction, tables, context)
        }
        var checkpoint = try tables.checkpoint(of: context.query)
        guard checkpoint.token == asked.token else { return PageApplication(isOvertaken: true) }
        if asked.token == nil {
            // What has no identifier cannot be found again but by its place.
            try tables.removeFaults { key, row in
                key.isNameless && row.source == context.queryHash
                    && !page.items.contains { SetAsideKey($0, $0.fault) == key }
            }
        }
        let application = try apply(page.items, in: transaction, tables, context)
        guard !application.isOvertaken, let next = page.token else { return application }
        checkpoint.token = next
        checkpoint.carriesAttachments = context.carriesAttachments
        try tables.setCheckpoint(checkpoint, of: context.query)
        return application
    }

    /// Stores items that are no page of a pull.
    ///
    /// - Throws: As ``apply(_:_:after:in:)``.
    func apply(
        _ database: Database, _ items: [RemoteItem], in context: PageContext
    ) async throws -> PageApplication {
        try await write(database) { [self] transaction, tables in
            try apply(items, in: transaction, tables, context)
        }
    }

    private func apply(
        _ items: [RemoteItem], in transaction: Transaction, _ tables: RemoteTables,
        _ context: PageContext
    ) throws -> PageApplication {
        var application = PageApplication()
        application.isOvertaken =
            storedOutcomeCount.load(ordering: .relaxed) != context.storedOutcomeCount
        if application.isOvertaken { return application }
        var hasFaults = try tables.hasFaults()
        for item in items {
            // What is gone cannot be wrong; what has no name cannot be told to be gone.
            let isNameless = item.fault?.place != nil
            let isGone = !isNameless && (item.isDeleted || item.isOutOfScope)
            let idFault = isNameless ? nil : Document.fault(ofId: item.id)
            var fault = isGone ? nil : item.fault ?? idFault
            if fault == nil {
                if idFault == nil {
                    fault = try apply(item, in: transaction, tables, context, &application)
                }
                if fault == nil, hasFaults {
                    try Self.clearFault(SetAsideKey(item, item.fault), of: item.id, in: tables)
                }
            }
            if let fault {
                hasFaults = true
                let row = try tables.setFault(
                    fault, of: item, source: context.queryHash, at: context.date)
                if let row { application.setAside.append(row) }
            }
        }
        return application
    }

    /// Stores one item.
    ///
    /// - Returns: Why it cannot be a document here, and nothing was stored; nil when it can.
    private func apply(
        _ item: RemoteItem, in transaction: Transaction, _ tables: RemoteTables,
        _ context: PageContext, _ application: inout PageApplication
    ) throws -> ItemFault? {
        if item.isOutOfScope {
            try Self.leaveScope(item.id, in: transaction, tables, context, &application)
            return nil
        }
        if tables.scope != .all, let fault = try tables.scope.fault(ofRow: item.id, BaseItem(item))
        {
            try Self.leaveScope(item.id, in: transaction, tables, &application)
            return ItemFault(fault.reason, member: fault.member)
        }
        do {
            try Self.apply(
                item, in: transaction, tables, origin: identifier, context, &application)
            guard tables.scope != .all, try tables.entry(item.id)?.isBlocked ?? false else {
                return nil
            }
            return .takenIdentifier
        } catch let error as DatabaseError {
            // All of these come before anything is written.
            guard let fault = ItemFault(refusing: error) else { throw error }
            return fault
        }
    }

    private static func apply(
        _ item: RemoteItem, in transaction: Transaction, _ tables: RemoteTables, origin: String,
        _ context: PageContext, _ application: inout PageApplication
    ) throws {
        let id = item.id
        if try takeNew(
            item, source: context.isIncremental ? context.queryHash : 0, in: transaction, tables,
            origin: origin)
        {
            application.changedCount += 1
            return
        }
        var state = BaseItem(item)
        state.source = context.queryHash
        // As what was pushed from here comes back.
        if context.isIncremental, try tables.entry(id) == nil, try tables.showAgain(state, id) {
            return
        }
        var known = try tables.base(id)
        // What a query shows that is not remembered is nobody's business when it leaves.
        state.source = context.isIncremental ? context.queryHash : known?.source ?? 0
        if let undescribed = known, undescribed.lacksDescription, state.isLive,
            state.carriesAttachments,
            let description = try describe(
                id, known: undescribed, by: state, in: transaction, tables, origin: origin)
        {
            if description == .queued { application.queuedCount += 1 }
            if description != .known { application.changedCount += 1 }
            guard undescribed.isSame(as: state) || undescribed.isNamed(by: state) else { return }
            known = try tables.base(id)
        }
        let isKnown = known.map { $0.isSame(as: state) || $0.isNamed(by: state) } ?? false
        if isKnown, known?.source != state.source || known?.version != state.version {
            known?.source = state.source
            known?.version = state.version
            known?.updated = state.updated
            if let known { try tables.setBase(known, id) }
        }
        let old = try tables.entry(id)
        if isKnown, old == nil, let known {
            // One version has one content; an earlier answer may have left out some of it.
            let healed = known.shownAgain(by: state)
            if healed == known { return }
            state = healed
        }
        let local = try tables.document(id, in: transaction)
        if !isKnown { state = state.shown(after: old?.seen) }
        if !isKnown || old?.status == .outside {
            let here = local?.members(withAttachments: state.carriesAttachments)
            state = state.pulled(over: known, here: here)
        }
        if !isKnown, try old != nil || tables.isTaken(id, in: transaction) {
            // Before it is kept for later.
            try Document(id: id, state: state)?.check()
        }
        if let old, old.status == .outside {
            if isKnown, old.seen == nil { return }
            if try tables.isTaken(id, in: transaction) {
                application.keptCount += 1
                return try block(id, by: state, replacing: old, tables)
            }
            try take(state, id, replacing: old, in: transaction, tables, origin: origin)
            application.changedCount += 1
            return
        }
        if let old {
            var entry = old
            entry.isOutOfScope = false
            if !isKnown {
                if old.isIdle, tables.scope.isLike(local, to: state) {
                    // Both sides became equal by themselves.
                    try tables.setBase(state, id)
                    return try close(id, entry, in: transaction, tables)
                }
                application.keptCount += 1
                entry.seen = state
                // What was refused may be a conflict now, or nothing any more.
                if entry.status == .rejected { entry.requeue() }
            }
            if entry != old { try tables.setEntry(entry, id, replacing: old) }
            return
        }
        if try tables.isTaken(id, in: transaction) {
            application.keptCount += 1
            return try block(id, by: state, replacing: nil, tables)
        }
        if tables.scope.isEqual(local, to: state) {
            // A deleted item that was never here leaves no trace.
            if local != nil || known != nil { try tables.setBase(state, id) }
            return
        }
        try take(state, id, replacing: nil, in: transaction, tables, origin: origin)
        application.changedCount += 1
    }
}
