public import SettleDocuments
public import Foundation

// Stored procedures, by the ids of collection and database and by the collection.

extension Cosmos.Client {
    /// Makes a stored procedure.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - code: A function in JavaScript.
    ///   - collectionId: The id of the collection.
    ///   - databaseId: The id of the database.
    /// - Returns: The stored procedure.
    /// - Throws: As ``create(_:as:in:options:)``.
    @discardableResult
    public func create(
        storedProcedureWithId id: String, andBody code: String, inCollection collectionId: String,
        inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.StoredProcedure> {
        try await create(id, code, in: .collection(collectionId, inDatabase: databaseId))
    }

    /// Makes a stored procedure; see ``create(storedProcedureWithId:andBody:inCollection:inDatabase:)``.
    @discardableResult
    public func create(
        storedProcedureWithId id: String, andBody code: String,
        in collection: Cosmos.DocumentCollection
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.StoredProcedure> {
        try await create(id, code, in: try collection.link())
    }

    /// The stored procedures of a collection; see ``list(_:in:maxPerPage:continuation:options:)``.
    public func get(
        storedProceduresIn collectionId: String, inDatabase databaseId: String,
        maxPerPage: Int? = nil
    ) -> Cosmos.Pages<Cosmos.StoredProcedure> {
        list(
            Cosmos.StoredProcedure.self, in: .collection(collectionId, inDatabase: databaseId),
            maxPerPage: maxPerPage)
    }

    /// The stored procedures of a collection; see ``list(_:in:maxPerPage:continuation:options:)``.
    public func get(
        storedProceduresIn collection: Cosmos.DocumentCollection, maxPerPage: Int? = nil
    ) -> Cosmos.Pages<Cosmos.StoredProcedure> {
        list(Cosmos.StoredProcedure.self, ofResource: collection, maxPerPage: maxPerPage)
    }

    /// Reads a stored procedure; see ``get(_:at:options:)``.
    public func get(
        storedProcedureWithId id: String, inCollection collectionId: String,
        inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.StoredProcedure> {
        try await get(
            Cosmos.StoredProcedure.self,
            at: .collection(collectionId, inDatabase: databaseId).child(.storedProcedure, id))
    }

    /// Puts other code in place of a stored procedure's, whatever its version.
    @discardableResult
    public func replace(
        storedProcedureWithId id: String, andBody code: String, inCollection collectionId: String,
        inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.StoredProcedure> {
        try await replace(
            code,
            at: .collection(collectionId, inDatabase: databaseId).child(.storedProcedure, id))
    }

    /// Removes a stored procedure; see ``delete(at:withPartitionKey:options:)``.
    @discardableResult
    public func delete(
        storedProcedureWithId id: String, fromCollection collectionId: String,
        fromDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Void> {
        try await delete(
            at: .collection(collectionId, inDatabase: databaseId).child(.storedProcedure, id))
    }

    /// Runs a stored procedure.
    ///
    /// It is never sent twice by itself unless the service did not begin, since it may have written something.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - parameters: The arguments of its function.
    ///   - key: The partition key of the documents that it works with.
    ///   - collectionId: The id of the collection.
    ///   - databaseId: The id of the database.
    /// - Returns: What its function gave, as the service sent it: JSON as a rule.
    /// - Throws: ``Cosmos/ClientError`` with `badRequest` when the code fails, and as the service answers.
    @discardableResult
    public func execute(
        storedProcedureWithId id: String, usingParameters parameters: [JSONValue] = [],
        andPartitionKey key: Cosmos.PartitionKey? = nil, inCollection collectionId: String,
        inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Data> {
        try await execute(
            .collection(collectionId, inDatabase: databaseId).child(.storedProcedure, id),
            parameters,
            key)
    }

    /// Runs a stored procedure; see
    /// ``execute(storedProcedureWithId:usingParameters:andPartitionKey:inCollection:inDatabase:)``.
    @discardableResult
    public func execute(
        _ procedure: Cosmos.StoredProcedure, usingParameters parameters: [JSONValue] = [],
        andPartitionKey key: Cosmos.PartitionKey? = nil
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Data> {
        try await execute(try procedure.link(), parameters, key)
    }

    /// Reads a stored procedure; see ``get(_:at:options:)``.
    public func get(
        storedProcedureWithId id: String, in collection: Cosmos.DocumentCollection
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.StoredProcedure> {
        try await get(
            Cosmos.StoredProcedure.self, at: try Self.link(.storedProcedure, id, in: collection))
    }

    /// Removes a stored procedure; see ``delete(at:withPartitionKey:options:)``.
    @discardableResult
    public func delete(
        storedProcedureWithId id: String, from collection: Cosmos.DocumentCollection
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Void> {
        try await delete(at: try Self.link(.storedProcedure, id, in: collection))
    }

    /// Puts other code in place of a stored procedure's, whatever its version.
    @discardableResult
    public func replace(
        storedProcedureWithId id: String, andBody code: String,
        in collection: Cosmos.DocumentCollection
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.StoredProcedure> {
        try await replace(code, at: try Self.link(.storedProcedure, id, in: collection))
    }

    /// Runs a stored procedure; see
    /// ``execute(storedProcedureWithId:usingParameters:andPartitionKey:inCollection:inDatabase:)``.
    @discardableResult
    public func execute(
        storedProcedureWithId id: String, usingParameters parameters: [JSONValue] = [],
        andPartitionKey key: Cosmos.PartitionKey? = nil, in collection: Cosmos.DocumentCollection
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Data> {
        try await execute(
            try Self.link(.storedProcedure, id, in: collection), parameters, key)
    }

    private func execute(
        _ link: Cosmos.Link, _ parameters: [JSONValue], _ key: Cosmos.PartitionKey?
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Data> {
        var operation = Cosmos.Operation(.execute, .storedProcedure, at: link)
        operation.body = try .json(.array(parameters))
        operation.partition = key.map { .key($0) } ?? .unspecified
        let response = try await perform(operation)
        guard case .bytes(let bytes) = response.content else {
            return Cosmos.Response(Data(), response)
        }
        return Cosmos.Response(Data(bytes), response)
    }
}
