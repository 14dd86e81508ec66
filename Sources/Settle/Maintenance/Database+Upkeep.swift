public import Foundation
import SettleDocuments
import SettlePrimitives
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

    /// Gives the space of deleted and replaced documents back to the file system, and fills pages that
    /// identifiers in no order left half empty.
    ///
    /// The file is written anew beside the old one, which takes as much space again for a while, and
    /// takes its place when it is whole and on the disk; a crash leaves the one or the other. Other
    /// tasks may go on using the database: writes wait until it is done, reads only for the moment
    /// in which the files are exchanged.
    ///
    /// - Parameter progress: Called with bytes written and bytes in use, ten times a second.
    /// - Returns: The sizes before and after.
    /// - Throws: ``DatabaseError`` with `databaseInUse` when another process has the database open,
    ///   `diskFull` when there is no room for the new file, `inputOutput` when a read does not end
    ///   within half a minute. The database is as it was then, or closed, if the message says so.
    @discardableResult
    public func compact(
        progress: (@Sendable (MaintenanceProgress) -> Void)? = nil
    ) async throws -> CompactionResult {
        let removed = try await removeForgottenContent()
        let copy = configuration.key.directory.appendingPathComponent("data.mdb.compacting")
        return try await watching(copy, progress) { [self] in
            let (before, after) = try DatabaseError.translating { try store.compact() }
            return CompactionResult(
                bytesBefore: before, bytesAfter: after, removedContentCount: removed)
        }
    }

    /// Runs work that blocks on a background thread, and tells how the copy that it makes grows.
    private func watching<Value: Sendable>(
        _ copy: URL, _ progress: (@Sendable (MaintenanceProgress) -> Void)?,
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        guard let progress else { return try await onOwnThread(body) }
        let statistics = try statistics()
        let used = (statistics.pagesUsed - statistics.pagesFree) * statistics.pageSizeBytes
        return try await GrowthWatch(copy, total: used, report: progress).during {
            try await onOwnThread(body)
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
    /// this returns. Open it like any other. Damage is copied too: ``check(isDeep:progress:)`` tells. Reads and writes go on; as long as it lasts, the pages
    /// of documents that are replaced cannot be used again, so the file may grow, and a write that
    /// needs a larger map waits for it, for up to half a minute, and then fails.
    ///
    /// - Parameters:
    ///   - location: The directory that the copy is made in, as a file URL; made if it is not there.
    ///   - name: The name of the copy; the name of this database when nil.
    ///   - progress: Called with bytes written and bytes in use, ten times a second.
    /// - Returns: The configuration to open the copy with.
    /// - Throws: ``DatabaseError`` with `invalidDatabaseName`, `invalidFileLocation`, or `inputOutput`
    ///   when there is a database already; `diskFull`, `permissionDenied`. No copy is left then.
    @discardableResult
    public func backup(
        to location: URL, name: String? = nil,
        progress: (@Sendable (MaintenanceProgress) -> Void)? = nil
    ) async throws -> OpenDatabaseConfiguration {
        let target = OpenDatabaseConfiguration(
            name: name ?? self.name, fileLocation: location)
        try target.key.check()
        try target.key.makeLocation()
        let copy = target.key.directory.appendingPathComponent("data.mdb.copying")
        try await watching(copy, progress) { [self] in
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
