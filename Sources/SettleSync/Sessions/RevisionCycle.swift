import Foundation
import Settle
import SettleTableProtocol

/// What one cycle of a replication by revisions did so far.
struct RevisionCycle: ReplicatingCycle, Sendable {
    let session: RevisionSession
    var summary = ReplicationSummary()
    var counted = ReplicationSummary()
    /// Why the cycle did not complete.
    var error: ReplicationError?
    /// What this database is called in the names of logs.
    private var databaseName = ""
    /// What the remote said when the cycle began; another answer means that it may have lost something.
    private var incarnation = ""
    /// The sequence of the database before the pull of this cycle; nil without one.
    var sequenceBefore: UInt64?
    /// Documents that were in conflict after something of them was stored.
    var conflictedIds: Set<String> = []
    /// Batches that were stored, on either side.
    private var batchCount = 0
    private var batchCountBefore = 0

    init(session: RevisionSession) {
        self.session = session
    }

    /// A cycle that tries again what `before` did not complete.
    init(session: RevisionSession, continuing before: RevisionCycle) {
        self.init(session: session)
        // One report for all the tries of a one-shot replication.
        if !session.configuration.isRepeating {
            summary = before.summary
            counted = before.counted
        }
    }

    var database: Database { session.database }
    var backend: any RevisionBackend { session.backend }

    /// Whether anything got through since this was last asked.
    mutating func takeProgress() -> Bool {
        defer { batchCountBefore = batchCount }
        return batchCount > batchCountBefore
    }

    /// Finds out whether both sides are there.
    mutating func begin() async throws {
        incarnation = try await backend.begin()
        let remote = backend.identifier
        let known = try database.read { snapshot in
            try RemoteRecord.find(remote, in: snapshot) == nil
                ? nil : RevisionTables.knownDatabaseName(in: snapshot)
        }
        if let known {
            databaseName = known
        } else {
            databaseName = try await database.write { [self] transaction in
                let name = try RevisionTables.databaseName(in: transaction)
                try makeKnown(name, in: transaction)
                return name
            }
        }
    }

    // MARK: Logs

    /// A log, as both sides have it.
    struct Logs: Sendable {
        let name: String
        /// What both have, newest first.
        var entries: [ReplicationLog.Entry]
        /// Whether the remote has the newest entry that is here, so that it has lost nothing.
        private(set) var isWhole: Bool

        /// The sequence of the source to go on from; nil for the beginning.
        var sequence: JSONValue? { entries.first?.sequence }

        /// Begins at the beginning, whatever both sides have.
        mutating func forget() {
            (entries, isWhole) = ([], false)
        }
    }

    /// The logs of one direction.
    func logs(of direction: ReplicationDirection, _ selection: [String] = []) async throws -> Logs {
        let name = logName(of: direction, selection, databaseName)
        let local = try database.read { try RevisionTables.log(name, in: $0) }
        let remote = try await backend.log(name).flatMap { ReplicationLog($0) }
        let entries = ReplicationLog.common(local, remote)
        return Logs(
            name: name, entries: entries,
            isWhole: entries.first != nil && entries.first == local?.entries.first)
    }

    /// What the log of one direction is called.
    func logName(
        of direction: ReplicationDirection, _ selection: [String], _ databaseName: String
    ) -> String {
        let parts = [databaseName, direction.rawValue, backend.identifier] + selection
        let digest = ContentDigest(of: parts.flatMap { Array($0.utf8) + [0] })
        return String(digest.description.prefix(32))
    }

    /// A log with an entry more.
    func log(
        after logs: Logs, from start: JSONValue?, to sequence: JSONValue, _ counts: LogCounts
    ) -> ReplicationLog {
        let time = JSONValue.string(
            HTTPDate.text(of: Int64(session.configuration.now().timeIntervalSince1970)))
        var details = counts.members
        details["start_time"] = time
        details["end_time"] = time
        details["start_last_seq"] = start ?? 0
        details["end_last_seq"] = sequence
        let entry = ReplicationLog.Entry(
            name: RevisionTables.newName(), sequence: sequence, details: details)
        return ReplicationLog(entries: [entry] + logs.entries)
    }

    /// Has the remote keep a log that the database has, after all that it speaks of is durable there.
    ///
    /// - Parameters:
    ///   - log: The log.
    ///   - logs: What both have, and then the same with the log.
    ///   - said: What the remote said when it had all of it stored durably.
    /// - Throws: What the remote throws, or that it was started or made anew.
    mutating func confirm(
        _ log: ReplicationLog, _ logs: inout Logs, said: String
    ) async throws {
        guard said == incarnation else {
            throw ReplicationError(
                .serverFailed,
                "The remote was started anew or made anew during the replication, which begins again."
            )
        }
        try await backend.setLog(log.json, logs.name)
        logs.entries = log.entries
        batchCount += 1
    }
}

/// What the entry of a log says of a batch.
struct LogCounts: Sendable {
    var checked = 0
    var found = 0
    var read = 0
    var written = 0
    var failed = 0

    fileprivate var members: [String: JSONValue] {
        [
            "missing_checked": .integer(Int64(checked)), "missing_found": .integer(Int64(found)),
            "docs_read": .integer(Int64(read)), "docs_written": .integer(Int64(written)),
            "doc_write_failures": .integer(Int64(failed)),
        ]
    }
}
