public import Settle
import SettlePrimitives

extension SideTableCheck {
    /// Looks at what the replicator keeps: remotes, bases, pending changes and their queue, checkpoints,
    /// and items that were set aside.
    ///
    /// A database that was replicated since it was opened has it. Elsewhere, add it with
    /// `Database.addSideTableCheck(_:)`.
    public static var replication: SideTableCheck {
        SideTableCheck(ofTables: ReplicationCheck.tables) { snapshot, report in
            try ReplicationCheck(snapshot, report).run()
        }
    }
}

/// Looks at the side tables of the replicator: every row, and the rows that must go with it.
struct ReplicationCheck {
    static let tables = [
        RemoteTables.remotesName, RemoteTables.serversName, QueryNumbers.tableName,
        RemoteTables.entriesName, RemoteTables.queueName, RemoteTables.blockedName,
        RemoteTables.checkpointsName, RemoteTables.faultsName, RemoteTables.downloadsName,
        RemoteTables.attachmentsName,
    ]

    private let snapshot: Snapshot
    private let report: SideTableReport

    init(_ snapshot: Snapshot, _ report: SideTableReport) {
        self.snapshot = snapshot
        self.report = report
    }

    /// - Throws: `DatabaseError` when the database cannot be read; what ends the check.
    func run() throws {
        let remotes = try checkRemotes().mapValues { try RemoteTables($0, in: snapshot) }
        for remote in remotes.values { try checkHeldBases(of: remote) }
        try checkBases(remotes)
        try checkEntries(remotes)
        try checkQueue(remotes)
        try checkQueries(remotes)
        try checkSingleRows(remotes)
    }

    private func find(_ problem: String, _ place: String) { report.found(problem, in: place) }

    private static func place(_ table: String) -> String { "side table '\(table)'" }

    // MARK: Remotes and queries

    private func checkRemotes() throws -> [UInt32: RemoteRecord] {
        var remotes: [UInt32: RemoteRecord] = [:]
        let place = Self.place(RemoteTables.remotesName)
        try snapshot.table(RemoteTables.remotesName)?.forEach { key, value in
            try report.advance()
            guard let name = String(validating: key, as: UTF8.self),
                let record = try? RemoteRecord(decoding: value, name)
            else {
                find("The record of a remote cannot be read.", place)
                return true
            }
            if record.number == 0 || remotes.updateValue(record, forKey: record.number) != nil {
                find("The number \(record.number) is that of no remote, or of two.", place)
            }
            if record.checkpoint > snapshot.sequence {
                find("A remote is ahead of the documents.", place)
            }
            return true
        }
        return remotes
    }

    private func checkQueries(_ remotes: [UInt32: RemoteTables]) throws {
        try forEachRow(of: QueryNumbers.tableName, remotes) { _, rest, value in
            let isNumber = rest.first.map { (1...QueryNumbers.numberMax).contains($0) } ?? false
            return rest.count == 1 && isNumber && value.count == 8
                ? nil : "The number of a query cannot be read."
        }
        try forEachRow(of: RemoteTables.checkpointsName, remotes) { _, rest, value in
            rest.count == 8 && RemoteTables.isReadable(checkpoint: value)
                ? nil : "A checkpoint cannot be read."
        }
    }

    // MARK: Bases

    private static func isSound(_ base: BaseItem?) -> Bool {
        guard case .packed(let members) = base?.form else { return base != nil }
        return (try? members.check()) != nil
    }

    /// Looks at the bases that are stored with their documents.
    private func checkHeldBases(of remote: RemoteTables) throws {
        var ids: [String] = []
        do {
            try snapshot.forEachHeldId(by: remote.number) { id in
                ids.append(id)
                return true
            }
        } catch let error as DatabaseError where error.code == .corrupted {
            // The store's own check names the row.
            return
        }
        for id in ids where !Self.isSound(try? remote.base(id)) {
            find("The base of the document '\(id)' cannot be read.", "holds")
        }
    }

    private func checkBases(_ remotes: [UInt32: RemoteTables]) throws {
        try forEachRow(of: RemoteTables.serversName, remotes) { remote, rest, value in
            guard let id = String(validating: rest, as: UTF8.self) else {
                return "A key cannot be read."
            }
            return Self.isSound(try? remote.base(id, value))
                ? nil : "The base of the document '\(id)' cannot be read."
        }
    }

    // MARK: Pending changes

    private func checkEntries(_ remotes: [UInt32: RemoteTables]) throws {
        let queue = try snapshot.table(RemoteTables.queueName)
        let blocked = try snapshot.table(RemoteTables.blockedName)
        try forEachRow(of: RemoteTables.entriesName, remotes) { remote, rest, value in
            guard let id = String(validating: rest, as: UTF8.self),
                let entry = try? PendingChange(decoding: value, id: id)
            else { return "A pending change cannot be read." }
            let name = "The pending change of the document '\(id)'"
            if entry.status == .pending,
                try queue?.value(for: remote.queueKey(entry.order, id)) == nil
            {
                return "\(name) is not in the queue."
            }
            let isBlocked = try blocked?.value(for: remote.documentKey(id)) != nil
            if entry.isBlocked != isBlocked {
                return "\(name) waits for its identifier, or does not, and is listed otherwise."
            }
            return nil
        }
    }

    private func checkQueue(_ remotes: [UInt32: RemoteTables]) throws {
        try forEachRow(of: RemoteTables.queueName, remotes) { remote, rest, _ in
            guard rest.count > 8, let id = String(validating: rest.dropFirst(8), as: UTF8.self)
            else { return "A key cannot be read." }
            let order = rest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard let entry = try? remote.entry(id), entry.status == .pending,
                entry.order == order
            else { return "The document '\(id)' is in the queue at a place that is not its own." }
            return nil
        }
    }

    // MARK: Tables of single facts

    private func checkSingleRows(_ remotes: [UInt32: RemoteTables]) throws {
        try forEachRow(of: RemoteTables.blockedName, remotes) { remote, rest, _ in
            let entry = try? remote.entry(String(decoding: rest, as: UTF8.self))
            return entry?.isBlocked == true
                ? nil : "Nothing waits for an identifier that is listed as waited for."
        }
        try forEachRow(of: RemoteTables.faultsName, remotes) { _, _, value in
            (try? SetAsideRow(decoding: value)) == nil
                ? "An item that was set aside cannot be read." : nil
        }
        try forEachRow(of: RemoteTables.attachmentsName, remotes) { _, rest, value in
            let id = String(validating: rest, as: UTF8.self)
            return id.flatMap { try? AttachmentNote(decoding: value, id: $0) } == nil
                ? "The attachments of a document at a remote cannot be read." : nil
        }
        try forEachRow(of: RemoteTables.downloadsName, remotes) { _, _, value in
            value == [1] ? nil : "A row cannot be read."
        }
    }

    /// Walks the rows of a table, whose keys begin with the numbers of remotes.
    ///
    /// - Parameters:
    ///   - name: The table.
    ///   - remotes: The remotes that there are.
    ///   - problem: What is wrong with a row of a remote; nil when nothing is.
    /// - Throws: `DatabaseError` when the database cannot be read; what ends the check.
    private func forEachRow(
        of name: String, _ remotes: [UInt32: RemoteTables],
        _ problem: (
            _ remote: RemoteTables, _ rest: ArraySlice<UInt8>, _ value: [UInt8]
        ) throws -> String?
    ) throws {
        let place = Self.place(name)
        try snapshot.table(name)?.forEach { key, value in
            try report.advance()
            let number = key.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            if key.count > 4, let remote = remotes[number] {
                if let sentence = try problem(remote, key.dropFirst(4), value) {
                    find(sentence, place)
                }
            } else {
                find("A row is of no remote.", place)
            }
            return true
        }
    }
}
