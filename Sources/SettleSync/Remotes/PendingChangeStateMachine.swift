import Settle

/// Whether the remote has an item, as far as is known here.
enum ServerPresence: Sendable, Hashable, CaseIterable {
    case absent, live, deleted
}

/// The states of the pending change of one document.
///
/// At most two operations: the one that was *sent* and whose outcome is not known yet, and the one
/// *queued* behind it. What was sent is never rewritten, because the remote may have carried it
/// out; everything that happens meanwhile is coalesced into the one that waits. Coalescing
/// follows the tables of Azure Mobile Services and YapDatabaseCloudCore:
///
/// | queued | document changed | document deleted |
/// | --- | --- | --- |
/// | none | insert, update or undelete | delete, or none when the remote has nothing live |
/// | insert | insert | none |
/// | update | update | delete |
/// | delete | update | delete |
/// | undelete | undelete | none |
///
/// "insert + delete = nothing" thus holds as long as the insert was not sent; once it was, the
/// delete waits behind it.
struct PendingChangeStateMachine: Sendable, Hashable {
    /// What is known of the remote, before `sent`.
    private(set) var server: ServerPresence
    /// The operation whose outcome is not known.
    private(set) var sent: OperationKind?
    /// The operation that comes next.
    private(set) var queued: OperationKind?

    init(server: ServerPresence, sent: OperationKind? = nil, queued: OperationKind? = nil) {
        self.server = server
        self.sent = sent
        self.queued = queued
    }

    /// True when nothing is pending.
    var isDone: Bool { sent == nil && queued == nil }

    /// The document was stored or deleted here.
    mutating func changed(isDeleted: Bool) {
        let expected = sent.map(Self.presence(after:)) ?? server
        queued = Self.kind(server: expected, isDeletedHere: isDeleted)
    }

    /// Takes out what is to be sent now: again what was sent before when its outcome is unknown.
    mutating func claim() -> OperationKind? {
        if sent == nil {
            sent = queued
            queued = nil
        }
        return sent
    }

    /// What remains to be done here after the remote carried out what was sent.
    enum Acknowledgement: Sendable, Hashable {
        /// Nothing: both sides are equal.
        case equal
        /// The document was not touched since: it takes the remote's form.
        case adopt
        /// Another operation is queued.
        case remains
    }

    /// The remote carried out what was sent.
    ///
    /// - Parameters:
    ///   - presence: What it has now.
    ///   - isEqual: Whether that is what the document here is now.
    ///   - isDeletedHere: Whether the document here is deleted now.
    /// - Returns: What remains to be done here.
    mutating func acknowledged(
        by presence: ServerPresence, isEqual: Bool, isDeletedHere: Bool
    ) -> Acknowledgement {
        // An undeletion brings back the old members; the new ones still have to follow.
        let mustFollow = queued != nil || sent == .undelete
        server = presence
        sent = nil
        queued = nil
        if isEqual { return .equal }
        guard mustFollow else { return .adopt }
        queued = Self.kind(server: presence, isDeletedHere: isDeletedHere)
        return queued == nil ? .equal : .remains
    }

    /// What was sent was certainly not carried out, or both sides were just compared: starts over
    /// from what they have.
    mutating func restarted(server presence: ServerPresence, isDeletedHere: Bool) {
        server = presence
        sent = nil
        queued = Self.kind(server: presence, isDeletedHere: isDeletedHere)
    }

    /// The operation that takes the remote from what it has to what the document is here.
    static func kind(server: ServerPresence, isDeletedHere: Bool) -> OperationKind? {
        switch (server, isDeletedHere) {
        case (.absent, false): .insert
        case (.live, false): .update
        case (.deleted, false): .undelete
        case (.live, true): .delete
        case (.absent, true), (.deleted, true): nil
        }
    }

    private static func presence(after kind: OperationKind) -> ServerPresence {
        kind == .delete ? .deleted : .live
    }
}
