/// What a database throws when the world does not allow what it was asked to do.
///
/// Mistakes in the program (a transaction used after its closure, say) trap instead.
///
/// ```swift
/// do {
///     try await database.update(stale)
/// } catch let error as DatabaseError where error.code == .conflict {
///     var current = try await database.fetchDocument(stale.id) ?? Document(id: stale.id)
///     current["price"] = stale["price"]
///     try await database.save(current)
/// }
/// ```
public struct DatabaseError: Error, Sendable {
    /// What went wrong, to branch on.
    public let code: Code
    /// What happened, to what, and what to do about it; a sentence for people.
    ///
    /// It never holds the contents of a document, but for one value: that which a reduce function
    /// such as `_stats` refused, as CouchDB shows it.
    public let message: String
    /// The document concerned, if it was one.
    public let documentId: String?
    /// The revision that is current now, for ``Code/conflict`` and ``Code/documentExists``; nil when
    /// the document is gone.
    public let currentRevision: String?
    /// The error below, if there was one.
    public let cause: (any Error)?

    /// Describes an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - message: A sentence: what happened, to what, and what to do.
    ///   - documentId: The document concerned.
    ///   - currentRevision: The revision that is current now.
    ///   - cause: The error below.
    public init(
        _ code: Code, _ message: String, documentId: String? = nil, currentRevision: String? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.documentId = documentId
        self.currentRevision = currentRevision
        self.cause = cause
    }

    /// The kinds of errors.
    ///
    /// More may be added, so a `switch` needs a default.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case invalidDatabaseName, invalidFileLocation, databaseClosed, notASettleDatabase
            case newerFormat, foreignEngine, corrupted, diskFull, readOnly, permissionDenied
            case inputOutput, documentExists, documentNotFound, conflict, invalidDocumentId
            case invalidDocument, documentTooLarge, indexNotFound, invalidIndex, indexFailed
            case unsupportedQuery, invalidSideTableKey
            case invalidSideTableName, tooManyTables, indexChanged
            case olderFormat, invalidAttachment, attachmentNotAvailable, databaseInUse
            case invalidExport, changesForgotten
        }
        private let kind: Kind

        private init(_ kind: Kind) { self.kind = kind }

        /// The name of the code.
        public var description: String { kind.rawValue }

        /// The name has characters it may not have, or does not start with a letter.
        public static let invalidDatabaseName = Code(.invalidDatabaseName)
        /// The location is not a directory, or cannot be made one.
        public static let invalidFileLocation = Code(.invalidFileLocation)
        /// The database was closed or deleted.
        public static let databaseClosed = Code(.databaseClosed)
        /// The file belongs to another program.
        public static let notASettleDatabase = Code(.notASettleDatabase)
        /// The file was written by a newer release of Settle.
        public static let newerFormat = Code(.newerFormat)
        /// The file has a format that only unreleased versions of Settle wrote.
        public static let olderFormat = Code(.olderFormat)
        /// The file was written by a generation of the engine that this one cannot read.
        public static let foreignEngine = Code(.foreignEngine)
        /// The file is damaged.
        public static let corrupted = Code(.corrupted)
        /// There is no room; nothing of the write was stored.
        public static let diskFull = Code(.diskFull)
        /// The file may only be read.
        public static let readOnly = Code(.readOnly)
        /// The process may not open the file.
        public static let permissionDenied = Code(.permissionDenied)
        /// Another failure of the file system or the engine.
        public static let inputOutput = Code(.inputOutput)
        /// A document with this identifier is there already.
        public static let documentExists = Code(.documentExists)
        /// No document has this identifier.
        public static let documentNotFound = Code(.documentNotFound)
        /// The document was changed since it was read.
        public static let conflict = Code(.conflict)
        /// The identifier is empty, longer than 255 bytes, or starts with an underscore.
        public static let invalidDocumentId = Code(.invalidDocumentId)
        /// A member holds something that JSON cannot express.
        public static let invalidDocument = Code(.invalidDocument)
        /// The document is larger, or nested deeper, than the limits allow.
        public static let documentTooLarge = Code(.documentTooLarge)
        /// The description of an attachment, or the content given for it, is wrong.
        public static let invalidAttachment = Code(.invalidAttachment)
        /// The content of an attachment is not in the database.
        public static let attachmentNotAvailable = Code(.attachmentNotAvailable)
        /// Another process has the database open.
        public static let databaseInUse = Code(.databaseInUse)
        /// What should be imported is not an export of a database, or is damaged.
        public static let invalidExport = Code(.invalidExport)
        /// The changes after a sequence are not all known any more; begin anew at 0.
        public static let changesForgotten = Code(.changesForgotten)
        /// No index with this name was given to the database.
        public static let indexNotFound = Code(.indexNotFound)
        /// The definition of an index cannot be used.
        public static let invalidIndex = Code(.invalidIndex)
        /// Mapping or reducing failed.
        public static let indexFailed = Code(.indexFailed)
        /// The parameters are of a type that this database does not know, or contradict each other.
        public static let unsupportedQuery = Code(.unsupportedQuery)
        /// The name of a side table is empty, too long, or has a NUL in it.
        public static let invalidSideTableName = Code(.invalidSideTableName)
        /// There are as many indexes and side tables as one database can have.
        public static let tooManyTables = Code(.tooManyTables)
        /// The index was replaced while it was being built.
        public static let indexChanged = Code(.indexChanged)
        /// The key of a side table is empty or too long.
        public static let invalidSideTableKey = Code(.invalidSideTableKey)
    }
}

extension DatabaseError: CustomStringConvertible {
    /// The message, with the code before it.
    public var description: String { "\(code): \(message)" }
}
