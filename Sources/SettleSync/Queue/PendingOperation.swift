public import Foundation
public import Settle
import SettlePrimitives

/// An operation that has not been carried out on the remote.
public struct PendingOperation: Sendable, Hashable {
    /// Why it has not.
    public enum State: Sendable, Hashable {
        /// It waits for its turn.
        case waiting
        /// It was sent and no answer has come yet, or none ever came: it will be sent again.
        case sent
        /// The filter delegate holds it back.
        case withheld
        /// It meets something else on the remote, and the conflict is not resolved.
        case conflict
        /// The remote refuses it: why.
        case rejected(reason: String)
    }

    /// The remote it is for.
    public let remote: String
    /// The document it is about.
    public let documentId: String
    /// What is to be done.
    public let kind: OperationKind
    /// Why it has not been.
    public let state: State
    /// The status of the answer with which the remote refused it; nil when it was not refused, or
    /// not by an answer with a status.
    public let statusCode: Int?
    /// The body of that answer as it came, at most ``RemoteRejection/bodySizeMax`` bytes of it.
    ///
    /// It may hold what users wrote: do not log it.
    public let responseBody: Data?
    /// Stands for the operation and the document as they were when this was made.
    let fingerprint: UInt64
}

extension PendingOperation {
    init?(remote: String, id: String, entry: PendingChange, fingerprint: UInt64, isConflict: Bool) {
        guard let kind = entry.sent?.kind ?? entry.queued else { return nil }
        self.remote = remote
        documentId = id
        self.fingerprint = fingerprint
        statusCode = entry.response?.statusCode
        responseBody = entry.response?.body
        self.kind = kind
        switch entry.status {
        case _ where isConflict: state = .conflict
        case .pending: state = entry.sent == nil ? .waiting : .sent
        case .withheld: state = .withheld
        case .rejected: state = .rejected(reason: entry.reason ?? "")
        case .conflict: state = .conflict
        case .outside: return nil
        }
    }

    /// What an operation is known again by, as long as neither it nor its document changes.
    static func fingerprint(
        of entry: PendingChange, _ id: String, in snapshot: Snapshot
    ) throws -> UInt64 {
        let sequence = try snapshot.lastChange(of: id)?.sequence ?? 0
        var row = RowWriter()
        row.write(number: sequence)
        return StableHash.of(row.bytes + entry.encoded())
    }
}
