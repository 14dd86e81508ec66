import Foundation
import Settle

/// How far the pull of a query is.
///
/// Shape (Docs/Formats/Replication.md): query, flags, token, date.
struct Checkpoint: Sendable, Hashable {
    /// Where the pull goes on; nil at the beginning.
    var token: PullToken?
    /// When everything was last listed.
    var reconciled: Date?
    /// Whether all that was read up to the token was read with its attachments.
    var carriesAttachments = false

    fileprivate enum Flag {
        static let token: UInt8 = 1
        static let reconciled: UInt8 = 2
        static let attachments: UInt8 = 4
    }
}

extension RemoteTables {
    /// How far the pull of a query is.
    func checkpoint(of query: PullQuery) throws -> Checkpoint {
        guard let checkpoints else { return Checkpoint() }
        return try slot(of: query, in: checkpoints).checkpoint ?? Checkpoint()
    }

    /// How far the pulls of all queries are.
    func allCheckpoints() throws -> [ReplicationRemote.Checkpoint] {
        var found: [ReplicationRemote.Checkpoint] = []
        let prefix = checkpointKey(0).dropLast(8)
        try checkpoints?.forEach(from: Array(prefix)) { key, value in
            guard key.starts(with: prefix) else { return false }
            let (query, checkpoint) = try Self.read(checkpoint: value)
            found.append(
                ReplicationRemote.Checkpoint(
                    query: query, token: checkpoint.token?.text, listed: checkpoint.reconciled))
            return true
        }
        return found
    }

    /// Keeps how far the pull of a query is.
    func setCheckpoint(_ checkpoint: Checkpoint, of query: PullQuery) throws {
        let table = written(checkpoints)
        var row = RowWriter()
        row.write(counted: query.name.utf8)
        row.write(
            byte: (checkpoint.token == nil ? 0 : Checkpoint.Flag.token)
                | (checkpoint.reconciled == nil ? 0 : Checkpoint.Flag.reconciled)
                | (checkpoint.carriesAttachments ? Checkpoint.Flag.attachments : 0))
        if let token = checkpoint.token { row.write(counted: token.text.utf8) }
        if let date = checkpoint.reconciled { row.write(date: date) }
        try table.set(row.bytes, for: try slot(of: query, in: table).key)
    }

    /// Lets the pulls of the queries with this hash begin at the beginning.
    func removeCheckpoints(ofQueriesWithHash hash: UInt64) throws {
        try removeCheckpoints { key, _ in key.hash == hash }
    }

    /// Lets the pulls of the queries with this identifier begin at the beginning.
    func removeCheckpoints(ofQueriesWithId id: String) throws {
        let prefix = PullQuery.namePrefix(ofQueryWithId: id)
        try removeCheckpoints { _, value in
            var row = RowReader(value, place: "a checkpoint")
            return try row.text().hasPrefix(prefix)
        }
    }

    /// Lets every pull begin at the beginning.
    func removeAllCheckpoints() throws {
        try removeCheckpoints { _, _ in true }
    }

    private func removeCheckpoints(
        where isRemoved: ((key: [UInt8], hash: UInt64), [UInt8]) throws -> Bool
    ) throws {
        let table = written(checkpoints)
        let prefix = checkpointKey(0).dropLast(8)
        var keys: [[UInt8]] = []
        try table.forEach(from: Array(prefix)) { key, value in
            guard key.starts(with: prefix) else { return false }
            let hash = key.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            if try isRemoved((key, hash), value) { keys.append(key) }
            return true
        }
        // A query that had to go on to the next number may be found no more, and begins anew.
        for key in keys { _ = try table.remove(key) }
    }

    /// The row of a query.
    ///
    /// Its name may be longer than a key, so the key is a hash of it and the name stands in the
    /// value; a hash that another query has goes on to the next number.
    private func slot(
        of query: PullQuery, in table: SideTable
    ) throws -> (key: [UInt8], checkpoint: Checkpoint?) {
        let name = query.name
        var hash = query.hash
        while true {
            let key = checkpointKey(hash)
            guard let bytes = try table.value(for: key) else { return (key, nil) }
            let row = try Self.read(checkpoint: bytes)
            if row.query == name { return (key, row.checkpoint) }
            hash &+= 1
        }
    }

    /// Whether the row of a checkpoint can be read.
    static func isReadable(checkpoint bytes: [UInt8]) -> Bool {
        (try? read(checkpoint: bytes)) != nil
    }

    private static func read(
        checkpoint bytes: [UInt8]
    ) throws -> (query: String, checkpoint: Checkpoint) {
        var row = RowReader(bytes, place: "a checkpoint")
        let query = try row.text()
        let flags = try row.byte()
        var checkpoint = Checkpoint()
        checkpoint.carriesAttachments = flags & Checkpoint.Flag.attachments != 0
        if flags & Checkpoint.Flag.token != 0 {
            checkpoint.token = PullToken(try row.text())
        }
        if flags & Checkpoint.Flag.reconciled != 0 { checkpoint.reconciled = try row.date() }
        return (query, checkpoint)
    }
}
