public import Settle

// Conflicts between the leaves of a document, which CouchDB's replication makes; those that tables refuse are in
// `replicationConflicts(with:)`.

extension Database {
    /// Has a handler decide the conflict between the leaves of a document, and ends it by what it answers.
    ///
    /// The handler is asked once for each leaf beside the one that counts as this side's: the first in the order of
    /// winners that was made here or, without one, the winner. It is shown what came of the answers before as the
    /// local document, and the leaf as the server's, with the dates at which the two were stored here. No body of a
    /// common ancestor is known, so the base is nil: ``ConflictHandler/merge`` takes the members of both. With
    /// `.leave` or `.stop` nothing is changed. When a leaf changes while the handler thinks, it is asked again.
    ///
    /// - Parameters:
    ///   - id: The document.
    ///   - handler: Decides.
    /// - Returns: False when the handler left the conflict; true when there is none any more.
    /// - Throws: What the handler throws; ``/Settle/DatabaseError`` as `Transaction.resolveConflicts(of:with:)`.
    @discardableResult
    public func resolveConflicts(
        of id: String, with handler: ConflictHandler
    ) async throws -> Bool {
        while true {
            let leaves = try read { try LeafConflict(of: id, in: $0) }
            guard let leaves else { return true }
            guard let decision = try await leaves.decision(by: handler) else { return false }
            let isCurrent = try await write { transaction in
                guard try transaction.leaves(of: id) == leaves.all else { return false }
                try transaction.resolveConflicts(of: id, with: decision.document)
                for document in decision.added
                where try transaction.lastChange(of: document.id) == nil {
                    try transaction.add(document)
                }
                return true
            }
            if isCurrent { return true }
        }
    }

    /// Has a handler decide all conflicts between leaves of documents; see ``resolveConflicts(of:with:)``.
    ///
    /// - Parameter handler: Decides. `.stop` leaves the conflict, and the next one is asked for.
    /// - Returns: How many documents are in conflict no more.
    /// - Throws: As ``resolveConflicts(of:with:)``; what was resolved before stays.
    @discardableResult
    public func resolveAllConflicts(with handler: ConflictHandler) async throws -> Int {
        var count = 0
        for conflicted in try conflictedDocuments() {
            if try await resolveConflicts(of: conflicted.id, with: handler) { count += 1 }
        }
        return count
    }
}

/// The leaves of one document that are no deletions.
private struct LeafConflict: Sendable {
    let id: String
    /// All leaves, deletions too, to tell whether something changed.
    let all: [RevisionLeaf]
    private let local: Document
    private let others: [(document: Document, origin: String)]

    /// What is in conflict; nil when there is no conflict.
    init?(of id: String, in snapshot: Snapshot) throws {
        self.id = id
        all = try snapshot.leaves(of: id)
        var live = all.filter { !$0.isDeleted }
        guard live.count > 1 else { return nil }
        let mine = live.remove(at: live.firstIndex { $0.origin == nil } ?? 0)
        guard let local = try snapshot.document(id, atRevision: mine.revision) else { return nil }
        self.local = local
        others = try live.compactMap { leaf in
            try snapshot.document(id, atRevision: leaf.revision).map { ($0, leaf.origin ?? "") }
        }
    }

    /// What the document becomes; nil when a conflict is left.
    func decision(
        by handler: ConflictHandler
    ) async throws -> (document: Document, added: [Document])? {
        var current = local
        var added: [Document] = []
        for other in others {
            let conflict = ReplicationConflict(
                documentId: id, remote: other.origin, base: nil, local: current,
                server: other.document, localChange: current.metaData.lastChange,
                serverChange: other.document.metaData.lastChange,
                localRevision: current.metaData.revision,
                seen: BaseItem(
                    presence: .live, members: other.document.members(withAttachments: true)))
            switch try await handler.decision(about: conflict) {
            case .leave, .stop: return nil
            case .useLocal: continue
            case .useServer: current = other.document
            case .use(let document): current = own(document)
            case .useAndAdd(let document, let more):
                current = own(document)
                added += more
            }
        }
        return (current, added)
    }

    /// A document that a handler made; neither its identifier nor a revision counts.
    private func own(_ document: Document) -> Document {
        var own = Document(id: id, members: document.members(withAttachments: false))
        own.attachments = document.attachments
        return own
    }
}
