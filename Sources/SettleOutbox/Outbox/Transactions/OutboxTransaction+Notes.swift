public import Foundation
public import Settle

extension OutboxTransaction {
    /// The most bytes that the notes of an operation have together.
    private static let notesSizeMax = 1 << 16

    /// Keeps notes with an operation, also with one that is active.
    ///
    /// ``Pipeline/setNotes(_:of:)`` is for who carries the operation out. ``modify(_:_:)`` leaves notes
    /// alone, and this leaves everything else alone.
    ///
    /// - Parameters:
    ///   - notes: Names of 1 to 200 bytes of UTF-8, and values; nil removes a note. Others stay as they
    ///     are. All notes of an operation have up to 64 KiB.
    ///   - id: The operation.
    /// - Throws: ``OutboxError`` with `operationNotFound`, `invalidNote`; ``/Settle/DatabaseError`` when the
    ///   database is damaged or cannot be written.
    public func setNotes(_ notes: [String: JSONValue?], of id: UUID) throws {
        if var draft = self.pendingOperations.draft(id) {
            draft.operation.notes = try Self.merged(notes, into: draft.operation.notes, id)
            self.pendingOperations.add(draft)
            return
        }
        guard let key = try table.key(of: id), var row = try table.row(key) else {
            throw OutboxError.notFound(id)
        }
        let merged = try Self.merged(notes, into: row.notes, id)
        if merged == row.notes { return }
        row.notes = merged
        try table.set(row, key)
        try recordModified(key, id)
    }

    /// Whether an operation is still started, by the start that it was handed out with.
    func isCarriedOut(_ operation: QueuedOperation) throws -> Bool {
        try table.isStarted(operation.id, operation.start)
    }

    private static func merged(
        _ notes: [String: JSONValue?], into old: [String: JSONValue], _ id: UUID
    ) throws(OutboxError) -> [String: JSONValue] {
        var merged = old
        for (name, value) in notes {
            guard (1...200).contains(name.utf8.count) else {
                throw OutboxError(
                    .invalidNote,
                    "The name of a note has 1 to 200 bytes of UTF-8, not \(name.utf8.count).",
                    operationId: id)
            }
            merged[name] = value
        }
        let size: Int
        do {
            size = try PackedValue(.object(merged)).bytes.count
        } catch {
            throw OutboxError(
                .invalidNote, "The operation \(id) has a note that cannot be stored.",
                operationId: id, cause: error)
        }
        guard size <= notesSizeMax else {
            throw OutboxError(
                .invalidNote,
                "The notes of the operation \(id) have \(size) bytes, more than \(notesSizeMax). Keep "
                    + "what is larger in a document or a file.", operationId: id)
        }
        return merged
    }
}
