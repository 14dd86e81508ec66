import Settle

/// What a page changed here.
struct PageApplication: Sendable, Hashable {
    /// Documents stored or deleted.
    var changedCount = 0
    /// Items that were left aside because the document has something to tell first.
    var keptCount = 0
    /// Items that cannot be documents, with the reason.
    var faults: [String: String] = [:]
}

extension RemoteOutbox {
    /// Stores the items of a page, and where it ended, in one transaction.
    ///
    /// An item whose document waits to be sent does not touch it; the state is remembered, so that
    /// the push settles the two without asking again. Items that are here already change nothing.
    ///
    /// - Throws: What the database throws when it cannot be written; the page then counts as not
    ///   read.
    func apply(
        _ database: Database, _ page: PullPage, of query: PullQuery
    ) async throws -> PageApplication {
        try await write(database) { [identifier] transaction, tables in
            var application = PageApplication()
            for item in page.items {
                if let fault = Document.fault(ofId: item.id) {
                    application.faults[item.id] = fault
                    continue
                }
                try Self.apply(
                    item, in: transaction, tables, origin: identifier, to: &application)
            }
            if let token = page.token { try tables.setToken(token, of: query) }
            return application
        }
    }

    private static func apply(
        _ item: RemoteItem, in transaction: Transaction, _ tables: RemoteTables, origin: String,
        to application: inout PageApplication
    ) throws {
        let id = item.id
        let state = ServerState(item)
        let known = try tables.server(id)
        if let known, known.isSame(as: state) { return }
        if let old = try tables.entry(id) {
            application.keptCount += 1
            var entry = old
            entry.seen = state
            if entry != old { try tables.setEntry(entry, id, replacing: old) }
            return
        }
        let local = try transaction.document(id)
        if state.isEqual(to: local) {
            // A deleted item that was never here leaves no trace.
            if local != nil || known != nil { try tables.setServer(state, id) }
            return
        }
        try adopt(state, id, isHere: local != nil, in: transaction, origin: origin)
        try tables.setServer(state, id)
        application.changedCount += 1
    }
}
