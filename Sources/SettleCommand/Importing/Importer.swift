import Settle

/// Stores the documents of a stream in transactions of many, holding one batch in memory.
struct Importer {
    /// What an import did.
    struct Counts: Equatable, Sendable {
        /// Documents that are new.
        var added = 0
        /// Documents that took the place of one that was there.
        var replaced = 0
        /// Documents left out, because one with their identifier was there.
        var kept = 0

        /// Documents that the database holds because of this import.
        var stored: Int { added + replaced }

        static func += (left: inout Counts, right: Counts) {
            left.added += right.added
            left.replaced += right.replaced
            left.kept += right.kept
        }
    }

    /// An import that ended early.
    struct Stopped: Error, CustomStringConvertible {
        /// What had been stored by then; it stays stored.
        let counts: Counts
        /// Where in the source it stopped, from 1; nil when the cause lies elsewhere.
        let line: Int?
        /// Why.
        let reason: String
        /// Whether somebody asked it to stop.
        var isInterrupted = false

        var description: String { reason }
    }

    private let database: Database
    private let parser: any DocumentParser
    private let existing: ExistingDocuments

    // Large enough that the flush to the disk does not count, small enough that an interruption
    // takes effect at once and that memory stays flat.
    private static let batchCountMax = 2_000
    private static let batchBytesMax = 4 << 20

    /// An importer into a database.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - parser: At the beginning of a text.
    ///   - existing: What becomes of documents that are there.
    init(
        into database: Database, parsing parser: any DocumentParser = JSONDocumentParser(),
        existing: ExistingDocuments = .replace
    ) {
        self.database = database
        self.parser = parser
        self.existing = existing
    }

    /// Stores everything that `next` gives out until it gives nil.
    ///
    /// - Parameters:
    ///   - next: The next bytes of the text.
    ///   - progress: Called with after each transaction what was stored and how many bytes were read.
    /// - Returns: What was stored.
    /// - Throws: ``Stopped`` at the first record that is no document, when the task is cancelled,
    ///   or when the database refuses. The documents before are stored, and no others.
    func run(
        _ next: () async throws -> [UInt8]?,
        progress: (Counts, _ bytesRead: Int) -> Void = { _, _ in }
    ) async throws -> Counts {
        var parser = parser
        var batch = Batch()
        var counts = Counts()
        var bytesRead = 0
        var isAtEnd = false
        while !isAtEnd {
            let fault = await take(
                next, into: &batch, through: &parser, bytesRead: &bytesRead, isAtEnd: &isAtEnd)
            // What came before the fault is stored, so that the count is also the place.
            try await store(&batch, counts: &counts)
            progress(counts, bytesRead)
            if let fault { throw Stopped(counts: counts, line: fault.line, reason: fault.reason) }
            if Task.isCancelled {
                throw Stopped(
                    counts: counts, line: nil, reason: "Interrupted.", isInterrupted: true)
            }
        }
        return counts
    }

    private struct Batch {
        var documents: [Document] = []
        /// The line each of them begins on.
        var lines: [Int] = []
        var byteCount = 0

        var isFull: Bool {
            documents.count >= Importer.batchCountMax || byteCount >= Importer.batchBytesMax
        }

        mutating func append(_ found: FoundDocument) {
            documents.append(found.document)
            lines.append(found.line)
            byteCount += found.byteCount
        }
    }

    private struct Fault {
        let line: Int?
        let reason: String
    }

    /// Fills the batch; answers why it cannot go on.
    private func take(
        _ next: () async throws -> [UInt8]?, into batch: inout Batch,
        through parser: inout any DocumentParser, bytesRead: inout Int, isAtEnd: inout Bool
    ) async -> Fault? {
        do {
            while !batch.isFull {
                let bytes = try await next()
                bytesRead += bytes?.count ?? 0
                if let bytes {
                    try parser.add(bytes) { batch.append($0) }
                } else {
                    isAtEnd = true
                    try parser.end { batch.append($0) }
                }
                if isAtEnd || Task.isCancelled { return nil }
            }
            return nil
        } catch is CancellationError {
            return nil
        } catch let fault as ImportFault {
            return Fault(line: fault.line, reason: fault.message)
        } catch {
            return Fault(line: nil, reason: FailureText.sentence(for: error))
        }
    }

    private func store(_ batch: inout Batch, counts: inout Counts) async throws {
        guard !batch.documents.isEmpty else { return }
        let (documents, lines) = (batch.documents, batch.lines)
        batch = Batch()
        do {
            counts += try await store(documents)
        } catch {
            // Nothing of the batch is stored. One of its documents is the reason, so each is
            // stored alone up to that one, which can then be named.
            for (document, line) in zip(documents, lines) {
                do {
                    counts += try await store([document])
                } catch {
                    throw Stopped(
                        counts: counts, line: line, reason: FailureText.sentence(for: error))
                }
            }
        }
    }

    private func store(_ documents: [Document]) async throws -> Counts {
        try await database.write { [existing] transaction in
            try Self.store(documents, existing: existing, in: transaction)
        }
    }

    private static func store(
        _ documents: [Document], existing: ExistingDocuments, in transaction: Transaction
    ) throws -> Counts {
        var counts = Counts()
        for document in documents {
            let isThere = try transaction.lastChange(of: document.id).map { !$0.isDeleted } ?? false
            switch (isThere, existing) {
            case (false, _):
                try transaction.save(document)
                counts.added += 1
            case (true, .replace):
                try transaction.save(document)
                counts.replaced += 1
            case (true, .keep):
                counts.kept += 1
            case (true, .fail):
                throw CommandFailure(
                    "A document '\(ScreenText.printable(document.id))' is there already. Import "
                        + "with --on-existing replace or --on-existing keep to go on.")
            }
        }
        return counts
    }
}
