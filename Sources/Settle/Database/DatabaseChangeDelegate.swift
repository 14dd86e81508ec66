/// Notified of the changes that this process makes in a database.
///
/// It is not notified of what other processes commit; a live ``ChangeFeed`` sees that too. A database
/// has one delegate; any number of feeds may run beside it.
public protocol DatabaseChangeDelegate: AnyObject, Sendable {
    /// Called once for each commit that changed documents, in the order of the commits and one
    /// call after the other, on the database's completion queue.
    ///
    /// Writes that arrive together share a commit, and so a call. A delegate that is slower than
    /// the writer has its calls wait in memory, without limit. It may write to the database.
    ///
    /// - Parameters:
    ///   - database: The database that changed.
    ///   - documentsChanged: Each changed document once, as the commit left it.
    func database(_ database: Database, documentsChanged: [DocumentChangedDetails])
}

/// What a change delegate learns about one document.
public struct DocumentChangedDetails: Sendable, Equatable {
    /// The identifier of the document.
    public let documentId: String
    /// True when the change came from a replication.
    public let isFromReplication: Bool
    /// True when the change deleted or purged the document.
    public let isDeleted: Bool
    /// True when the change purged the document: by a call, or because its date had come.
    public let isPurged: Bool

    /// Describes a change.
    public init(
        documentId: String, isFromReplication: Bool, isDeleted: Bool, isPurged: Bool = false
    ) {
        self.documentId = documentId
        self.isFromReplication = isFromReplication
        self.isDeleted = isDeleted
        self.isPurged = isPurged
    }
}
