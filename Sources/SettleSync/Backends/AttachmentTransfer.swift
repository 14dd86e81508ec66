public import Foundation
public import Settle

/// What the remote made of an attachment's content.
public enum UploadOutcome: Sendable, Hashable {
    /// It has the content, now or before.
    case stored
    /// It will not take it: why, in a sentence.
    case rejected(reason: String)
}

extension Backend {
    /// Items have no attachments.
    public var carriesAttachments: Bool { false }

    /// Refuses: this remote has no attachments.
    public func upload(
        _ attachment: DocumentAttachment
    ) async throws(ReplicationError) -> UploadOutcome {
        .rejected(reason: "This remote has no attachments.")
    }

    /// Nothing: this remote has no attachments.
    public func download(
        _ attachment: DocumentAttachment, of id: String
    ) async throws(ReplicationError) -> AsyncThrowingStream<Data, any Error>? { nil }
}
