import SettleDocuments
import SettleLMDB
import SettlePrimitives

/// Looks at the content of attachments: who names it, who holds it, and what it is.
struct ContentCheck {
    private let snapshot: StoreSnapshot
    private var references: [ContentDigest: Int]
    /// The numbers of contents that have chunks, and how many.
    private var chunkCounts: [UInt64: Int] = [:]
    private var leases: [ContentDigest: Int] = [:]
    private var unfinished: Set<UInt64> = []

    /// A check of one state; `references` is how often the records name each content.
    init(of snapshot: StoreSnapshot, references: [ContentDigest: Int]) {
        self.snapshot = snapshot
        self.references = references
    }

    mutating func run(report: (StoreFinding) -> Void, advance: (Int) -> Void) throws {
        do {
            try snapshot.tables.contents.forEachUpload(in: snapshot.reader) { number, row in
                advance(1)
                if number > snapshot.counters.lastContent {
                    report(StoreFinding("uploads, \(number)", "The number was never given."))
                }
                if let digest = row.digest {
                    leases[digest, default: 0] += 1
                } else {
                    unfinished.insert(number)
                }
            }
        } catch is StorageError {
            report(StoreFinding("uploads", "A row cannot be read."))
        }
        try checkContents(report: report, advance: advance)
        for digest in references.keys {
            report(StoreFinding("contents", "A document names content \(digest), which is not."))
        }
        for digest in leases.keys {
            report(StoreFinding("uploads", "An upload holds content \(digest), which is not."))
        }
        try checkChunks(report: report, advance: advance)
    }

    private mutating func checkContents(
        report: (StoreFinding) -> Void, advance: (Int) -> Void
    ) throws {
        try snapshot.reader.forEach(in: snapshot.tables.contents.contents) { key, value in
            advance(1)
            guard let digest = ContentDigest(stored: key.rest(from: 0)),
                let row = ContentRow(value)
            else {
                report(StoreFinding("contents", "A row cannot be read."))
                return true
            }
            let place = "content \(digest)"
            let named = references.removeValue(forKey: digest) ?? 0
            let held = leases.removeValue(forKey: digest) ?? 0
            if row.references != UInt64(named) {
                report(
                    StoreFinding(
                        place,
                        "It counts \(row.references) references, and there are \(named)."))
            }
            if row.leases != UInt64(held) {
                report(
                    StoreFinding(place, "It counts \(row.leases) leases, and there are \(held)."))
            }
            if let number = row.number { try check(row, number, digest, place, report: report) }
            return true
        }
    }

    private mutating func check(
        _ row: ContentRow, _ number: UInt64, _ digest: ContentDigest, _ place: String,
        report: (StoreFinding) -> Void
    ) throws {
        var hasher = ContentHasher()
        var index = 0
        while let chunk = try snapshot.tables.contents.chunk(
            index, of: number, in: snapshot.reader)
        {
            hasher.update(chunk)
            index += 1
        }
        if chunkCounts.updateValue(index, forKey: number) != nil {
            report(StoreFinding(place, "Another content has the same number."))
        }
        if hasher.length != row.length || hasher.digest != digest {
            report(StoreFinding(place, "What is stored is not the content."))
        }
    }

    private func checkChunks(report: (StoreFinding) -> Void, advance: (Int) -> Void) throws {
        var strays = 0
        try snapshot.reader.forEach(in: snapshot.tables.contents.chunks) { key, _ in
            advance(1)
            var position = 0
            guard key.count == 12, let number = key.fixed64(at: &position) else {
                strays += 1
                return true
            }
            var index = 0
            while let byte = key.byte(at: &position) { index = index << 8 | Int(byte) }
            if !unfinished.contains(number), index >= chunkCounts[number] ?? 0 { strays += 1 }
            return true
        }
        if strays > 0 {
            report(StoreFinding("chunks", "\(strays) chunks belong to no content."))
        }
    }
}
