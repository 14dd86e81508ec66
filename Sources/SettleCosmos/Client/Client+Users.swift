import SettleDocuments

// Users and permissions.

extension Cosmos.Client {
    /// Makes a user of a database; see ``create(_:as:in:options:)``.
    @discardableResult
    public func create(
        userWithId id: String, inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.User> {
        try await create(
            Cosmos.ResourceBody(writing: ["id": .string(id)]), as: Cosmos.User.self,
            in: .database(databaseId))
    }

    /// Makes a user of a database; see ``create(_:as:in:options:)``.
    @discardableResult
    public func create(
        userWithId id: String, in database: Cosmos.Database
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.User> {
        try await create(
            Cosmos.ResourceBody(writing: ["id": .string(id)]), as: Cosmos.User.self,
            in: try database.link())
    }

    /// The users of a database; see ``list(_:in:maxPerPage:continuation:options:)``.
    public func get(
        usersIn databaseId: String, maxPerPage: Int? = nil
    ) -> Cosmos.Pages<Cosmos.User> {
        list(Cosmos.User.self, in: .database(databaseId), maxPerPage: maxPerPage)
    }

    /// The users of a database; see ``list(_:in:maxPerPage:continuation:options:)``.
    public func get(
        usersIn database: Cosmos.Database, maxPerPage: Int? = nil
    ) -> Cosmos.Pages<Cosmos.User> {
        list(Cosmos.User.self, ofResource: database, maxPerPage: maxPerPage)
    }

    /// Reads a user; see ``get(_:at:options:)``.
    public func get(
        userWithId id: String, inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.User> {
        try await get(Cosmos.User.self, at: .user(id, inDatabase: databaseId))
    }

    /// Reads a user; see ``get(_:at:options:)``.
    public func get(
        userWithId id: String, in database: Cosmos.Database
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.User> {
        try await get(Cosmos.User.self, at: try Self.link(.user, id, in: database))
    }

    /// Gives a user another id, whatever its version.
    @discardableResult
    public func replace(
        userWithId id: String, withNewUserId newId: String, inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.User> {
        try await rename(.user(id, inDatabase: databaseId), newId)
    }

    /// Gives a user another id, whatever its version.
    @discardableResult
    public func replace(
        userWithId id: String, withNewUserId newId: String, in database: Cosmos.Database
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.User> {
        try await rename(try Self.link(.user, id, in: database), newId)
    }

    private func rename(
        _ link: Cosmos.Link, _ newId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.User> {
        try Cosmos.IdentifierRule.check(newId, of: .user)
        return try await replace(
            Cosmos.User.self, with: Cosmos.ResourceBody(writing: ["id": .string(newId)]),
            at: link, matching: nil, partition: .unspecified, options: .init())
    }

    /// Removes a user with all permissions; see ``delete(at:withPartitionKey:options:)``.
    @discardableResult
    public func delete(
        userWithId id: String, fromDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Void> {
        try await delete(at: .user(id, inDatabase: databaseId))
    }

    /// Removes a user with all permissions; see ``delete(at:withPartitionKey:options:)``.
    @discardableResult
    public func delete(
        userWithId id: String, from database: Cosmos.Database
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Void> {
        try await delete(at: try Self.link(.user, id, in: database))
    }

    /// Makes a permission.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - mode: What it allows.
    ///   - link: The resource that it is for, with all below.
    ///   - userId: The id of the user.
    ///   - databaseId: The id of the database.
    /// - Returns: The permission with its token.
    /// - Throws: As ``create(_:as:in:options:)``.
    @discardableResult
    public func create(
        permissionWithId id: String, mode: Cosmos.PermissionMode, in link: Cosmos.Link,
        forUser userId: String, inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Permission> {
        try await create(
            Self.permission(id, mode, link), as: Cosmos.Permission.self,
            in: .user(userId, inDatabase: databaseId))
    }

    /// Makes a permission for a resource that was read; see
    /// ``create(permissionWithId:mode:in:forUser:inDatabase:)``.
    @discardableResult
    public func create<R: Cosmos.Resource>(
        permissionWithId id: String, mode: Cosmos.PermissionMode, in resource: R,
        forUser user: Cosmos.User
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Permission> {
        try await create(
            Self.permission(id, mode, try Self.place(of: resource)), as: Cosmos.Permission.self,
            in: try user.link())
    }

    /// Where a resource is for a permission: the service wants its own identifiers where it has given them.
    private static func place(
        of resource: some Cosmos.Resource
    ) throws(Cosmos.ClientError) -> Cosmos.Link {
        if let known = resource.body.selfLink { return known }
        return try resource.link()
    }

    /// The permissions of a user; see ``list(_:in:maxPerPage:continuation:options:)``.
    public func get(
        permissionsFor userId: String, inDatabase databaseId: String, maxPerPage: Int? = nil
    ) -> Cosmos.Pages<Cosmos.Permission> {
        list(
            Cosmos.Permission.self, in: .user(userId, inDatabase: databaseId),
            maxPerPage: maxPerPage)
    }

    /// The permissions of a user; see ``list(_:in:maxPerPage:continuation:options:)``.
    public func get(
        permissionsFor user: Cosmos.User, maxPerPage: Int? = nil
    ) -> Cosmos.Pages<Cosmos.Permission> {
        list(Cosmos.Permission.self, ofResource: user, maxPerPage: maxPerPage)
    }

    /// Reads a permission, with a fresh token; see ``get(_:at:options:)``.
    public func get(
        permissionWithId id: String, forUser userId: String, inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Permission> {
        try await get(
            Cosmos.Permission.self,
            at: .user(userId, inDatabase: databaseId).child(.permission, id))
    }

    /// Reads a permission, with a fresh token; see ``get(_:at:options:)``.
    public func get(
        permissionWithId id: String, forUser user: Cosmos.User
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Permission> {
        try await get(Cosmos.Permission.self, at: try Self.link(.permission, id, in: user))
    }

    /// Puts another permission in place of one, whatever its version.
    @discardableResult
    public func replace<R: Cosmos.Resource>(
        permissionWithId id: String, mode: Cosmos.PermissionMode, in resource: R,
        forUser user: Cosmos.User
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Permission> {
        try await replace(
            Cosmos.Permission.self,
            with: Self.permission(id, mode, try Self.place(of: resource)),
            at: try Self.link(.permission, id, in: user), matching: nil,
            partition: .unspecified, options: .init())
    }

    /// Puts another permission in place of one, whatever its version.
    @discardableResult
    public func replace(
        permissionWithId id: String, mode: Cosmos.PermissionMode, in link: Cosmos.Link,
        forUser userId: String, inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Permission> {
        try await replace(
            Cosmos.Permission.self, with: Self.permission(id, mode, link),
            at: .user(userId, inDatabase: databaseId).child(.permission, id), matching: nil,
            partition: .unspecified, options: .init())
    }

    /// Removes a permission; see ``delete(at:withPartitionKey:options:)``.
    @discardableResult
    public func delete(
        permissionWithId id: String, fromUser userId: String, inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Void> {
        try await delete(at: .user(userId, inDatabase: databaseId).child(.permission, id))
    }

    /// Removes a permission; see ``delete(at:withPartitionKey:options:)``.
    @discardableResult
    public func delete(
        permissionWithId id: String, fromUser user: Cosmos.User
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Void> {
        try await delete(at: try Self.link(.permission, id, in: user))
    }

    private static func permission(
        _ id: String, _ mode: Cosmos.PermissionMode, _ link: Cosmos.Link
    ) -> Cosmos.ResourceBody {
        Cosmos.ResourceBody(writing: [
            "id": .string(id), "permissionMode": .string(mode.rawValue),
            "resource": .string(link.text),
        ])
    }
}
