import Foundation
import SettleDocuments
import SettleStorage

/// Looks at the lines of an export before the first of them is stored.
///
/// The reader has seen to the lines themselves and their order; this is about what lies beyond
/// them: contents, files, and the documents that are there.
struct ExportCheck {
    private let database: Database
    private let existing: ExistingDocuments
    private let url: URL
    private var folder: ContentFolder?
    private let report: (@Sendable (MaintenanceProgress) -> Void)?
    private var progress: ProgressCounter?
    private var hasher: ContentHasher?
    private var seen = RecentContents()
    private var waiting: [(line: Int, id: String, revision: Revision)] = []

    /// How many documents and tombstones there are.
    private(set) var lineCount = 0

    private static let waitingCountMax = 1_000

    init(
        of database: Database, existing: ExistingDocuments, url: URL, folder: ContentFolder?,
        progress: (@Sendable (MaintenanceProgress) -> Void)?
    ) {
        self.database = database
        self.existing = existing
        self.url = url
        self.folder = folder
        report = progress
    }

    mutating func take(_ line: ExportLine, at number: Int) throws {
        switch line {
        case .header(let header):
            lineCount = header.lineCount
            progress = ProgressCounter(total: 2 * lineCount, report: report)
            folder = try ContentFolder(of: header, beside: url, given: folder, at: number)
        case .chunk(let chunk):
            try take(chunk, at: number)
        case .document(let document):
            for digest in document.contents { try checkFile(of: digest, at: number) }
            if document.isLeaf { return }
            if existing == .fail {
                waiting.append((number, document.id, document.record.revision))
                if waiting.count >= Self.waitingCountMax { try checkWaiting() }
            }
            progress?.advance(by: 1)
        case .end:
            return
        }
    }

    mutating func finish() throws {
        try checkWaiting()
    }

    private mutating func take(_ chunk: ExportChunk, at number: Int) throws {
        var hasher = hasher ?? ContentHasher()
        hasher.update(chunk.bytes)
        self.hasher = chunk.isLast ? nil : hasher
        guard !chunk.isLast || hasher.digest == chunk.digest else {
            throw ExportFault(
                "The content that ends here does not have its digest: it was damaged on the way. "
                    + "Copy the export again, or export again."
            ).on(number)
        }
    }

    private mutating func checkFile(of digest: ContentDigest, at number: Int) throws {
        guard let folder, seen.insert(digest) else { return }
        guard try folder.holds(digest) else {
            throw ExportFault(
                "The file '\(folder.file(of: digest).path)' with the content of an attachment is "
                    + "not there, or holds something else. Copy the folder that was exported "
                    + "along, or name the place where it is."
            ).on(number)
        }
    }

    private mutating func checkWaiting() throws {
        let found = try database.read { [waiting] snapshot in
            try waiting.first { document in
                guard let record = try snapshot.base.record(document.id) else { return false }
                return !record.isDeleted && record.revision != document.revision
            }
        }
        waiting = []
        if let found { throw ExportFault.documentExists(found.id).on(found.line) }
    }
}

extension ContentFolder {
    /// The folder with the files of contents; nil when the export needs none.
    ///
    /// - Parameters:
    ///   - header: The first line of the export.
    ///   - url: The export.
    ///   - given: The folder that the caller named.
    ///   - line: Where the header stands.
    /// - Throws: ``ExportFault`` when the caller has to name one.
    init?(
        of header: ExportHeader, beside url: URL, given: ContentFolder?, at line: Int
    ) throws(ExportFault) {
        guard header.contents == .files else { return nil }
        if let given {
            self = given
            return
        }
        // A name from a file: it must not lead anywhere else.
        guard let name = header.folder, !name.isEmpty, name != ".", name != "..",
            !name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 })
        else {
            throw ExportFault(
                "The contents of the attachments are in files, and the export does not say where. "
                    + "Name their folder."
            ).on(line)
        }
        self.init(
            url.deletingLastPathComponent().appendingPathComponent(name, isDirectory: true))
    }
}
