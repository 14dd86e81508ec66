/// What an index is, and how far it has come.
public struct IndexStatus: Sendable, Equatable {
    /// The name that queries use.
    public let name: String
    /// The version of the index: that of the definition that the open database has, else that of
    /// what is stored.
    public let version: String
    /// What the database keeps of an index that was declared; nil for one by closures.
    public let declaration: Database.IndexDeclaration?
    /// True when the open database has a definition of the index, so that it can be asked.
    public let isDefined: Bool
    /// The name of the built-in reduce function that made the stored reductions, as CouchDB writes
    /// it (`_sum`); `custom` for a closure; nil when nothing is reduced.
    public let reduce: String?
    /// True when there are rows that answer, be they of the present definition or an older one.
    public let isBuilt: Bool
    /// True when the rows are of the present definition, and hold every change.
    public let isCurrent: Bool
    /// The last change that is in the rows that answer; 0 when there are none.
    public let sequence: UInt64
    /// The number of rows that answer.
    public let rowCount: Int
    /// How many documents could not be mapped; ``Database/indexErrors(of:limit:)`` lists them.
    public let errorCount: Int
    /// How many documents a build has mapped, of how many; nil when none goes on here.
    public let progress: MaintenanceProgress?
}

/// A document that the map function of an index could not map, and why.
///
/// It has no rows in the index until it, or the version of the index, changes.
public struct IndexMapError: Sendable, Equatable {
    /// The document.
    public let documentId: String
    /// What the function threw, or emitted that cannot be stored; at most 300 characters.
    public let reason: String
    /// True when the process ended while the function had the document; it is not called with it
    /// again.
    public let isCrash: Bool
}
