extension Cosmos {
    /// The kinds of resources that an account has, and how they are nested.
    ///
    /// The raw value is the segment of a path that precedes the resource's identifier.
    ///
    /// > Source: the resource model of the Cosmos DB REST API.
    public enum ResourceType: String, Sendable, Hashable, CaseIterable {
        /// A database.
        case database = "dbs"
        /// A user of a database.
        case user = "users"
        /// What a user may do with one resource.
        case permission = "permissions"
        /// A collection of documents, also called a container.
        case collection = "colls"
        /// A stored procedure.
        case storedProcedure = "sprocs"
        /// A trigger.
        case trigger = "triggers"
        /// A user-defined function.
        case userDefinedFunction = "udfs"
        /// A document, also called an item.
        case document = "docs"
        /// An attachment of a document.
        case attachment = "attachments"
        /// The throughput of a database or collection.
        case offer = "offers"
        /// A range of hashed partition keys, which one partition of a collection keeps.
        case partitionKeyRange = "pkranges"

        /// The type that these resources are kept in; nil for those of the account itself.
        public var parent: ResourceType? {
            switch self {
            case .database, .offer: nil
            case .user, .collection: .database
            case .permission: .user
            case .storedProcedure, .trigger, .userDefinedFunction, .document, .partitionKeyRange:
                .collection
            case .attachment: .document
            }
        }

        /// The types above, the outermost first.
        public var ancestors: [ResourceType] {
            parent.map { $0.ancestors + [$0] } ?? []
        }

        /// The types right below.
        public var children: [ResourceType] {
            Self.allCases.filter { $0.parent == self }
        }

        /// The segment of a path that precedes the identifier.
        public var pathComponent: String { rawValue }

        /// The member of a list's response that holds the resources.
        var feedMember: String {
            switch self {
            case .database: "Databases"
            case .user: "Users"
            case .permission: "Permissions"
            case .collection: "DocumentCollections"
            case .storedProcedure: "StoredProcedures"
            case .trigger: "Triggers"
            case .userDefinedFunction: "UserDefinedFunctions"
            case .document: "Documents"
            case .attachment: "Attachments"
            case .offer: "Offers"
            case .partitionKeyRange: "PartitionKeyRanges"
            }
        }

        /// What one of them is called in a sentence.
        var noun: String {
            switch self {
            case .database: "database"
            case .user: "user"
            case .permission: "permission"
            case .collection: "collection"
            case .storedProcedure: "stored procedure"
            case .trigger: "trigger"
            case .userDefinedFunction: "user-defined function"
            case .document: "document"
            case .attachment: "attachment"
            case .offer: "offer"
            case .partitionKeyRange: "partition key range"
            }
        }

        /// Whether a request for one of them names a partition key, in a collection that has one.
        var isPartitioned: Bool { self == .document || self == .attachment }
    }
}
