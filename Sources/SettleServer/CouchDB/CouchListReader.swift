import Settle

/// The text of a list of documents, piece by piece, each read when it is asked for.
///
/// So a long list takes the memory of a page, and a slow reader holds no snapshot. What changes meanwhile is in the
/// list, or not.
struct CouchListReader: CouchPieceReader {
    private enum Phase { case beginning, reading, ending, ended }

    private let database: CouchDatabase
    private let listing: CouchListing
    private var phase = Phase.beginning
    /// The identifier up to which the range is read.
    private var last: String?
    /// How many of the keys are done.
    private var keysDone = 0
    private var left: Int
    private var hasGiven = false

    /// Up to how many documents are counted before a range, to say where it begins, and for a sender who sees a part.
    static let countMax = 10_000
    /// How many rows are read in one snapshot at most, and how many bytes they may have before there are no more.
    private static let (pageCount, pageBytesMax) = (500, 1 << 18)
    /// How many documents are looked at in one, whether they are the sender's or not.
    private static let lookedMax = 10_000

    init(_ database: CouchDatabase, _ listing: CouchListing) {
        self.database = database
        self.listing = listing
        left = listing.limit
    }

    /// The next piece; nil after the last.
    ///
    /// - Throws: ``DatabaseError``.
    mutating func next() throws -> [UInt8]? {
        var text: [UInt8] = []
        while text.isEmpty {
            switch phase {
            case .beginning:
                phase = .reading
                text = try database.database.read { snapshot in
                    try head(in: snapshot) + readPage(in: snapshot)
                }
            case .reading: text = try database.database.read { try readPage(in: $0) }
            case .ending:
                phase = .ended
                text = Array("\n]}\n".utf8)
            case .ended: return nil
            }
        }
        return text
    }

    /// What stands before the rows; passes over those that are to be skipped.
    private mutating func head(in snapshot: Snapshot) throws -> [UInt8] {
        var text = "{"
        var offset = "null"
        if listing.keys != nil {
            keysDone = listing.skip
        } else {
            let skipped = try skip(in: snapshot)
            if let before = try countBefore(in: snapshot) { offset = "\(before + skipped)" }
        }
        text += "\"total_rows\":\(try total(in: snapshot).map(String.init) ?? "null"),"
        if listing.includesSequence {
            text += "\"update_seq\":\"\(CouchDatabase.text(ofSequence: snapshot.sequence))\","
        }
        return Array((text + "\"offset\":\(offset),\"rows\":[\n").utf8)
    }

    /// Passes over the documents that are to be skipped.
    ///
    /// - Returns: How many there were.
    private mutating func skip(in snapshot: Snapshot) throws -> Int {
        var count = 0
        guard listing.skip > 0 else { return 0 }
        try Self.forEach(of: listing, behind: last, in: snapshot) { id in
            guard try isThere(id, in: snapshot) else { return true }
            last = id
            count += 1
            return count < listing.skip
        }
        return count
    }

    /// How many documents come before the range; nil when there are too many to count.
    private func countBefore(in snapshot: Snapshot) throws -> Int? {
        let (low, high) = listing.bounds
        guard let edge = listing.isDescending ? high : low else { return 0 }
        var (count, looked) = (0, 0)
        try snapshot.forEachView(
            from: listing.isDescending ? edge : nil, to: listing.isDescending ? nil : edge,
            isDescending: listing.isDescending
        ) { view in
            let id = try view.id
            looked += 1
            if !id.utf8.elementsEqual(edge.utf8), try isThere(id, in: snapshot) { count += 1 }
            return looked <= Self.countMax
        }
        return looked <= Self.countMax ? count : nil
    }

    /// How many documents there are for the sender; nil when those would be too many to count.
    private func total(in snapshot: Snapshot) throws -> Int? {
        guard database.isLimited else { return snapshot.documentCount }
        let walked = snapshot.documentCount + snapshot.deletedDocumentCount
        guard walked <= Self.countMax else { return nil }
        return try database.counts(in: snapshot).live
    }

    /// Walks the identifiers of the range that are left.
    private static func forEach(
        of listing: CouchListing, behind last: String?, in snapshot: Snapshot,
        _ body: (String) throws -> Bool
    ) throws {
        let (low, high) = listing.bounds
        try snapshot.forEachView(
            from: listing.isDescending ? low : last ?? low,
            to: listing.isDescending ? last ?? high : high, isDescending: listing.isDescending
        ) { view in
            let id = try view.id
            if let last, id.utf8.elementsEqual(last.utf8) { return true }
            return listing.includes(id) ? try body(id) : true
        }
    }

    /// Whether there is a document for the sender, whatever others see of it.
    private func isThere(_ id: String, in snapshot: Snapshot) throws -> Bool {
        guard database.isLimited else { return true }
        return try database.tree(of: id, in: snapshot)?.winner?.isDeleted == false
    }

    /// Reads some rows; none when there are none that are the sender's among many.
    private mutating func readPage(in snapshot: Snapshot) throws -> [UInt8] {
        var text: [UInt8] = []
        var (count, isOver) = (0, true)
        /// Whether there is room for more.
        func add(_ key: JSONValue) throws -> Bool {
            if hasGiven { text += Array(",\n".utf8) }
            hasGiven = true
            text += try database.row(key, listing, in: snapshot)
            left -= 1
            count += 1
            isOver = left == 0 || count < Self.pageCount && text.count < Self.pageBytesMax
            return left > 0 && isOver
        }
        phase = .ending
        guard left > 0 else { return text }
        if let keys = listing.keys {
            for key in keys.dropFirst(keysDone) {
                keysDone += 1
                guard try add(key) else { break }
            }
        } else {
            var looked = 0
            try Self.forEach(of: listing, behind: last, in: snapshot) { id in
                guard looked < Self.lookedMax else {
                    isOver = false
                    return false
                }
                last = id
                looked += 1
                return try isThere(id, in: snapshot) ? add(.string(id)) : true
            }
        }
        if !isOver { phase = .reading }
        return text
    }
}
