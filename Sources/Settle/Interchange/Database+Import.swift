public import Foundation
import SettleDocuments

extension Database {
    /// Stores the documents of an export, with their revisions, dates, and attachments.
    ///
    /// An empty database becomes equal to the exported one, its sequences included; in one that
    /// has documents those of the export get new sequences, after the last one there. Indexes,
    /// observed queries, change delegates, and commit participants learn of the documents as of
    /// any others. A document whose expiration date has passed is purged soon after.
    ///
    /// The file is read twice. First all of it is looked at: that every line is sound, that every
    /// revision and content fits its digest, and that the last line is there. Only then documents
    /// are stored, many in one commit, in constant memory. What was stored before an error in this
    /// second part, or before the task was cancelled, stays; importing again finds it unchanged.
    ///
    /// - Parameters:
    ///   - url: The file, which ``exportDocuments(to:attachments:progress:)`` wrote.
    ///   - existing: What becomes of documents that are there in another version.
    ///   - contents: The directory with the files of contents, when the export was made with
    ///     ``ExportedAttachments/directory(_:)``; nil for the directory of that name beside the file.
    ///   - progress: Called with how many documents are done, each counted twice: once looked at, once
    ///     stored.
    /// - Returns: What was done.
    /// - Throws: ``DatabaseError`` with `invalidFileLocation` when a URL is not that of a file;
    ///   `invalidExport` and the line when the file is no export, is cut off, or was changed; `newerFormat` when a newer release wrote it; `documentExists` as
    ///   `existing` says; `inputOutput` when a file cannot be read; `diskFull` and the like when the
    ///   store cannot take it; `CancellationError` when the task is cancelled.
    /// - Complexity: Linear in the size of the file; constant memory.
    @discardableResult
    public func importDocuments(
        from url: URL, existing: ExistingDocuments = .keep, contents: URL? = nil,
        progress: (@Sendable (MaintenanceProgress) -> Void)? = nil
    ) async throws -> ImportSummary {
        try FileLocation.check(url)
        if let contents { try FileLocation.check(contents) }
        let file: FileHandle
        do {
            file = try FileHandle(forReadingFrom: url)
        } catch {
            throw DatabaseError.ofFile("'\(url.path)' cannot be read", error)
        }
        defer { try? file.close() }
        let folder = contents.map(ContentFolder.init)
        let lineCount = try await checkExport(file, url, existing, folder, progress)
        let counter = ProgressCounter(total: 2 * lineCount, report: progress)
        counter.advance(by: lineCount)
        let run = ImportRun(into: self, existing: existing, progress: counter)
        let reader = try ExportReader(file, path: url.path)
        do {
            try await run.store(reader, beside: url, contents: folder)
            try await run.end()
        } catch {
            // The first error is the one to tell; what is held is let go after a day at last.
            try? await run.end()
            throw run.described(error, path: url.path)
        }
        return run.summary
    }

    /// Looks at the whole file; answers how many documents it has.
    private func checkExport(
        _ file: FileHandle, _ url: URL, _ existing: ExistingDocuments, _ folder: ContentFolder?,
        _ progress: (@Sendable (MaintenanceProgress) -> Void)?
    ) async throws -> Int {
        let reader = try ExportReader(file, path: url.path)
        do {
            var check = ExportCheck(
                of: self, existing: existing, url: url, folder: folder, progress: progress)
            while let line = try reader.next() {
                try check.take(line, at: reader.line)
                if reader.line.isMultiple(of: 256) {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
            try check.finish()
            return check.lineCount
        } catch let fault as ExportFault {
            throw fault.error(in: url.path, state: "Nothing was imported.")
        }
    }
}
