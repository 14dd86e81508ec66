import Foundation
import Settle

// An item is out of scope when it is still on the remote but no longer among those that a query
// asks for, or that we may see. Its document is purged: a deletion would be passed on to others.

extension PushQueue {
    /// Purges the document of an item that a query shows no more.
    ///
    /// It stays while it has a pending change (it goes when that is acknowledged), and while another
    /// replication that runs shows it.
    static func leaveScope(
        _ id: String, in transaction: Transaction, _ tables: RemoteTables, _ context: PageContext,
        _ application: inout PageApplication
    ) throws {
        if let old = try tables.entry(id) {
            if old.status == .outside {
                // The row is gone; the document with its identifier is another remote's.
                try tables.setBase(.absent, id)
                return try tables.setEntry(nil, id, replacing: old)
            }
            application.keptCount += 1
            var entry = old
            entry.isOutOfScope = true
            if entry != old { try tables.setEntry(entry, id, replacing: old) }
            return
        }
        guard let known = try tables.base(id), !context.others.contains(known.source) else {
            return
        }
        let wasHere = try transaction.document(id) != nil
        if try purge(id, in: transaction, tables), wasHere { application.changedCount += 1 }
        if known.source != 0, known.source != context.queryHash {
            // That query has read past the item's last change and would not get it again.
            try tables.removeCheckpoints(ofQueriesWithHash: known.source)
        }
    }

    /// Purges the document of a row that is not in the scope any more.
    static func leaveScope(
        _ id: String, in transaction: Transaction, _ tables: RemoteTables,
        _ application: inout PageApplication
    ) throws {
        if let old = try tables.entry(id) {
            if old.status == .outside {
                var entry = old
                entry.seen = nil
                let isNeeded = try entry.hasOperation || tables.base(id) != nil
                return try tables.setEntry(isNeeded ? entry : nil, id, replacing: old)
            }
            application.keptCount += 1
            var entry = old
            entry.isOutOfScope = true
            if entry != old { try tables.setEntry(entry, id, replacing: old) }
            return
        }
        guard try tables.base(id)?.isLive ?? false else { return }
        if try purge(id, in: transaction, tables) { application.changedCount += 1 }
    }

    /// The live items that a query is known to have shown, with their versions.
    ///
    /// - Throws: What the database throws when it cannot be read.
    func shownVersions(
        _ database: Database, by query: PullQuery
    ) throws -> [[UInt8]: String?] {
        try read(database) { _, tables in
            var versions: [[UInt8]: String?] = [:]
            try tables.forEachServer { id, state in
                guard state.isLive, query.isUnlimited || state.source == query.hash else { return }
                versions[Array(id.utf8)] = .some(state.version)
            }
            for id in try tables.blockedIds() {
                guard let seen = try tables.entry(id)?.seen else { continue }
                guard query.isUnlimited || seen.source == query.hash else { continue }
                versions[Array(id.utf8)] = .some(seen.version)
            }
            return versions
        }
    }

    /// Purges the documents of items that a listing did not show, and remembers when it was made.
    ///
    /// An item that changed since the listing began is left alone: the next pull tells.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - missing: The items and the versions they had when the listing began.
    ///   - date: When the listing was made.
    ///   - context: The pull.
    /// - Returns: What was changed.
    /// - Throws: What the database throws when it cannot be written.
    func remove(
        _ database: Database, _ missing: [(id: String, version: String?)],
        listedAt date: Date, in context: PageContext
    ) async throws -> PageApplication {
        try await write(database) { transaction, tables in
            var application = PageApplication()
            for (id, version) in missing {
                let entry = try tables.entry(id)
                let blocked = entry.flatMap { $0.isBlocked ? $0.seen : nil }
                guard let known = try blocked ?? tables.base(id), known.isLive,
                    known.version == version
                else { continue }
                try Self.leaveScope(id, in: transaction, tables, context, &application)
            }
            var checkpoint = try tables.checkpoint(of: context.query)
            checkpoint.reconciled = date
            try tables.setCheckpoint(checkpoint, of: context.query)
            return application
        }
    }
}
