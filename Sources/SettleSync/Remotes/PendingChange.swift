import Foundation
import Settle

/// The pending change of one document, as it is stored.
///
/// Shape (Docs/Formats/Replication.md): layout, status, order, failures, then what is there of the
/// sent operation, the queued kind, the state that was seen, the answer that refused it.
struct PendingChange: Sendable, Hashable {
    /// Where an entry waits.
    enum Status: UInt8, Sendable {
        /// In the queue.
        case pending = 0
        /// Held back by the filter delegate until the document changes or a replication starts.
        case withheld = 1
        /// Set aside with a reason until the document changes or a replication starts.
        case rejected = 2
        /// A conflict that is not resolved.
        case conflict = 3
        /// The document with this identifier does not belong to the remote: nothing is pending. What
        /// the remote shows under the identifier is `seen`; what else there is counts again when the
        /// document comes into the scope.
        case outside = 4

        /// Whether the entry waits for its remote; what the filter holds back, and what belongs to
        /// another remote, does not.
        var isPending: Bool { self != .withheld && self != .outside }
    }

    /// Whether there is something to send, or was, whose outcome is not known.
    var hasOperation: Bool { sent != nil || queued != nil }

    /// An operation that was handed to the back-end and whose outcome is not known.
    struct Sent: Sendable, Hashable {
        var kind: OperationKind
        var baseVersion: String?
        /// What was sent, so that it can be sent again and recognised: an object.
        var form: JSONForm
        /// The revision of the document that was sent; nil for a document that was gone.
        var revision: String?

        /// What was sent.
        ///
        /// - Complexity: To ask for them makes a dictionary when they are packed.
        var members: [String: JSONValue] { form.value.objectValue ?? [:] }

        /// Whether it carries the document's members.
        var isWhole: Bool { kind == .insert || kind == .update }
        /// Whether it says which attachments the item is to have.
        var describesAttachments: Bool {
            AttachmentMember.attachments(of: form[AttachmentMember.name]) != nil
        }

        init(kind: OperationKind, baseVersion: String?, form: JSONForm, revision: String?) {
            self.kind = kind
            self.baseVersion = baseVersion
            self.form = form
            self.revision = revision
        }

        init(
            kind: OperationKind, baseVersion: String?, members: [String: JSONValue],
            revision: String?
        ) {
            self.init(
                kind: kind, baseVersion: baseVersion, form: .value(.object(members)),
                revision: revision)
        }
    }

    var status: Status = .pending
    /// The entry's place in the queue: the sequence of the change that made it, or the database's
    /// when the remote last failed on it.
    var order: UInt64
    /// Cycles in which the remote failed on this operation.
    var failureCount: UInt64 = 0
    var sent: Sent?
    var queued: OperationKind?
    /// A state of the item that a pull or a conflict showed and that the document does not build
    /// on.
    var seen: BaseItem?
    /// Why the entry is set aside.
    var reason: String? {
        didSet { if reason == nil { response = nil } }
    }
    /// The remote's answer, where it was that which the entry is set aside for.
    var response: Response?

    /// What the remote answered when it refused an operation.
    struct Response: Sendable, Hashable {
        var statusCode: Int?
        var body: Data?
    }

    /// Sets the entry aside.
    mutating func reject(_ rejection: RemoteRejection) {
        status = .rejected
        reason = rejection.reason
        let response = Response(statusCode: rejection.statusCode, body: rejection.body)
        self.response = response == Response() ? nil : response
    }

    /// The item is out of scope and the document has a pending change; the document is purged
    /// once that is acknowledged.
    var isOutOfScope = false

    /// Whether the item is out of scope also when the operation that was sent is acknowledged.
    ///
    /// A deletion explains why a listing did not show it: the item is deleted, its base is kept, and a
    /// document that was made again since is not purged.
    var remainsOutOfScope: Bool { isOutOfScope && sent?.kind != .delete }

    /// Whether a row of the remote waits for its identifier to be free.
    var isBlocked: Bool { status == .outside && seen?.isLive ?? false }
    /// Whether nothing of the entry is on its way to the server.
    var isIdle: Bool { sent == nil || status != .pending }

    /// Puts the entry into the queue, as one that never failed.
    mutating func requeue() {
        status = .pending
        reason = nil
        failureCount = 0
    }

    /// The states of the entry without its contents.
    func machine(server: BaseItem?) -> PendingChangeStateMachine {
        PendingChangeStateMachine(
            server: server?.presence ?? .absent, sent: sent?.kind, queued: queued)
    }
}

extension PendingChange {
    /// An entry that waits to be sent.
    init(queued kind: OperationKind, order: UInt64) {
        self.init(order: order)
        queued = kind
    }

    /// Only rows of layout 3 have packed members; older ones are read, too.
    private static let layouts: ClosedRange<UInt8> = 1...3

    private enum Flag {
        static let sent: UInt8 = 1
        static let queued: UInt8 = 2
        static let seen: UInt8 = 4
        static let outOfScope: UInt8 = 8
        static let response: UInt8 = 32
    }

    func encoded() -> [UInt8] {
        // Members of which a document could not be made, as they are too large, are kept as text.
        let packed = sent?.form.packable
        var row = RowWriter(expecting: 64 + (packed?.bytes.count ?? 0))
        row.write(byte: packed == nil ? 2 : 3)
        row.write(byte: status.rawValue)
        row.write(
            byte: (sent == nil ? 0 : Flag.sent) | (queued == nil ? 0 : Flag.queued)
                | (seen == nil ? 0 : Flag.seen) | (isOutOfScope ? Flag.outOfScope : 0)
                | (response == nil ? 0 : Flag.response))
        row.write(number: order)
        row.write(number: failureCount)
        row.write(text: reason)
        if let sent {
            row.write(byte: sent.kind.stored)
            row.write(text: sent.baseVersion)
            row.write(text: sent.revision)
            if let packed {
                row.write(counted: packed.bytes)
            } else {
                row.write(members: sent.members)
            }
        }
        if let queued { row.write(byte: queued.stored) }
        if let seen { seen.write(to: &row) }
        if let response {
            row.write(number: UInt64(clamping: response.statusCode ?? 0))
            row.write(counted: response.body ?? Data())
        }
        return row.bytes
    }

    init(decoding bytes: [UInt8], id: String) throws {
        var row = RowReader(bytes, place: "the pending change of document '\(id)'")
        let layout = try row.byte()
        guard Self.layouts.contains(layout),
            let status = Status(rawValue: try row.byte())
        else { throw row.damage }
        self.status = status
        let flags = try row.byte()
        order = try row.number()
        failureCount = try row.number()
        reason = try row.optionalText()
        if flags & Flag.sent != 0 {
            guard let kind = OperationKind(stored: try row.byte()) else { throw row.damage }
            let baseVersion = try row.optionalText()
            let revision = try row.optionalText()
            sent = Sent(
                kind: kind, baseVersion: baseVersion,
                form: layout == 3
                    ? .packed(try row.packedObject()) : .value(.object(try row.members())),
                revision: revision)
        }
        if flags & Flag.queued != 0 {
            guard let kind = OperationKind(stored: try row.byte()) else { throw row.damage }
            queued = kind
        }
        if flags & Flag.seen != 0 { seen = try BaseItem(from: &row) }
        isOutOfScope = flags & Flag.outOfScope != 0
        if flags & Flag.response != 0 {
            let status = try row.number()
            let body = try row.counted()
            response = Response(
                statusCode: status == 0 ? nil : Int(exactly: status),
                body: body.isEmpty ? nil : Data(body))
        }
    }
}

extension OperationKind {
    fileprivate var stored: UInt8 {
        switch self {
        case .insert: 1
        case .update: 2
        case .delete: 3
        case .undelete: 4
        }
    }

    fileprivate init?(stored: UInt8) {
        guard let kind = Self.allCases.first(where: { $0.stored == stored }) else { return nil }
        self = kind
    }
}
