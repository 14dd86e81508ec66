import Settle

/// An operation taken out of the queue.
struct ClaimedOperation: Sendable {
    var operation: RemoteOperation
    /// True when it was sent before and its outcome is not known.
    var isRepeated: Bool
    /// What the remote may not have the content of.
    var attachments: [DocumentAttachment] = []
    /// Whether the operation says which attachments the item has, and its answer counts for them.
    var describesAttachments: Bool
    /// What the server is known to have had of the item before, an object; nil for nothing.
    var base: JSONForm?

    /// The bytes of its members, as far as they are packed.
    var size: Int { operation.form.packed?.bytes.count ?? 0 }

    /// The members that the item must have once the operation is carried out.
    var expected: JSONForm {
        switch operation.kind {
        case .insert, .update: operation.form
        case .undelete: base ?? .value([:])
        case .delete: .value([:])
        }
    }
}

/// What a claim found in the queue.
struct Claim: Sendable {
    /// To be sent; marked as sent in the database.
    var operations: [ClaimedOperation] = []
    /// Documents whose conflict is known without asking the remote.
    var conflictIds: [String] = []
    /// How many entries needed no operation, because both sides are equal.
    var equalCount = 0
    /// How many the filter holds back.
    var withheldCount = 0
    /// Documents that cannot be sent as they are, with the reason; set aside.
    var faults: [String: String] = [:]

    /// Documents that move to another remote and whose content is still to be fetched: it might go with
    /// the item.
    var undownloadedIds: [String] = []
    /// Documents with attachments whose items are not known to have any or none; to be looked up.
    var undescribedIds: [String] = []
    /// The remote whose operations come before all that could be taken.
    var precedingRemote: String?
    /// True when what comes before those is an operation of this remote that was passed over, so that
    /// waiting for the other would be in vain.
    var isHeldBySkipped = false
    /// True when the queue had nothing more to look at.
    var isExhausted = false

    /// Whether anything is to be done before the queue is looked at again, beside sending.
    var hasOtherWork: Bool {
        !conflictIds.isEmpty || !undownloadedIds.isEmpty || !undescribedIds.isEmpty
            || precedingRemote != nil
    }
    /// Whether any entry was dealt with.
    var isProgress: Bool {
        !operations.isEmpty || equalCount > 0 || withheldCount > 0 || !faults.isEmpty
    }
}

extension PushQueue {
    /// A filter's answers for documents of a certain revision.
    struct Verdict: Sendable {
        var revision: String?
        var isSent: Bool
    }

    /// Asks, for each document, whether it may be sent.
    typealias Filter = @Sendable ([Document]) async -> [Bool]

    /// Takes the next operations out of the queue and remembers that they are being sent.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - countMax: The most entries to look at.
    ///   - skipped: Documents to leave alone.
    ///   - filter: Asked for each document that was not sent before; nil sends all.
    ///   - withAttachments: Whether the remote takes attachments.
    ///   - lookedUp: Documents whose items were looked up before.
    ///   - endsAtConflict: Whether nothing behind the first known conflict is taken.
    ///   - order: The order of commits that is to be kept; nil for none.
    /// - Returns: What was found; an exhausted claim when the queue has nothing more.
    /// - Throws: What the database throws when it cannot be read or written.
    func claim(
        _ database: Database, countMax: Int, skipping skipped: Set<String>, filter: Filter?,
        withAttachments: Bool, lookedUp: Set<String> = [],
        endingAtConflict endsAtConflict: Bool = false, in order: CommitOrder? = nil
    ) async throws -> Claim {
        var ids: [String] = []
        var questions: [(id: String, document: Document)] = []
        try read(database) { snapshot, tables in
            ids = try tables.queuedIds(countMax: countMax, skipping: skipped)
            guard filter != nil else { return }
            for id in ids {
                guard let entry = try tables.entry(id), entry.sent == nil else { continue }
                // A deleted document is judged by what the remote still has of it.
                let document =
                    try tables.document(id, in: snapshot)
                    ?? tables.scope.document(id, tables.base(id))
                if let document { questions.append((id, document)) }
            }
        }
        guard !ids.isEmpty else { return Claim(isExhausted: true) }
        // By bytes: equal texts of different bytes are different documents.
        var verdicts: [[UInt8]: Verdict] = [:]
        if let filter, !questions.isEmpty {
            let answers = await filter(questions.map(\.document))
            for (question, isSent) in zip(questions, answers) {
                verdicts[Array(question.id.utf8)] = Verdict(
                    revision: question.document.revisionText, isSent: isSent)
            }
        }
        let isFiltered = filter != nil
        return try await write(database) { [ids, verdicts] transaction, tables in
            var claim = Claim()
            var size = 0
            let other = try order?.firstOther(than: self.identifier, in: transaction)
            for (index, id) in ids.enumerated() {
                if let other, let entry = try tables.entry(id),
                    CommitOrder.Place(order: entry.order, remote: tables.number) > other.place
                {
                    // Those before this one may have to be looked at once more.
                    guard index == 0 else { break }
                    claim.precedingRemote = other.remote
                    claim.isHeldBySkipped =
                        try tables.firstQueuedOrder().map {
                            CommitOrder.Place(order: $0, remote: tables.number) < other.place
                        } ?? false
                    break
                }
                try Self.claim(
                    id, verdict: verdicts[Array(id.utf8)], isFiltered: isFiltered,
                    withAttachments: withAttachments, isLookedUp: lookedUp.contains(id),
                    in: transaction, tables, origin: self.identifier, into: &claim)
                if endsAtConflict, !claim.conflictIds.isEmpty { break }
                if claim.operations.last?.operation.id == id {
                    size += claim.operations.last?.size ?? 0
                    if size >= SyncTuning.claimSizeMax { break }
                }
            }
            return claim
        }
    }

    private static func claim(
        _ id: String, verdict: Verdict?, isFiltered: Bool, withAttachments: Bool,
        isLookedUp: Bool, in transaction: Transaction, _ tables: RemoteTables, origin: String,
        into claim: inout Claim
    ) throws {
        guard let old = try tables.entry(id), old.status == .pending else { return }
        var entry = old
        let server = try tables.base(id)
        let scope = tables.scope
        let local = try tables.document(id, in: transaction)
        // An item whose attachments are not known is left those that it has.
        let describes = withAttachments && server?.lacksDescription != true
        if let seen = entry.seen {
            if scope.isLike(local, to: seen) {
                try tables.setBase(seen, id)
                try close(id, old, in: transaction, tables)
                claim.equalCount += 1
            } else if let sent = entry.sent,
                case let shown = sent.describesAttachments ? seen : seen.withoutDescription,
                isOwnWork(sent, shows: shown, base: server, in: scope, isRepeated: true)
            {
                entry.seen = nil
                var state = shown
                state.keepExact(sent.members)
                _ = try acknowledge(
                    id, by: state, entry: entry, replacing: old, in: transaction, tables,
                    origin: origin)
                if shown != seen {
                    _ = try describe(
                        id, known: state, by: seen, in: transaction, tables, origin: origin)
                }
                claim.equalCount += 1
            } else if let sent = entry.sent,
                isOwnWorkInPart(sent, shows: seen, base: server, in: scope)
            {
                // What the item lacks is queued behind this.
                _ = try goOn(id, from: seen, old, in: transaction, tables)
            } else {
                if let agreed = entry.sent?.agreement(with: seen, since: server) {
                    try tables.setBase(agreed, id)
                }
                claim.conflictIds.append(id)
            }
            return
        }
        if let sent = entry.sent {
            let operation = RemoteOperation(id: id, sent: sent, base: server)
            claim.operations.append(
                ClaimedOperation(
                    operation: operation, isRepeated: true,
                    attachments: attachments(of: local, in: sent, beyond: server),
                    describesAttachments: sent.isWhole ? sent.describesAttachments : describes,
                    base: server?.shownForm))
            return
        }
        if isFiltered, let local = local ?? scope.document(id, server) {
            // Edited since the filter was asked, or queued since: it is asked in the next claim.
            guard let verdict, verdict.revision == local.revisionText else { return }
            guard verdict.isSent else {
                entry.status = .withheld
                claim.withheldCount += 1
                return try tables.setEntry(entry, id, replacing: old)
            }
        }
        // A deletion leaves a tombstone. Without one the document was purged, and no remote hears of it.
        guard try local != nil || transaction.lastChange(of: id) != nil else {
            try tables.setBase(.absent, id)
            return try tables.setEntry(nil, id, replacing: old)
        }
        if withAttachments, tables.carriesAttachments, !isLookedUp, !describes,
            local?.attachments.isEmpty == false
        {
            return claim.undescribedIds.append(id)
        }
        var machine = entry.machine(server: server)
        machine.restarted(server: server?.presence ?? .absent, isDeletedHere: local == nil)
        let base = withAttachments ? server : server?.withoutDescription
        guard !scope.isLike(local, to: base ?? .absent), let kind = machine.claim() else {
            claim.equalCount += 1
            // Attachments that were changed while none travel are put together when they do.
            if let base, let server, !scope.isEqual(local, to: server) {
                try tables.setBase(base, id)
            }
            return try close(id, old, in: transaction, tables)
        }
        if kind == .delete, withAttachments,
            try tables.hasDownload(ofDocumentWithId: id, in: transaction),
            try tables.isTaken(id, in: transaction)
        {
            return claim.undownloadedIds.append(id)
        }
        let isWhole = kind == .insert || kind == .update
        if isWhole, describes, local?[json: AttachmentMember.name] != nil {
            let reason =
                "The document has a member '\(AttachmentMember.name)', under which its attachments "
                + "would travel; give it another name."
            entry.reject(RemoteRejection(reason: reason))
            claim.faults[id] = reason
            return try tables.setEntry(entry, id, replacing: old)
        }
        let sent = PendingChange.Sent(
            kind: kind, baseVersion: server?.version,
            form: isWhole
                ? local.map { scope.form(of: $0, over: server, withAttachments: describes) }
                    ?? .value([:]) : .value([:]),
            revision: local?.revisionText)
        entry.sent = sent
        entry.queued = nil
        try tables.setEntry(entry, id, replacing: old)
        let operation = RemoteOperation(id: id, sent: sent, base: server)
        claim.operations.append(
            ClaimedOperation(
                operation: operation, isRepeated: false,
                attachments: attachments(of: local, in: sent, beyond: server),
                describesAttachments: describes, base: server?.shownForm))
    }

    /// The attachments of an operation that the remote does not have in the base.
    private static func attachments(
        of document: Document?, in sent: PendingChange.Sent, beyond base: BaseItem?
    ) -> [DocumentAttachment] {
        guard let document, !document.attachments.isEmpty else { return [] }
        let wanted = AttachmentMember.digests(in: sent.members)
            .subtracting(AttachmentMember.digests(in: base?.members))
        guard !wanted.isEmpty else { return [] }
        return document.attachments.filter { wanted.contains($0.digest) }
    }
}

extension RemoteOperation {
    init(id: String, sent: PendingChange.Sent, base: BaseItem?) {
        self.init(
            kind: sent.kind, id: id, baseVersion: sent.baseVersion, form: sent.form)
        if sent.kind == .update, let state = base, let base = state.form {
            var names = sent.form.namesDiffering(from: base)
            if !state.unshown.isEmpty {
                // What the server never showed is sent again: it may not have it.
                let all = Set((state.members ?? [:]).keys).union(sent.members.keys)
                names.formUnion(all.intersection(state.unshown))
            }
            if sent.form[AttachmentMember.name] == nil,
                AttachmentMember.attachments(of: base[AttachmentMember.name]) != nil
            {
                // Described while attachments were carried, which they are not now.
                names.remove(AttachmentMember.name)
            }
            changedNames = names
        }
    }
}
