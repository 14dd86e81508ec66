import Settle
import SettleEntities

/// What there is of a datastore in a database.
enum EntityAccess {
    /// The database has no index of entities.
    case missing
    /// It has one, and opening a datastore over it would write.
    case closed
    /// It has an index of this name that is not a datastore's.
    case foreign
    /// A datastore is open over it.
    case open(Datastore, IndexStatus)

    /// The index that lists entities, as Docs/Formats/Entities.md has it.
    static let indexName = "entities"
    /// What the datastore of an inspector calls its device, so that no identifier is stored for one.
    private static let device = "inspector"
    private static let (format, entryType) = ("entityFormat", "entity-entry")

    /// What there is, with a datastore where it can be opened by looking alone.
    ///
    /// A database without an index of entities is left without one. One that was opened for reading only is given the
    /// datastore's definition of the index that it keeps, and its rows stay as they are.
    ///
    /// - Throws: What the database throws when it cannot be read.
    static func of(_ database: Database) async throws -> EntityAccess {
        guard let status = try status(in: database) else { return .missing }
        guard status.declaration == nil else { return .foreign }
        guard status.isDefined || database.configuration.isReadOnly else { return .closed }
        do {
            let datastore = try await datastore(over: database)
            return try self.status(in: database).map { .open(datastore, $0) } ?? .missing
        } catch let error as DatastoreError where error.code == .indexExists {
            return .foreign
        }
    }

    /// Opens a datastore over a database, which brings its index up to date where that may be written.
    ///
    /// - Throws: `DatastoreError` with `indexExists`; what the database throws.
    static func datastore(over database: Database) async throws -> Datastore {
        try await Datastore.open(over: database, device: device)
    }

    /// Whether a document is an entity that a page shows as one.
    ///
    /// - Throws: What the database throws when it cannot be read.
    static func isEntity(_ document: Document, of database: Database) throws -> Bool {
        guard document[json: format] != nil, document.metaData.type != entryType else {
            return false
        }
        return try status(in: database) != nil
    }

    private static func status(in database: Database) throws -> IndexStatus? {
        try database.indexStatuses().first { $0.name == indexName }
    }

    /// What a page says where there is no datastore; nil where there is one.
    var explanation: String? {
        switch self {
        case .missing:
            "This process has opened no datastore over the database, and no index 'entities' lies in it. Where there "
                + "are entities, 'settle entities' makes one."
        case .closed:
            "The database has an index of entities, and this process has opened no datastore over it. Opening one "
                + "brings the index up to date."
        case .foreign: "The index 'entities' of this database is not that of a datastore."
        case .open(_, let status) where !status.isBuilt:
            "The index 'entities' is not built. 'settle entities' builds it."
        case .open: nil
        }
    }
}
