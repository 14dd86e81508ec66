/// What an export holds.
public struct ExportSummary: Sendable, Equatable {
    /// Documents that are not deleted.
    public let documentCount: Int
    /// Tombstones.
    public let tombstoneCount: Int
    /// Contents of attachments that were written.
    public let contentCount: Int
    /// Attachments whose content is not in the database, so that they are described only.
    public let missingContentCount: Int
    /// The sequence of the last change that is in it.
    public let lastSequence: UInt64
    /// The length of the export in bytes, without files of contents.
    public let byteCount: Int
}
