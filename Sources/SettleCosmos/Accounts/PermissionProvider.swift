extension Cosmos {
    /// Gets permissions for a user of the app, from a server that has the account's key.
    ///
    /// The client asks it for what a request needs and keeps what it gives. Asked by one task at a time for
    /// the same resource and mode.
    public protocol PermissionProvider: Sendable {
        /// How the client asks.
        var configuration: PermissionProviderConfiguration { get }

        /// A permission for a collection and all that is in it.
        ///
        /// - Throws: Anything; the request fails with `permissionError` and this as its cause.
        func getPermission(
            forCollectionWithId id: String, inDatabase databaseId: String,
            withPermissionMode mode: PermissionMode
        ) async throws -> Permission

        /// A permission for a document and its attachments.
        ///
        /// - Throws: As for a collection.
        func getPermission(
            forDocumentWithId id: String, inCollection collectionId: String,
            inDatabase databaseId: String, withPermissionMode mode: PermissionMode
        ) async throws -> Permission

        /// A permission for an attachment.
        ///
        /// - Throws: As for a collection.
        func getPermission(
            forAttachmentWithId id: String, onDocument documentId: String,
            inCollection collectionId: String, inDatabase databaseId: String,
            withPermissionMode mode: PermissionMode
        ) async throws -> Permission

        /// A permission for a stored procedure; to run it takes the mode `all`.
        ///
        /// - Throws: As for a collection.
        func getPermission(
            forStoredProcedureWithId id: String, inCollection collectionId: String,
            inDatabase databaseId: String, withPermissionMode mode: PermissionMode
        ) async throws -> Permission

        /// A permission for a user-defined function.
        ///
        /// - Throws: As for a collection.
        func getPermission(
            forUserDefinedFunctionWithId id: String, inCollection collectionId: String,
            inDatabase databaseId: String, withPermissionMode mode: PermissionMode
        ) async throws -> Permission

        /// A permission for a trigger.
        ///
        /// - Throws: As for a collection.
        func getPermission(
            forTriggerWithId id: String, inCollection collectionId: String,
            inDatabase databaseId: String, withPermissionMode mode: PermissionMode
        ) async throws -> Permission
    }

    /// How a client asks a ``PermissionProvider``.
    public struct PermissionProviderConfiguration: Sendable, Hashable {
        /// The least that is asked for; a write asks for `all` whatever this is.
        public var defaultPermissionMode: PermissionMode
        /// Of which type the resources are that permissions are asked for, where a request concerns one within.
        ///
        /// With `collection`, one permission serves all documents of a collection; nil asks for exactly what a
        /// request concerns.
        public var defaultResourceType: ResourceType?
        /// How long a token is valid after it was given, in seconds.
        public var defaultTokenDuration: Double
        /// With less than this left, in seconds, another token is asked for; the old one serves when that fails.
        public var tokenRefreshThreshold: Double

        /// A configuration.
        public init(
            defaultPermissionMode: PermissionMode = .read,
            defaultResourceType: ResourceType? = .collection,
            defaultTokenDuration: Double = 3_600, tokenRefreshThreshold: Double = 600
        ) {
            self.defaultPermissionMode = defaultPermissionMode
            self.defaultResourceType = defaultResourceType
            self.defaultTokenDuration = defaultTokenDuration
            self.tokenRefreshThreshold = tokenRefreshThreshold
        }
    }
}

extension Cosmos.PermissionProvider {
    /// The usual configuration.
    public var configuration: Cosmos.PermissionProviderConfiguration { .init() }

    /// Asks for a permission by a link of ids.
    func permission(
        for link: Cosmos.Link, _ mode: Cosmos.PermissionMode
    ) async throws -> Cosmos.Permission {
        let names = link.steps.map(\.name)
        switch link.type {
        case .collection:
            return try await getPermission(
                forCollectionWithId: names[1], inDatabase: names[0], withPermissionMode: mode)
        case .document:
            return try await getPermission(
                forDocumentWithId: names[2], inCollection: names[1], inDatabase: names[0],
                withPermissionMode: mode)
        case .attachment:
            return try await getPermission(
                forAttachmentWithId: names[3], onDocument: names[2], inCollection: names[1],
                inDatabase: names[0], withPermissionMode: mode)
        case .storedProcedure:
            return try await getPermission(
                forStoredProcedureWithId: names[2], inCollection: names[1], inDatabase: names[0],
                withPermissionMode: mode)
        case .userDefinedFunction:
            return try await getPermission(
                forUserDefinedFunctionWithId: names[2], inCollection: names[1],
                inDatabase: names[0], withPermissionMode: mode)
        case .trigger:
            return try await getPermission(
                forTriggerWithId: names[2], inCollection: names[1], inDatabase: names[0],
                withPermissionMode: mode)
        case .database, .user, .permission, .offer, .partitionKeyRange:
            throw Cosmos.ClientError(
                .permissionError, "There are no permissions for a \(link.type.noun).")
        }
    }
}
