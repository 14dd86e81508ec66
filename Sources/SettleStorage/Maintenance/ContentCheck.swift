import SettleDocuments
import SettleLMDB
import SettlePrimitives

/// Looks at the content of attachments: who names it, who holds it, and what it is.
struct ContentCheck {
    private let snapshot: StoreSnapshot
    private let log: CheckLog
    private var references: [ContentDigest: Int]
    /// The contents that have numbers, and how many chunks each must have.
    private var chunkCounts: [UInt64: Int] = [:]
    private var leases: [ContentDigest: Int] = [:]
    private var unfinished: Set<UInt64> = []
    /// What is to be read next, on any thread.
    private var batch: [StoredContent] = []
    private var batchLength = 0

    /// Content that is stored here.
    private struct StoredContent: Sendable {
        let digest: ContentDigest
        let number: UInt64
        let length: Int
    }

    /// How many bytes one piece reads.
    private static let batchLengthMax = 4 << 20
    /// How many contents one piece reads.
    private static let batchCountMax = 256

    /// A check of one state; `references` is how often the records name each content.
    init(of snapshot: StoreSnapshot, references: [ContentDigest: Int], _ log: CheckLog) {
        self.snapshot = snapshot
        self.references = references
        self.log = log
    }

    /// Looks at the rows, and adds pieces that read the contents.
    ///
    /// - Throws: ``LMDBError`` when the store cannot be read; what ends the check.
    mutating func run(adding queue: CheckQueue) throws {
        let steps = log.steps()
        do {
            try snapshot.tables.contents.forEachUpload(in: snapshot.reader) { number, row in
                try steps.advance()
                if number > snapshot.counters.lastContent {
                    log.find("uploads, \(number)", "The number was never given.")
                }
                if let digest = row.digest {
                    leases[digest, default: 0] += 1
                } else {
                    unfinished.insert(number)
                }
            }
        } catch is StorageError {
            log.find("uploads", "A row cannot be read.")
        }
        try checkRows(steps, adding: queue)
        for digest in references.keys {
            log.find("contents", "A document names content \(digest), which is not.")
        }
        for digest in leases.keys {
            log.find("uploads", "An upload holds content \(digest), which is not.")
        }
        try checkChunks(steps)
        try steps.finish()
    }

    private mutating func checkRows(_ steps: CheckSteps, adding queue: CheckQueue) throws {
        try snapshot.reader.forEach(in: snapshot.tables.contents.contents) { key, value in
            try steps.advance()
            guard let digest = ContentDigest(stored: key.rest(from: 0)),
                let row = ContentRow(value)
            else {
                log.find("contents", "A row cannot be read.")
                return true
            }
            let place = "content \(digest)"
            let named = references.removeValue(forKey: digest) ?? 0
            let held = leases.removeValue(forKey: digest) ?? 0
            if row.references != UInt64(named) {
                log.find(
                    place, "It counts \(row.references) references, and there are \(named).")
            }
            if row.leases != UInt64(held) {
                log.find(place, "It counts \(row.leases) leases, and there are \(held).")
            }
            if let number = row.number {
                take(StoredContent(digest: digest, number: number, length: row.length), place)
                if batchLength >= Self.batchLengthMax || batch.count >= Self.batchCountMax {
                    addBatch(to: queue)
                }
            }
            return true
        }
        addBatch(to: queue)
    }

    private mutating func take(_ content: StoredContent, _ place: String) {
        let (whole, rest) = content.length.quotientAndRemainder(
            dividingBy: ContentTables.chunkLength)
        let chunkCount = whole + (rest > 0 ? 1 : 0)
        if chunkCounts.updateValue(chunkCount, forKey: content.number) != nil {
            log.find(place, "Another content has the same number.")
        }
        batch.append(content)
        batchLength = batchLength &+ content.length
    }

    private mutating func addBatch(to queue: CheckQueue) {
        guard !batch.isEmpty else { return }
        let (contents, log) = (batch, log)
        queue.add(
            CheckPiece { snapshot, _ in
                let steps = log.steps()
                for content in contents { try Self.read(content, in: snapshot, log, steps) }
            })
        batch = []
        batchLength = 0
    }

    private static func read(
        _ content: StoredContent, in snapshot: StoreSnapshot, _ log: CheckLog, _ steps: CheckSteps
    ) throws {
        var hasher = ContentHasher()
        var index = 0
        while let chunk = try snapshot.tables.contents.chunk(
            index, of: content.number, in: snapshot.reader)
        {
            hasher.update(chunk)
            index += 1
            // Chunks are counted where they are walked; this only ends a cancelled check.
            try steps.finish()
        }
        if hasher.length != content.length || hasher.digest != content.digest {
            log.find("content \(content.digest)", "What is stored is not the content.")
        }
    }

    private func checkChunks(_ steps: CheckSteps) throws {
        var strays = 0
        try snapshot.reader.forEach(in: snapshot.tables.contents.chunks) { key, _ in
            try steps.advance()
            guard let (number, index) = ContentTables.parse(chunkKey: key) else {
                strays += 1
                return true
            }
            if !unfinished.contains(number), index >= chunkCounts[number] ?? 0 { strays += 1 }
            return true
        }
        if strays > 0 { log.find("chunks", "\(strays) chunks belong to no content.") }
    }
}
