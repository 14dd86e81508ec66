import Settle

/// What the database knows of a remote as a whole.
///
/// Shape (Docs/Formats/Replication.md): identifier -> layout, number, checkpoint, flags, scope.
struct RemoteRecord: Sendable, Hashable {
    /// Stands for the remote in the keys of the other tables.
    var number: UInt32
    /// The sequence up to which the push queue has seen the database's changes.
    var checkpoint: UInt64
    /// Which documents belong to the remote.
    var scope = ReplicationScope.all
    /// Whether attachments travel, and documents that had gone without theirs were queued.
    var carriesAttachments = false
    /// Whether it is replicated with by revisions, without a queue and bases.
    var isByRevisions = false

    private enum Layout {
        /// Without a scope: all documents.
        static let plain: UInt8 = 1
        static let scoped: UInt8 = 2
        /// With flags.
        static let flagged: UInt8 = 3
    }

    private enum Flag {
        static let scope: UInt8 = 1
        static let attachments: UInt8 = 2
        static let revisions: UInt8 = 4
    }

    /// The record of a remote; nil when this database never met it.
    static func find(_ identifier: String, in snapshot: Snapshot) throws -> RemoteRecord? {
        guard let table = try snapshot.table(RemoteTables.remotesName) else {
            return nil
        }
        return try table.value(for: Array(identifier.utf8)).map {
            try RemoteRecord(decoding: $0, identifier)
        }
    }

    /// The record of a remote, made when there is none.
    ///
    /// - Parameters:
    ///   - identifier: The remote.
    ///   - transaction: The transaction.
    ///   - isByRevisions: Whether one that is made is replicated with by revisions.
    /// - Returns: The record.
    /// - Throws: What the database throws when it cannot be written.
    static func findOrMake(
        _ identifier: String, in transaction: Transaction, byRevisions isByRevisions: Bool = false
    ) throws -> RemoteRecord {
        if let record = try find(identifier, in: transaction) { return record }
        var number: UInt32 = 0
        for (_, record) in try all(in: transaction) { number = max(number, record.number) }
        var record = RemoteRecord(number: number + 1, checkpoint: 0)
        record.isByRevisions = isByRevisions
        record.carriesAttachments = isByRevisions
        try record.write(identifier, in: transaction)
        return record
    }

    /// Every remote this database has met, by identifier.
    static func all(in snapshot: Snapshot) throws -> [(identifier: String, record: RemoteRecord)] {
        guard let table = try snapshot.table(RemoteTables.remotesName) else {
            return []
        }
        var found: [(String, RemoteRecord)] = []
        try table.forEach { key, value in
            let identifier = String(decoding: key, as: UTF8.self)
            found.append((identifier, try RemoteRecord(decoding: value, identifier)))
            return true
        }
        return found
    }

    /// Stores the record.
    func write(_ identifier: String, in transaction: Transaction) throws {
        let table = try transaction.sideTable(named: RemoteTables.remotesName)
        try table.set(encoded(), for: Array(identifier.utf8))
    }

    func encoded() -> [UInt8] {
        var row = RowWriter()
        let isScoped = scope != .all
        let isFlagged = carriesAttachments || isByRevisions
        row.write(byte: isFlagged ? Layout.flagged : isScoped ? Layout.scoped : Layout.plain)
        row.write(number: UInt64(number))
        row.write(number: checkpoint)
        if isFlagged {
            row.write(
                byte: (carriesAttachments ? Flag.attachments : 0) | (isScoped ? Flag.scope : 0)
                    | (isByRevisions ? Flag.revisions : 0))
        }
        if isScoped { scope.write(to: &row) }
        return row.bytes
    }

    init(number: UInt32, checkpoint: UInt64) {
        self.number = number
        self.checkpoint = checkpoint
    }

    init(decoding bytes: [UInt8], _ identifier: String) throws {
        var row = RowReader(bytes, place: "the record of remote '\(identifier)'")
        let layout = try row.byte()
        guard (Layout.plain...Layout.flagged).contains(layout),
            let number = UInt32(exactly: try row.number())
        else { throw row.damage }
        self.init(number: number, checkpoint: try row.number())
        let flags =
            layout == Layout.flagged ? try row.byte() : layout == Layout.scoped ? Flag.scope : 0
        carriesAttachments = flags & Flag.attachments != 0
        isByRevisions = flags & Flag.revisions != 0
        if flags & Flag.scope != 0 { scope = try ReplicationScope(from: &row) }
    }
}
