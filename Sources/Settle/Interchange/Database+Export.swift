public import Foundation
import SettlePrimitives
import SettleStorage
import Synchronization

extension Database {
    /// Writes all documents to a file, with all that ``importDocuments(from:existing:contents:progress:)``
    /// needs to make an equal database.
    ///
    /// The file is text, a JSON object a line (Docs/Formats/Export.md): documents with their
    /// revisions, ancestors, sequences, dates, and attachments, and tombstones. Indexes and what
    /// others keep beside the documents, an outbox say, are not in it. The file is written beside its
    /// place and takes it when it is whole and on the disk; until then one that was there stays.
    ///
    /// All of it is one state of the database, read on a thread of its own, one document at a time.
    /// Writes go on meanwhile, but the pages of documents that they replace cannot be used again,
    /// and a writer that needs a larger file waits for the export, half a minute at most: then
    /// it fails. For a large database that is being written to, export a ``backup(to:name:progress:)``.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - attachments: What becomes of the content of attachments.
    ///   - progress: Called with how many of the documents are written.
    /// - Returns: What the export holds.
    /// - Throws: ``DatabaseError`` with `invalidFileLocation`, `permissionDenied`, `diskFull`, or
    ///   `inputOutput` when a file cannot be written, or is one of a database; `corrupted` with the document that is damaged;
    ///   `databaseClosed`; `CancellationError` when the task is cancelled. Nothing but finished files of
    ///   contents is left then.
    /// - Complexity: Linear in the size of the database; constant memory.
    @discardableResult
    public func exportDocuments(
        to url: URL, attachments: ExportedAttachments = .inline,
        progress: (@Sendable (MaintenanceProgress) -> Void)? = nil
    ) async throws -> ExportSummary {
        let contents = try ExportWriter.Contents(attachments, besideFile: url)
        try requireOther(than: url)
        return try await export(progress) { write in
            let file = try ReplacedFile(url)
            do {
                let summary = try write(contents, file.write)
                try file.finish()
                return summary
            } catch {
                file.abandon()
                throw error
            }
        }
    }

    /// Hands an export to a closure, piece by piece; see
    /// ``exportDocuments(to:attachments:progress:)``.
    ///
    /// The state of the database is held until the last piece is taken, so `receive` should not
    /// wait for anybody.
    ///
    /// - Parameters:
    ///   - attachments: What becomes of the content of attachments.
    ///   - progress: Called with how many of the documents are written.
    ///   - receive: Takes the next bytes, on a thread of the export's own.
    /// - Returns: What the export holds.
    /// - Throws: What `receive` throws; otherwise as the other form.
    @discardableResult
    public func exportDocuments(
        attachments: ExportedAttachments = .inline,
        progress: (@Sendable (MaintenanceProgress) -> Void)? = nil,
        receive: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws -> ExportSummary {
        let contents = try ExportWriter.Contents(attachments, besideFile: nil)
        return try await export(progress) { write in try write(contents, receive) }
    }

    /// Refuses to put an export in the place of a file of this database, or of another.
    ///
    /// - Throws: ``DatabaseError`` with `invalidFileLocation`.
    private func requireOther(than url: URL) throws {
        func identity(_ url: URL) -> [NSNumber]? {
            let path = url.resolvingSymlinksInPath().path
            guard let found = try? FileManager.default.attributesOfItem(atPath: path),
                let device = found[.systemNumber] as? NSNumber,
                let file = found[.systemFileNumber] as? NSNumber
            else { return nil }
            return [device, file]
        }
        guard let target = identity(url) else { return }
        let folders = [
            configuration.key.directory, url.resolvingSymlinksInPath().deletingLastPathComponent(),
        ]
        let files = folders.flatMap { folder in
            ["data.mdb", "lock.mdb", "log.mdb"].map { folder.appendingPathComponent($0) }
        }
        guard !files.compactMap(identity).contains(target) else {
            throw DatabaseError(
                .invalidFileLocation,
                "'\(url.path)' is a file of a database; choose another place.")
        }
    }

    private typealias Writing = (
        ExportWriter.Contents, @escaping ([UInt8]) throws -> Void
    ) throws -> ExportSummary

    private func export(
        _ progress: (@Sendable (MaintenanceProgress) -> Void)?,
        _ body: @escaping @Sendable (Writing) throws -> ExportSummary
    ) async throws -> ExportSummary {
        try Task.checkCancellation()
        let isCancelled = Atomic(false)
        return try await withTaskCancellationHandler {
            try await onOwnThread { [self] in
                try body { contents, receive in
                    try write(contents, progress, receive) {
                        isCancelled.load(ordering: .relaxed)
                    }
                }
            }
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
        }
    }

    private func write(
        _ contents: ExportWriter.Contents, _ progress: (@Sendable (MaintenanceProgress) -> Void)?,
        _ receive: @escaping ([UInt8]) throws -> Void, isCancelled: @escaping () -> Bool
    ) throws -> ExportSummary {
        if case .folder(let folder, _) = contents { try folder.make() }
        return try DatabaseError.translating {
            try store.read("export") { snapshot in
                var writer = ExportWriter(
                    of: snapshot, contents: contents, isCancelled: isCancelled, receive: receive)
                return try writer.run(
                    ProgressCounter(
                        total: snapshot.liveCount + snapshot.deletedCount, report: progress))
            }
        }
    }
}

extension ExportWriter.Contents {
    /// Where the contents of an export go.
    ///
    /// - Throws: ``DatabaseError`` with `invalidFileLocation` when a URL is not that of a file.
    init(_ attachments: ExportedAttachments, besideFile url: URL?) throws(DatabaseError) {
        if let url { try FileLocation.check(url) }
        switch attachments {
        case .inline: self = .inline
        case .described: self = .described
        case .directory(let directory):
            try FileLocation.check(directory)
            let folder = directory.resolvingSymlinksInPath().standardizedFileURL
            let parent = url?.resolvingSymlinksInPath().standardizedFileURL
                .deletingLastPathComponent()
            self = .folder(
                ContentFolder(folder),
                isBeside: folder.deletingLastPathComponent().path == parent?.path)
        }
    }
}
