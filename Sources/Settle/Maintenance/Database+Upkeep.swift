public import Foundation
import SettleDocuments
import SettleStorage

/// What a compaction has done.
public struct CompactionResult: Sendable, Equatable {
    /// Bytes of the file before.
    public let bytesBefore: Int
    /// Bytes of the file after.
    public let bytesAfter: Int
    /// Contents that were stored for a document more than a day ago, that no document had taken,
    /// and that were removed.
    public let removedContentCount: Int
}

extension Database {
    /// How long content waits for a document to take it, in seconds: a day.
    static let contentWaitSeconds: TimeInterval = 86_400

    /// Gives the space of deleted and replaced documents back to the file system.
    ///
    /// The file is written anew beside the old one, which takes as much space again for a while, and
    /// takes its place when it is whole and on the disk; a crash leaves the one or the other. Other
    /// tasks may go on using the database: writes wait until it is done, reads only for the moment
    /// in which the files are exchanged.
    ///
    /// - Returns: The sizes before and after.
    /// - Throws: ``DatabaseError`` with `databaseInUse` when another process has the database open,
    ///   `diskFull` when there is no room for the new file, `inputOutput` when a read does not end
    ///   within half a minute. The database is as it was then, or closed, if the message says so.
    @discardableResult
    public func compact() async throws -> CompactionResult {
        let removed = try await removeForgottenContent()
        return try await onOwnThread { [self] in
            let (before, after) = try DatabaseError.translating { try store.compact() }
            return CompactionResult(
                bytesBefore: before, bytesAfter: after, removedContentCount: removed)
        }
    }

    /// Removes contents that waited more than a day for a document.
    @discardableResult
    func removeForgottenContent() async throws -> Int {
        let limit = Timestamp(configuration.now().addingTimeInterval(-Self.contentWaitSeconds))
        return try await DatabaseError.translating {
            try await store.write { try $0.endUploads(begunBefore: limit) }
        }
    }

    /// Copies the database into another directory while it is in use.
    ///
    /// The copy is a database of one state of this one, without free pages; it is on the disk when
    /// this returns. Open it like any other. Reads and writes go on; as long as it lasts, the pages
    /// of documents that are replaced cannot be used again, so the file may grow, and a write that
    /// needs a larger map waits for it, for up to half a minute, and then fails.
    ///
    /// - Parameters:
    ///   - location: The directory that the copy is made in; made if it is not there.
    ///   - name: The name of the copy; the name of this database when nil.
    /// - Returns: The configuration to open the copy with.
    /// - Throws: ``DatabaseError`` with `invalidDatabaseName`, `invalidFileLocation`, or `inputOutput`
    ///   when there is a database already; `diskFull`, `permissionDenied`. Nothing is left then.
    @discardableResult
    public func backup(
        to location: URL, name: String? = nil
    ) async throws -> OpenDatabaseConfiguration {
        let target = OpenDatabaseConfiguration(
            name: name ?? self.name, fileLocation: location)
        try target.key.checkName()
        try target.key.makeLocation()
        try await onOwnThread { [self] in
            do {
                try store.copy(to: target.key.directory.path)
            } catch {
                // Only one that is empty goes.
                target.key.removeEmptyDirectory()
                throw DatabaseError.translated(error)
            }
        }
        return target
    }
}
