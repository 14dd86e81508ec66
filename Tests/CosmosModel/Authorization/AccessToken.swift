/// A bearer token of Microsoft Entra ID that the model accepts.
package struct AccessToken: Sendable {
    /// What a bearer may do with data.
    package var mode: PermissionMode
    /// When it ends; nil for never.
    package var expires: ModelTime?

    /// A token for this much.
    package init(mode: PermissionMode = .all, expires: ModelTime? = nil) {
        self.mode = mode
        self.expires = expires
    }
}

/// What a token allows.
package enum PermissionMode: String, Sendable {
    case read = "Read"
    case all = "All"
}

/// A resource token that the service has made for a permission.
struct IssuedToken: Sendable {
    var mode: PermissionMode
    /// The path by names of what it is for.
    var path: String
    /// The path by identifiers of what it is for.
    var identifierPath: String
    /// The one partition it is for; nil for all.
    var key: PartitionKeyValue?
    var expires: ModelTime
}
