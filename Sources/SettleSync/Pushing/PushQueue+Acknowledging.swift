import Foundation
import Settle
import Synchronization

/// What became of an operation that was sent.
enum PushResult: Sendable, Hashable {
    /// Carried out; the remote's answer is stored.
    case acknowledged
    /// A conflict, to be given to the handler.
    case conflict
    /// Set aside, with the reason.
    case rejected(reason: String)
    /// Set aside for the sake of the item that the answer shows; with its row, if that is news.
    case setAside(SetAsideRow?, reason: String)
    /// Back in the queue, or forgotten meanwhile.
    case returned
}

extension PushQueue {
    /// What is known about an operation after it was tried.
    enum Trial: Sendable {
        /// The remote answered.
        case answered(RemoteOutcome)
        /// It was never handed to the back-end.
        case notSent
    }

    /// Stores what came of some operations, all in one transaction.
    ///
    /// The remote's answer becomes the document's new base. The document itself takes its form
    /// only when it was not edited since it was sent.
    ///
    /// - Throws: What the database throws when it cannot be written; nothing is stored then, and
    ///   the operations will be sent and recognised again.
    func storeOutcomes(
        _ database: Database, _ trials: [(claimed: ClaimedOperation, trial: Trial)],
        at date: Date
    ) async throws -> [PushResult] {
        try await write(database) { [self] transaction, tables in
            // Within the transaction: a page that is stored after it surely sees it.
            storedOutcomeCount.add(1, ordering: .relaxed)
            return try trials.map { claimed, trial in
                try Self.storeOutcome(
                    claimed, trial, in: transaction, tables, origin: identifier, at: date)
            }
        }
    }

    private static func storeOutcome(
        _ claimed: ClaimedOperation, _ trial: Trial, in transaction: Transaction,
        _ tables: RemoteTables, origin: String, at date: Date
    ) throws -> PushResult {
        let id = claimed.operation.id
        guard let old = try tables.entry(id), let sent = old.sent else { return .returned }
        guard case .answered(let outcome) = trial else {
            if claimed.isRepeated { return .returned }
            try release(id, old, in: transaction, tables)
            return .returned
        }
        if let result = try setAside(id, old, answered: outcome, at: date, tables) {
            return result
        }
        let base = try tables.base(id)
        let expected: JSONForm =
            sent.kind == .undelete ? .value(.object(base?.storedMembers ?? [:])) : sent.form
        let shown: BaseItem
        switch outcome {
        case .rejected(let rejection):
            return try reject(id, old, rejection, in: transaction, tables)
        case .stored(let item):
            let answer = BaseItem(item)
            var state = answer.answered(to: expected, over: base)
            if sent.kind == .undelete, !state.isLive {
                let reason = "The remote answered an undeletion with a deleted item."
                return try reject(
                    id, old, RemoteRejection(reason: reason), in: transaction, tables)
            }
            if let seen = old.seen {
                guard seen.isSame(as: answer) else {
                    return try acknowledge(
                        id, by: state, before: seen, replacing: old, in: transaction, tables,
                        origin: origin)
                }
                state = state.shownAgain(by: seen)
                state.source = seen.source
                if state.lacksDescription, seen.carriesAttachments {
                    // A page described its attachments while the operation, which did not, was away.
                    let result = try acknowledge(
                        id, by: state, entry: old, replacing: old, in: transaction, tables,
                        origin: origin)
                    _ = try describe(
                        id, known: state, by: seen, in: transaction, tables, origin: origin)
                    return result
                }
            }
            if !claimed.operation.isBlindUndeletion
                || isOwnWork(sent, shows: answer, base: base, in: tables.scope)
            {
                return try acknowledge(
                    id, by: state, entry: old, replacing: old, in: transaction, tables,
                    origin: origin)
            }
            shown = answer
        case .deleted(let item):
            let state = item.map(BaseItem.init) ?? BaseItem(presence: .deleted)
            shown = state.deleted(from: base)
        case .conflict(nil) where sent.kind == .insert:
            return try countHidden(id, old, in: transaction, tables)
        case .conflict(let item):
            var state = (item.map(BaseItem.init) ?? .absent).shown(after: old.seen)
            if sent.kind == .delete, state.presence == .deleted {
                // Most likely our own deletion, whose answer was lost.
                state = state.deleted(from: base)
            } else {
                state.keepExact(as: base)
            }
            shown = state
        }
        if isOwnWork(
            sent, shows: shown, base: base, in: tables.scope, isRepeated: claimed.isRepeated)
        {
            return try acknowledge(
                id, by: shown.answered(to: expected, over: base), entry: old, replacing: old,
                in: transaction, tables, origin: origin)
        }
        if claimed.isRepeated, isOwnWorkInPart(sent, shows: shown, base: base, in: tables.scope) {
            return try goOn(id, from: shown, old, in: transaction, tables)
        }
        if claimed.isRepeated, let agreed = sent.agreement(with: shown, since: base) {
            try tables.setBase(agreed, id)
        }
        var entry = old
        entry.sent = nil
        let newest = old.seen.flatMap { $0.isLater(than: shown) ? $0 : nil } ?? shown
        entry.seen = newest.pulled(over: base, here: sent.members)
        entry.queued = PendingChangeStateMachine.kind(
            server: base?.presence ?? .absent,
            isDeletedHere: try tables.document(id, in: transaction) == nil)
        try tables.setEntry(entry, id, replacing: old)
        return .conflict
    }

    /// Makes `state` the new base and decides what remains to be sent.
    static func acknowledge(
        _ id: String, by state: BaseItem, entry: PendingChange, replacing old: PendingChange,
        in transaction: Transaction, _ tables: RemoteTables, origin: String
    ) throws -> PushResult {
        var entry = entry
        let local = try tables.document(id, in: transaction)
        var machine = entry.machine(server: try tables.base(id))
        if local?.revisionText != entry.sent?.revision {
            // Says again what the entry should say already; the document is the truth.
            machine.changed(isDeleted: local == nil)
        }
        let result = machine.acknowledged(
            by: state.presence, isEqual: tables.scope.isEqual(local, to: state),
            isDeletedHere: local == nil)
        switch result {
        case .equal:
            try tables.setBase(state, id)
            try close(id, old, in: transaction, tables)
        case .adopt:
            try take(state, id, replacing: old, in: transaction, tables, origin: origin)
        case .remains:
            try tables.setBase(state, id)
            entry.status = .pending
            entry.reason = nil
            entry.failureCount = 0
            entry.isOutOfScope = old.remainsOutOfScope
            entry.sent = nil
            entry.seen = nil
            entry.queued = machine.queued
            try tables.setEntry(entry, id, replacing: old)
        }
        return .acknowledged
    }

    /// Makes `state` the base of what another replication has already seen after it.
    private static func acknowledge(
        _ id: String, by state: BaseItem, before seen: BaseItem,
        replacing old: PendingChange, in transaction: Transaction, _ tables: RemoteTables,
        origin: String
    ) throws -> PushResult {
        let local = try tables.document(id, in: transaction)
        if local?.revisionText == old.sent?.revision, state.lacksDescription,
            seen.carriesAttachments
        {
            try tables.setBase(state, id)
            try close(id, old, in: transaction, tables)
            _ = try describe(id, known: state, by: seen, in: transaction, tables, origin: origin)
        } else if local?.revisionText == old.sent?.revision {
            // Not touched since it was sent: it takes the later form at once.
            let later = seen.pulled(over: state, here: local?.json)
            try take(later, id, replacing: old, in: transaction, tables, origin: origin)
        } else {
            try tables.setBase(state, id)
            var entry = old
            entry.isOutOfScope = old.remainsOutOfScope
            entry.sent = nil
            entry.queued = PendingChangeStateMachine.kind(
                server: state.presence, isDeletedHere: local == nil)
            try tables.setEntry(entry, id, replacing: old)
        }
        return .acknowledged
    }

    private static func reject(
        _ id: String, _ old: PendingChange, _ rejection: RemoteRejection,
        in transaction: Transaction,
        _ tables: RemoteTables
    ) throws -> PushResult {
        let local = try tables.document(id, in: transaction)
        let wasEdited = local?.revisionText != old.sent?.revision
        var entry = try release(id, old, in: transaction, tables)
        guard !wasEdited, let before = entry else { return .returned }
        entry?.reject(rejection)
        try tables.setEntry(entry, id, replacing: before)
        return .rejected(reason: rejection.reason)
    }

    /// Puts an operation that was certainly not carried out back into the queue.
    @discardableResult
    static func release(
        _ id: String, _ old: PendingChange, in transaction: Transaction, _ tables: RemoteTables
    ) throws -> PendingChange? {
        let server = try tables.base(id)
        var machine = old.machine(server: server)
        machine.restarted(
            server: server?.presence ?? .absent,
            isDeletedHere: try tables.document(id, in: transaction) == nil)
        var entry: PendingChange? = old
        entry?.sent = nil
        entry?.failureCount = 0
        entry?.queued = machine.queued
        if machine.isDone { entry = nil }
        try tables.setEntry(entry, id, replacing: old)
        return entry
    }
}
