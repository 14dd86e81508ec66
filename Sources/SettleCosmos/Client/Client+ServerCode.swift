public import SettleDocuments
public import Foundation

// Stored procedures, user-defined functions and triggers: what is the same for them is one function each.

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
        try await replace(id, code, in: .collection(collectionId, inDatabase: databaseId))
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
        try await replace(id, code, in: .collection(collectionId, inDatabase: databaseId))
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

    /// Makes a trigger.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - operation: The writes that it is for.
    ///   - moment: When it runs.
    ///   - code: A function in JavaScript.
    ///   - collectionId: The id of the collection.
    ///   - databaseId: The id of the database.
    /// - Returns: The trigger.
    /// - Throws: As ``create(_:as:in:options:)``.
    @discardableResult
    public func create(
        triggerWithId id: String, operation: Cosmos.Trigger.Operation,
        type moment: Cosmos.Trigger.Moment, andBody code: String, inCollection collectionId: String,
        inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Trigger> {
        try await create(
            id, code, Self.members(operation, moment),
            in: .collection(collectionId, inDatabase: databaseId))
    }

    /// Makes a trigger; see ``create(triggerWithId:operation:type:andBody:inCollection:inDatabase:)``.
    @discardableResult
    public func create(
        triggerWithId id: String, operation: Cosmos.Trigger.Operation,
        type moment: Cosmos.Trigger.Moment, andBody code: String,
        in collection: Cosmos.DocumentCollection
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Trigger> {
        try await create(id, code, Self.members(operation, moment), in: try collection.link())
    }

    /// The triggers of a collection; see ``list(_:in:maxPerPage:continuation:options:)``.
    public func get(
        triggersIn collectionId: String, inDatabase databaseId: String, maxPerPage: Int? = nil
    ) -> Cosmos.Pages<Cosmos.Trigger> {
        list(
            Cosmos.Trigger.self, in: .collection(collectionId, inDatabase: databaseId),
            maxPerPage: maxPerPage)
    }

    /// The triggers of a collection; see ``list(_:in:maxPerPage:continuation:options:)``.
    public func get(
        triggersIn collection: Cosmos.DocumentCollection, maxPerPage: Int? = nil
    ) -> Cosmos.Pages<Cosmos.Trigger> {
        list(Cosmos.Trigger.self, ofResource: collection, maxPerPage: maxPerPage)
    }

    /// Reads a trigger; see ``get(_:at:options:)``.
    public func get(
        triggerWithId id: String, inCollection collectionId: String, inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Trigger> {
        try await get(
            Cosmos.Trigger.self,
            at: .collection(collectionId, inDatabase: databaseId).child(.trigger, id))
    }

    /// Puts another trigger in place of one, whatever its version.
    @discardableResult
    public func replace(
        triggerWithId id: String, operation: Cosmos.Trigger.Operation,
        type moment: Cosmos.Trigger.Moment, andBody code: String, inCollection collectionId: String,
        inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Trigger> {
        try await replace(
            id, code, Self.members(operation, moment),
            in: .collection(collectionId, inDatabase: databaseId))
    }

    /// Removes a trigger; see ``delete(at:withPartitionKey:options:)``.
    @discardableResult
    public func delete(
        triggerWithId id: String, fromCollection collectionId: String,
        fromDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Void> {
        try await delete(at: .collection(collectionId, inDatabase: databaseId).child(.trigger, id))
    }
}

extension Cosmos.Client {
    private static func members(
        _ operation: Cosmos.Trigger.Operation, _ moment: Cosmos.Trigger.Moment
    ) -> [String: JSONValue] {
        [
            "triggerOperation": .string(operation.rawValue),
            "triggerType": .string(moment.rawValue),
        ]
    }

    private static func body(
        _ id: String, _ code: String, _ others: [String: JSONValue]
    ) -> Cosmos.ResourceBody {
        Cosmos.ResourceBody(
            writing: others.merging(["id": .string(id), "body": .string(code)]) { $1 })
    }

    private func create<Code: Cosmos.ServerCode>(
        _ id: String, _ code: String, _ others: [String: JSONValue] = [:],
        in collection: Cosmos.Link
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Code> {
        try await create(Self.body(id, code, others), as: Code.self, in: collection)
    }

    private func replace<Code: Cosmos.ServerCode>(
        _ id: String, _ code: String, _ others: [String: JSONValue] = [:],
        in collection: Cosmos.Link
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Code> {
        try await replace(
            Code.self, with: Self.body(id, code, others),
            at: collection.child(Code.resourceType, id), matching: nil, partition: .unspecified,
            options: .init())
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
