/// The kinds of resources, by their part of a path.
package enum ResourceKind: String, Sendable, CaseIterable {
    case databases = "dbs"
    case collections = "colls"
    case users
    case permissions
    case documents = "docs"
    case attachments
    case storedProcedures = "sprocs"
    case triggers
    case userDefinedFunctions = "udfs"
    case offers
    case partitionKeyRanges = "pkranges"
    case conflicts

    /// The member of a feed that has the resources.
    package var feedName: String {
        switch self {
        case .databases: "Databases"
        case .collections: "DocumentCollections"
        case .users: "Users"
        case .permissions: "Permissions"
        case .documents: "Documents"
        case .attachments: "Attachments"
        case .storedProcedures: "StoredProcedures"
        case .triggers: "Triggers"
        case .userDefinedFunctions: "UserDefinedFunctions"
        case .offers: "Offers"
        case .partitionKeyRanges: "PartitionKeyRanges"
        case .conflicts: "Conflicts"
        }
    }

    /// The kinds that are in a resource of this kind.
    package var children: [ResourceKind] {
        switch self {
        case .databases: [.collections, .users]
        case .collections:
            [
                .documents, .storedProcedures, .triggers, .userDefinedFunctions,
                .partitionKeyRanges, .conflicts,
            ]
        case .users: [.permissions]
        case .documents: [.attachments]
        default: []
        }
    }

    /// Whether the feed is that of the account itself.
    package var isTop: Bool { self == .databases || self == .offers }

    /// The bits in the last byte of the identifier of what is in a collection.
    var childTag: UInt8 {
        switch self {
        case .storedProcedures: 8
        case .triggers: 7
        case .userDefinedFunctions: 6
        case .partitionKeyRanges: 5
        case .conflicts: 4
        default: 0
        }
    }

    /// Members with the links to what is in a resource of this kind, besides `_self`.
    var linkMembers: [(String, String)] {
        switch self {
        case .databases: [("_colls", "colls/"), ("_users", "users/")]
        case .collections:
            [
                ("_docs", "docs/"), ("_sprocs", "sprocs/"), ("_triggers", "triggers/"),
                ("_udfs", "udfs/"), ("_conflicts", "conflicts/"),
            ]
        case .users: [("_permissions", "permissions/")]
        case .documents: [("_attachments", "attachments/")]
        default: []
        }
    }
}
