/// Told of the changes in a database.
public protocol DatabaseChangeDelegate: AnyObject, Sendable {
    /// Called once for each commit that changed documents, on the database's completion queue; in
    /// the order of the commits when that queue is serial, as the main queue is.
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
