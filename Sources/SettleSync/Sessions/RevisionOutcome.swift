import Settle

/// What came of a page of changes, for the documents that are in it.
struct RevisionOutcome: Sendable {
    /// Documents with a pending change from before, which may have got through.
    var ids: Set<String> = []
    /// Purged documents whose attachments at the remote are noted.
    var purgedIds: [String] = []
    var refused: [String: RemoteRejection] = [:]
    var withheld: Set<String> = []
    /// The attachments that revisions have which the remote has by now.
    var stored: [AttachmentNote] = []
    var counts = LogCounts()

    init(ids: Set<String> = []) {
        self.ids = ids
    }

    /// What is to be looked at again of a page of changes: as a rule nothing.
    ///
    /// - Parameters:
    ///   - changes: The page.
    ///   - tables: What is kept of the remote.
    /// - Throws: What the database throws when it cannot be read.
    init(of changes: [DocumentChange], _ tables: RemoteTables) throws {
        if try tables.hasEntries() {
            for change in changes where try tables.entry(change.documentId) != nil {
                ids.insert(change.documentId)
            }
        }
        purgedIds = try changes.filter(\.isPurged).map(\.documentId)
            .filter { try tables.hasNote(ofDocumentWithId: $0) }
    }

    /// Whether it changes nothing of what is kept.
    var isEmpty: Bool { changedIds.isEmpty && purgedIds.isEmpty && stored.isEmpty }

    /// The documents whose pending changes may be others now.
    var changedIds: Set<String> { ids.union(refused.keys).union(withheld) }
}
