import Settle

// An item may have been sent or fetched without its attachments: its server offered none, they were
// switched off, or the client was an older one. Its state then describes none, which says nothing
// of what the server has. Until a page shows that, operations on the item leave its attachments
// alone; when it does, what is here and what is there are put together.

extension BaseItem {
    /// Whether the item is there and nothing is known of its attachments.
    var lacksDescription: Bool { isLive && members != nil && !carriesAttachments }

    /// The state without what it says of attachments.
    var withoutDescription: BaseItem {
        guard carriesAttachments else { return self }
        var state = self
        state.members?[AttachmentMember.name] = nil
        return state
    }

    /// The state with certain attachments.
    func describing(_ attachments: [DocumentAttachment]) -> BaseItem {
        var state = self
        state.members?[AttachmentMember.name] = AttachmentMember.value(of: attachments)
        return state
    }
}

extension PushQueue {
    /// What the first description of an item's attachments led to.
    enum Description: Sendable, Hashable {
        /// Nothing but that it is known.
        case known
        /// The document was changed to what the remote has.
        case adopted
        /// The document has attachments that the remote has not; they wait to be sent.
        case queued
    }

    /// Puts the attachments of a document together with those that a page shows, whose state was
    /// stored without any.
    ///
    /// Attachments with names of their own are kept on both sides. One name for two contents is a
    /// conflict, and is stored as one.
    ///
    /// - Parameters:
    ///   - id: The document.
    ///   - known: The stored state, which describes no attachments.
    ///   - state: What was shown, live and described.
    ///   - transaction: The transaction.
    ///   - tables: The remote's tables.
    ///   - origin: The remote.
    /// - Returns: What it led to; nil when the document has something to tell first, and nothing was
    ///   done: the state is to be treated as any other.
    /// - Throws: What the database throws when it cannot be written.
    static func describe(
        _ id: String, known: BaseItem, by state: BaseItem, in transaction: Transaction,
        _ tables: RemoteTables, origin: String
    ) throws -> Description? {
        let isSame = known.isSame(as: state) || known.isNamed(by: state)
        let entry = try tables.entry(id)
        guard let local = try tables.document(id, in: transaction),
            let there = AttachmentMember.attachments(in: state.members ?? [:])
        else { return nil }
        // With nothing to tell but its attachments, the document has nothing to tell first.
        let isWaiting = entry.map { $0 == PendingChange(queued: .update, order: $0.order) } ?? true
        guard isSame || isWaiting && (entry == nil || tables.scope.isLike(local, to: known)) else {
            return nil
        }
        let here = local.attachments
        // What the document is to be beside its attachments: with another version there and nothing
        // to tell here, what is there.
        var document =
            isSame
            ? local : tables.scope.stamped(Document(id: id, members: state.members ?? [:]))
        let others = there.filter { attachment in
            !here.contains { $0.name == attachment.name }
        }
        let isAmbiguous = here.contains { attachment in
            there.contains { $0.name == attachment.name && $0 != attachment }
        }
        if isAmbiguous {
            try tables.setBase(known.describing([]), id)
            var conflict = entry ?? PendingChange(order: transaction.sequence)
            conflict.seen = state
            conflict.queued = conflict.queued ?? .update
            try tables.setEntry(conflict, id, replacing: entry)
            return .queued
        }
        let agreed = isSame ? known.describing(there) : state
        try tables.setBase(agreed, id)
        document.attachments = here + others
        let isMore = here.contains { attachment in
            !there.contains { $0.name == attachment.name }
        }
        if isSame, others.isEmpty, !isMore { return .known }
        try tables.noteDownload(of: document, in: transaction)
        if isMore || entry != nil {
            var changed = entry ?? PendingChange(order: transaction.sequence)
            if entry == nil { changed.queued = .update }
            try tables.setEntry(changed, id, replacing: entry)
            if !isSame || !others.isEmpty {
                try store(document, with: agreed, in: transaction, tables, origin: origin)
            }
            return .queued
        }
        try store(document, with: agreed, in: transaction, tables, origin: origin)
        return .adopted
    }

    /// Stores a document and its base again, which may be the document's members still.
    private static func store(
        _ document: Document, with agreed: BaseItem, in transaction: Transaction,
        _ tables: RemoteTables, origin: String
    ) throws {
        _ = try transaction.store(document, from: origin, firstDigest: nil, isHeld: true)
        try tables.setBase(agreed, document.id)
    }

    /// Lets the pull of a query begin at the beginning when it read items without their attachments
    /// so far, and keeps whether it reads them with attachments from now on.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - query: The query.
    ///   - carriesAttachments: Whether items carry attachments now.
    /// - Returns: Whether the pull has to begin again.
    /// - Throws: What the database throws when it cannot be read or written.
    func beginDescribing(
        _ database: Database, _ query: PullQuery, carriesAttachments: Bool
    ) async throws -> Bool {
        let isKnown = try read(database) { _, tables in
            try tables.checkpoint(of: query).carriesAttachments == carriesAttachments
        }
        if isKnown { return false }
        return try await write(database) { [identifier] transaction, tables in
            var checkpoint = try tables.checkpoint(of: query)
            guard checkpoint.carriesAttachments != carriesAttachments else { return false }
            checkpoint.carriesAttachments = carriesAttachments
            try Self.beginCarrying(carriesAttachments, of: identifier, in: transaction, tables)
            let mustBegin =
                try carriesAttachments && checkpoint.token != nil
                && tables.hasServer { $1.lacksDescription }
            if mustBegin { checkpoint.token = nil }
            try tables.setCheckpoint(checkpoint, of: query)
            return mustBegin
        }
    }

    /// Keeps whether attachments travel, as far as that needs no look at the documents: they do not,
    /// or nothing was sent or fetched before.
    static func beginCarrying(
        _ carriesAttachments: Bool, of identifier: String, in transaction: Transaction,
        _ tables: RemoteTables
    ) throws {
        if try carriesAttachments && tables.hasServer(where: { _, _ in true }) { return }
        try setCarrying(carriesAttachments, of: identifier, in: transaction)
    }

    /// Keeps whether attachments travel.
    static func setCarrying(
        _ carriesAttachments: Bool, of identifier: String, in transaction: Transaction
    ) throws {
        guard var record = try RemoteRecord.find(identifier, in: transaction),
            record.carriesAttachments != carriesAttachments
        else { return }
        record.carriesAttachments = carriesAttachments
        try record.write(identifier, in: transaction)
    }
}
