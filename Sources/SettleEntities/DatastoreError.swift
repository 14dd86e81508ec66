/// What a datastore throws when the world does not allow what it was asked to do.
///
/// Mistakes in the program (a class registered for two types, say) trap instead. What the database below
/// throws, a ``/Settle/DatabaseError``, is passed on as it is.
public struct DatastoreError: Error, Sendable {
    /// What went wrong, to branch on.
    public let code: Code
    /// What happened, to which entity and key, and what to do about it; it never holds a value.
    public let message: String
    /// The entity concerned, if it was one.
    public let entity: String?
    /// The property concerned, if it was one.
    public let key: String?
    /// The error below, if there was one.
    public let cause: (any Error)?

    /// Describes an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - message: A sentence: what happened, to what, and what to do.
    ///   - entity: The identifier of the entity concerned.
    ///   - key: The key of the property concerned.
    ///   - cause: The error below.
    public init(
        _ code: Code, _ message: String, entity: String? = nil, key: String? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.entity = entity
        self.key = key
        self.cause = cause
    }

    /// The kinds of errors.
    ///
    /// More may be added, so a `switch` needs a default.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case invalidIdentifier, invalidKey, invalidType, invalidValue, invalidDatestamp
            case unresolved, unreadable, newerFormat, invalidInterchange, storeNotFound
            case documentExists, fileUnreadable, indexExists
        }
        private let kind: Kind

        private init(_ kind: Kind) { self.kind = kind }

        /// The name of the code.
        public var description: String { kind.rawValue }

        /// No entity can have this identifier.
        public static let invalidIdentifier = Code(.invalidIdentifier)
        /// No property can have this key: it is empty, too long, or one of the guaranteed ones.
        public static let invalidKey = Code(.invalidKey)
        /// The type of an entity or of a property is empty, or reserved.
        public static let invalidType = Code(.invalidType)
        /// A value cannot be stored: a number that is not finite, a date outside the years 0 to 9999.
        public static let invalidValue = Code(.invalidValue)
        /// A datestamp is outside the years 0 to 9999.
        public static let invalidDatestamp = Code(.invalidDatestamp)
        /// A reference matches no entity and does not say what to create.
        public static let unresolved = Code(.unresolved)
        /// What is stored of an entity is not what this release writes.
        public static let unreadable = Code(.unreadable)
        /// What is stored of an entity was written by a newer release.
        public static let newerFormat = Code(.newerFormat)
        /// What should be read is no interchange.
        public static let invalidInterchange = Code(.invalidInterchange)
        /// There is no file at a place, or it cannot be read.
        public static let fileUnreadable = Code(.fileUnreadable)
        /// There is no store at a place.
        public static let storeNotFound = Code(.storeNotFound)
        /// The database has an index of another kind under the name of the datastore's.
        public static let indexExists = Code(.indexExists)
        /// A document that is no entity has the identifier.
        public static let documentExists = Code(.documentExists)
    }
}

extension DatastoreError: CustomStringConvertible {
    /// The message, with the code before it.
    public var description: String { "\(code): \(message)" }
}
