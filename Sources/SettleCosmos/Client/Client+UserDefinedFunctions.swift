// User-defined functions, by the ids of collection and database and by the collection.

extension Cosmos.Client {
    /// Makes a user-defined function; the parameters are those of a stored procedure.
    @discardableResult
    public func create(
        userDefinedFunctionWithId id: String, andBody code: String,
        inCollection collectionId: String, inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.UserDefinedFunction> {
        try await create(id, code, in: .collection(collectionId, inDatabase: databaseId))
    }

    /// Makes a user-defined function; the parameters are those of a stored procedure.
    @discardableResult
    public func create(
        userDefinedFunctionWithId id: String, andBody code: String,
        in collection: Cosmos.DocumentCollection
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.UserDefinedFunction> {
        try await create(id, code, in: try collection.link())
    }

    /// The user-defined functions of a collection; see ``list(_:in:maxPerPage:continuation:options:)``.
    public func get(
        userDefinedFunctionsIn collectionId: String, inDatabase databaseId: String,
        maxPerPage: Int? = nil
    ) -> Cosmos.Pages<Cosmos.UserDefinedFunction> {
        list(
            Cosmos.UserDefinedFunction.self, in: .collection(collectionId, inDatabase: databaseId),
            maxPerPage: maxPerPage)
    }

    /// The user-defined functions of a collection; see ``list(_:in:maxPerPage:continuation:options:)``.
    public func get(
        userDefinedFunctionsIn collection: Cosmos.DocumentCollection, maxPerPage: Int? = nil
    ) -> Cosmos.Pages<Cosmos.UserDefinedFunction> {
        list(Cosmos.UserDefinedFunction.self, ofResource: collection, maxPerPage: maxPerPage)
    }

    /// Reads a user-defined function; see ``get(_:at:options:)``.
    public func get(
        userDefinedFunctionWithId id: String, inCollection collectionId: String,
        inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.UserDefinedFunction> {
        try await get(
            Cosmos.UserDefinedFunction.self,
            at: .collection(collectionId, inDatabase: databaseId).child(.userDefinedFunction, id))
    }

    /// Puts other code in place of a user-defined function's, whatever its version.
    @discardableResult
    public func replace(
        userDefinedFunctionWithId id: String, andBody code: String,
        inCollection collectionId: String, inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.UserDefinedFunction> {
        try await replace(
            code,
            at: .collection(collectionId, inDatabase: databaseId).child(.userDefinedFunction, id))
    }

    /// Removes a user-defined function; see ``delete(at:withPartitionKey:options:)``.
    @discardableResult
    public func delete(
        userDefinedFunctionWithId id: String, fromCollection collectionId: String,
        fromDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Void> {
        try await delete(
            at: .collection(collectionId, inDatabase: databaseId).child(.userDefinedFunction, id))
    }

    /// Reads a user-defined function; see ``get(_:at:options:)``.
    public func get(
        userDefinedFunctionWithId id: String, in collection: Cosmos.DocumentCollection
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.UserDefinedFunction> {
        try await get(
            Cosmos.UserDefinedFunction.self,
            at: try Self.link(.userDefinedFunction, id, in: collection))
    }

    /// Removes a user-defined function; see ``delete(at:withPartitionKey:options:)``.
    @discardableResult
    public func delete(
        userDefinedFunctionWithId id: String, from collection: Cosmos.DocumentCollection
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Void> {
        try await delete(at: try Self.link(.userDefinedFunction, id, in: collection))
    }

    /// Puts other code in place of a user-defined function's, whatever its version.
    @discardableResult
    public func replace(
        userDefinedFunctionWithId id: String, andBody code: String,
        in collection: Cosmos.DocumentCollection
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.UserDefinedFunction> {
        try await replace(code, at: try Self.link(.userDefinedFunction, id, in: collection))
    }
}
