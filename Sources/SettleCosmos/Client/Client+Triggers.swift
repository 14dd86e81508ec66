import SettleDocuments

// Triggers, by the ids of collection and database and by the collection.

extension Cosmos.Client {
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
            code, Self.members(operation, moment),
            at: .collection(collectionId, inDatabase: databaseId).child(.trigger, id))
    }

    /// Removes a trigger; see ``delete(at:withPartitionKey:options:)``.
    @discardableResult
    public func delete(
        triggerWithId id: String, fromCollection collectionId: String,
        fromDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Void> {
        try await delete(at: .collection(collectionId, inDatabase: databaseId).child(.trigger, id))
    }

    /// Reads a trigger; see ``get(_:at:options:)``.
    public func get(
        triggerWithId id: String, in collection: Cosmos.DocumentCollection
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Trigger> {
        try await get(Cosmos.Trigger.self, at: try Self.link(.trigger, id, in: collection))
    }

    /// Removes a trigger; see ``delete(at:withPartitionKey:options:)``.
    @discardableResult
    public func delete(
        triggerWithId id: String, from collection: Cosmos.DocumentCollection
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Void> {
        try await delete(at: try Self.link(.trigger, id, in: collection))
    }

    /// Puts another trigger in place of one, whatever its version.
    @discardableResult
    public func replace(
        triggerWithId id: String, operation: Cosmos.Trigger.Operation,
        type moment: Cosmos.Trigger.Moment, andBody code: String,
        in collection: Cosmos.DocumentCollection
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Trigger> {
        try await replace(
            code, Self.members(operation, moment),
            at: try Self.link(.trigger, id, in: collection))
    }

    private static func members(
        _ operation: Cosmos.Trigger.Operation, _ moment: Cosmos.Trigger.Moment
    ) -> [String: JSONValue] {
        [
            "triggerOperation": .string(operation.rawValue),
            "triggerType": .string(moment.rawValue),
        ]
    }
}
