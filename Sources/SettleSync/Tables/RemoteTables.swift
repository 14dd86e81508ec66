import Settle

/// What the database keeps about one remote, as seen in one snapshot or transaction.
///
/// The tables are side tables of the database, so whatever is written here commits with the
/// documents. Docs/Formats/Replication.md gives keys and values. Every key begins with the
/// remote's number, four bytes, most significant first.
struct RemoteTables {
    /// The number that stands for the remote in this database.
    let number: UInt32
    /// What every key of the remote begins with.
    let prefix: [UInt8]
    /// Which documents belong to the remote.
    let scope: ReplicationScope
    /// See ``RemoteRecord/carriesAttachments``.
    let carriesAttachments: Bool
    /// The state of the database that the tables are of.
    let snapshot: Snapshot
    let queries: QueryNumbers
    let servers: SideTable?
    private let entries: SideTable?
    private let queue: SideTable?
    private let blocked: SideTable?
    let checkpoints: SideTable?
    let faults: SideTable?

    /// Remote's identifier -> number and checkpoint.
    static let remotesName = "sync.remotes"
    /// Remote, document -> ``BaseItem`` as of the last agreement, where the document has other members.
    static let serversName = "sync.servers"
    /// Remote, document -> ``PendingChange``.
    static let entriesName = "sync.outbox"
    /// Remote, order, document -> nothing: the entries that wait to be sent.
    static let queueName = "sync.queue"
    /// Remote, document -> nothing: the rows that wait for their identifier to be free.
    static let blockedName = "sync.blocked"
    /// Remote, hash of the query -> the query and its token.
    static let checkpointsName = "sync.checkpoints"

    /// Tables to read from; they may not exist yet.
    ///
    /// - Parameters:
    ///   - record: The remote; nil for one that was never met, which has nothing.
    ///   - snapshot: The state to read.
    /// - Throws: What the database throws when it cannot be read.
    init(_ record: RemoteRecord?, in snapshot: Snapshot) throws {
        // Number 0 belongs to no remote.
        number = record?.number ?? 0
        prefix = Self.bytes(of: UInt64(number), count: 4)
        self.snapshot = snapshot
        queries = QueryNumbers(try snapshot.table(QueryNumbers.tableName), of: number)
        scope = record?.scope ?? .all
        carriesAttachments = record?.carriesAttachments ?? false
        blocked = try snapshot.table(Self.blockedName)
        servers = try snapshot.table(Self.serversName)
        entries = try snapshot.table(Self.entriesName)
        queue = try snapshot.table(Self.queueName)
        checkpoints = try snapshot.table(Self.checkpointsName)
        faults = try snapshot.table(Self.faultsName)
    }

    /// Tables to read from and write to.
    init(_ record: RemoteRecord, writingIn transaction: Transaction) throws {
        number = record.number
        prefix = Self.bytes(of: UInt64(number), count: 4)
        snapshot = transaction
        queries = QueryNumbers(
            try transaction.sideTable(named: QueryNumbers.tableName), of: number)
        scope = record.scope
        carriesAttachments = record.carriesAttachments
        blocked = try transaction.sideTable(named: Self.blockedName)
        servers = try transaction.sideTable(named: Self.serversName)
        entries = try transaction.sideTable(named: Self.entriesName)
        queue = try transaction.sideTable(named: Self.queueName)
        checkpoints = try transaction.sideTable(named: Self.checkpointsName)
        faults = try transaction.sideTable(named: Self.faultsName)
    }

    // MARK: One document

    /// The document as far as the remote is concerned: nil when it is not there, and when it does not
    /// belong to the remote.
    func document(_ id: String, in snapshot: Snapshot) throws -> Document? {
        guard let document = try snapshot.document(id), try scope.includes(document) else {
            return nil
        }
        return document
    }

    /// Whether there is no document with this identifier, and nothing is kept of such a row.
    func isUnknown(_ id: String) throws -> Bool {
        if try snapshot.withDocument(id, { _ in true }) ?? false { return false }
        let key = documentKey(id)
        return try entries?.value(for: key) == nil && servers?.value(for: key) == nil
    }

    /// Whether the identifier is that of a document which does not belong to the remote.
    func isTaken(_ id: String, in snapshot: Snapshot) throws -> Bool {
        if scope == .all { return false }
        let isHere = try snapshot.withDocument(id) { _ in true } ?? false
        return try isHere && !scope.includes(id, in: snapshot)
    }

    /// What the document still has to tell.
    func entry(_ id: String) throws -> PendingChange? {
        try entries?.value(for: documentKey(id)).map { try PendingChange(decoding: $0, id: id) }
    }

    /// Replaces the entry, and puts it into the queue or takes it out.
    ///
    /// - Parameters:
    ///   - entry: The new entry; nil when there is nothing left to tell.
    ///   - id: The document.
    ///   - old: What `entry(_:)` gave for the document in this transaction.
    /// - Throws: What the database throws when it cannot be written.
    func setEntry(_ entry: PendingChange?, _ id: String, replacing old: PendingChange?) throws {
        let place = entry.flatMap { $0.status == .pending ? $0.order : nil }
        let placeBefore = old.flatMap { $0.status == .pending ? $0.order : nil }
        if place != placeBefore {
            if let placeBefore { _ = try written(queue).remove(queueKey(placeBefore, id)) }
            if let place { try written(queue).set([1], for: queueKey(place, id)) }
        }
        if entry?.isBlocked ?? false {
            try written(blocked).set([1], for: documentKey(id))
        } else if old?.isBlocked ?? false {
            _ = try written(blocked).remove(documentKey(id))
            try removeFault(SetAsideKey(id: id))
        }
        if let entry {
            try written(entries).set(entry.encoded(), for: documentKey(id))
        } else if old != nil {
            _ = try written(entries).remove(documentKey(id))
        }
    }

    // MARK: All documents

    /// The first identifiers in the queue, in order.
    func queuedIds(countMax: Int, skipping skipped: Set<String> = []) throws -> [String] {
        var ids: [String] = []
        try forEachKey(in: queue, skip: 8) { id in
            if !skipped.contains(id) { ids.append(id) }
            return ids.count < countMax
        }
        return ids
    }

    /// The place of the first entry in the queue; nil when that is empty.
    func firstQueuedOrder() throws -> UInt64? {
        let prefix = self.prefix
        guard let key = try queue?.firstKey(from: prefix), key.starts(with: prefix) else {
            return nil
        }
        return key.dropFirst(prefix.count).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The documents whose rows wait for their identifier to be free.
    func blockedIds() throws -> [String] {
        var ids: [String] = []
        try forEachKey(in: blocked, skip: 0) { id in
            ids.append(id)
            return true
        }
        return ids
    }

    /// How many documents wait in the queue.
    func queuedCount() throws -> Int {
        var count = 0
        try forEachKey(in: queue, skip: 8) { _ in
            count += 1
            return true
        }
        return count
    }

    /// Every entry, by document identifier.
    func allEntries() throws -> [(id: String, entry: PendingChange)] {
        try entries(after: nil, limit: .max)
    }

    /// The entries of the documents after one, by document identifier; at most `limit`, one or more.
    func entries(after id: String?, limit: Int) throws -> [(id: String, entry: PendingChange)] {
        var found: [(String, PendingChange)] = []
        let prefix = self.prefix
        // The next key there can be is that of the document with a zero byte behind it.
        try entries?.forEach(from: id.map { documentKey($0) + [0] } ?? prefix) { key, value in
            guard key.starts(with: prefix) else { return false }
            let id = String(decoding: key.dropFirst(prefix.count), as: UTF8.self)
            found.append((id, try PendingChange(decoding: value, id: id)))
            return found.count < limit
        }
        return found
    }

    /// The documents that there is an entry or a state of the remote of, each once.
    func knownIds() throws -> [String] {
        // By bytes: equal texts of different bytes are different documents.
        var ids: [[UInt8]: String] = [:]
        for table in [entries, servers] {
            try forEachKey(in: table, skip: 0) { id in
                ids[Array(id.utf8)] = id
                return true
            }
        }
        try snapshot.forEachHeldId(by: number) { id in
            ids[Array(id.utf8)] = id
            return true
        }
        return Array(ids.values)
    }

    private func forEachKey(
        in table: SideTable?, skip: Int, _ body: (String) throws -> Bool
    ) throws {
        let prefix = self.prefix
        try table?.forEach(from: prefix) { key, _ in
            guard key.starts(with: prefix) else { return false }
            return try body(String(decoding: key.dropFirst(prefix.count + skip), as: UTF8.self))
        }
    }

    // MARK: Keys

    func documentKey(_ id: String) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(prefix.count + id.utf8.count)
        key.append(contentsOf: prefix)
        key.append(contentsOf: id.utf8)
        return key
    }

    func queueKey(_ order: UInt64, _ id: String) -> [UInt8] {
        prefix + Self.bytes(of: order, count: 8) + Array(id.utf8)
    }

    func checkpointKey(_ hash: UInt64) -> [UInt8] { prefix + Self.bytes(of: hash, count: 8) }

    private static func bytes(of number: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - $0))) }
    }

    func written(_ table: SideTable?) -> SideTable {
        guard let table else {
            preconditionFailure("The tables of a remote were opened for reading only.")
        }
        return table
    }
}
