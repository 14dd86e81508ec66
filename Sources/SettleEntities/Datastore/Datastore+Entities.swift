import Settle

// Entities, in lists.

extension Datastore {
    /// Finds an entity, or creates it where the reference says what.
    ///
    /// - Parameter reference: The reference.
    /// - Returns: A resolved reference without properties; one that is not resolved when there is no such entity.
    /// - Throws: As ``get(entities:)``.
    public func get(entity reference: EntityReference) async throws -> EntityReference {
        try await get(entities: [reference])[0]
    }

    /// Finds entities, or creates them where the references say what.
    ///
    /// - Parameter references: The references.
    /// - Returns: A reference for each, in their order: resolved, without properties, or not resolved where there is no such
    ///   entity.
    /// - Throws: ``DatastoreError`` with `unreadable` or `newerFormat`; `invalidIdentifier`, `invalidType`, `invalidKey`,
    ///   `invalidValue`, `invalidDatestamp`, `unresolved` or `documentExists` when one cannot be created, and none is
    ///   then; what the database throws.
    /// - Complexity: O(log n) for each.
    public func get(entities references: [EntityReference]) async throws -> [EntityReference] {
        try await reading(about: references) { [self] _, resolver in
            try self.storedReferences(references, resolver, keys: [])
        }
    }

    /// Finds entities by their identifiers.
    ///
    /// - Parameter identifiers: The identifiers.
    /// - Returns: A reference for each, in their order.
    /// - Throws: As ``get(entities:)``.
    public func get(entitiesWithIDs identifiers: [String]) async throws -> [EntityReference] {
        try await get(entities: identifiers.map { Entity.identifiedBy($0) })
    }

    /// Finds the entity of a type that has a value for a key, or creates it.
    ///
    /// - Parameters:
    ///   - type: The type; one that conforms to it will do.
    ///   - key: The key.
    ///   - value: The value.
    ///   - createIfMissing: False to create none.
    /// - Returns: A resolved reference; one that is not resolved when there is none and none is created.
    /// - Throws: As ``get(entities:)``.
    public func get(
        entityOfType type: EntityType, where key: PropertyKey,
        equals value: any PropertyConvertible, createIfMissing: Bool = true
    ) async throws -> EntityReference {
        let value = value.propertyValue
        return try await get(
            type, where: key, oneOf: [value], createIfMissing: createIfMissing)[0]
    }

    /// Finds all entities of a type that have one of several texts for a key, or creates those that are missing.
    ///
    /// - Parameters:
    ///   - type: The type; those that conform to it will do.
    ///   - key: The key.
    ///   - values: The texts.
    ///   - createIfMissing: False to create none.
    /// - Returns: Text by text, in the order of the texts: a resolved reference for each entity that has it, in the order in
    ///   which they were added; where there is none, one for what was created, or one that is not resolved.
    /// - Throws: As ``get(entities:)``.
    public func get(
        entitiesOfType type: EntityType, where key: PropertyKey, contains values: Set<String>,
        createIfMissing: Bool = true
    ) async throws -> [EntityReference] {
        try await get(
            type, where: key, oneOf: values.sorted().map { PropertyValue(.string($0)) },
            createIfMissing: createIfMissing)
    }

    private func get(
        _ type: EntityType, where key: PropertyKey, oneOf values: [PropertyValue],
        createIfMissing: Bool
    ) async throws -> [EntityReference] {
        let types = Set(try await conformingTypes(of: type).map(\.rawValue))
        return try await reading { [self] snapshot, resolver in
            try values.flatMap { value -> [EntityReference] in
                let lookup = Entity.whereKey(key, equals: value)
                let found = try resolver.resolveAll(lookup, ofTypes: type == .entity ? nil : types)
                if !found.isEmpty {
                    return found.map {
                        hub.reference(.init($0, properties: PropertyDictionary()))
                    }
                }
                guard createIfMissing else { return [lookup] }
                let creation = Entity.createAs(type, with: PropertyDictionary([key: value]))
                return try references([creation], resolver) { _ in PropertyDictionary() }
            }
        }
    }

    /// All entities of a type and of the types that conform to it, in the order of their identifiers by type.
    ///
    /// - Parameter type: The type.
    /// - Returns: Resolved references without properties.
    /// - Throws: ``DatastoreError`` with `unreadable` or `newerFormat`; what the database throws.
    /// - Complexity: O(k) for k entities, all in memory; an index of your own gives pages.
    public func get(allEntitiesOfType type: EntityType) async throws -> [EntityReference] {
        try await entities(ofType: type, properties: [])
    }

    /// All entities, in the order of their identifiers by type.
    ///
    /// - Returns: Resolved references without properties.
    /// - Throws: As ``get(allEntitiesOfType:)``.
    public func getAllEntities() async throws -> [EntityReference] {
        try await get(allEntitiesOfType: .entity)
    }

    /// The entities of a type with some of their properties; nil for all.
    func entities(ofType type: EntityType, properties keys: Set<String>?) async throws
        -> [EntityReference]
    {
        let ids = try await identifiers(ofType: type)
        return try database.read { snapshot in
            try ids.compactMap { id in
                try snapshot.liveEntityDocument(id).map { document in
                    hub.reference(.stored(StoredEntity(document, keys: keys)))
                }
            }
        }
    }

    /// The identifiers of the entities of a type and of those that conform to it.
    func identifiers(ofType type: EntityType) async throws -> [String] {
        var ids: [String] = []
        for each in try await rangesOfType(type) {
            var query = each
            query.reduce = false
            ids += try await database.readRows(
                of: EntityIndex.name, with: query, into: [String]()
            ) { ids, row in ids.append(try row.documentId) }
        }
        return ids
    }

    /// The rows of the types that conform to a type.
    private func rangesOfType(_ type: EntityType) async throws -> [QueryByKeyRange] {
        if type == .entity { return [EntityIndex.types] }
        return try await conformingTypes(of: type).map(\.rawValue).sorted()
            .map { EntityIndex.ofType($0) }
    }

    /// Counts the entities of types, each with the types that conform to it.
    ///
    /// - Parameter types: The types.
    /// - Returns: The count for each, in their order.
    /// - Throws: What the database throws.
    /// - Complexity: O(log n) for each type and each type that conforms to it.
    public func count(entitiesOfTypes types: [EntityType]) async throws -> [Int] {
        var counts: [Int] = []
        for type in types {
            var count = 0
            for range in try await rangesOfType(type) {
                let rows = try await database.runQuery(on: EntityIndex.name, with: range).rows
                count += rows.first?.valueJSON.integerValue.map { Int($0) } ?? 0
            }
            counts.append(count)
        }
        return counts
    }

    /// Deletes entities.
    ///
    /// A deletion is an entry with a datestamp: it is replicated and merged like one, and the entity's history stays. Reads,
    /// counts and types pass the entity over. A property that another device sets later brings the entity back; creating
    /// it again makes one that has nothing of what it had.
    ///
    /// - Parameter references: The entities; those that are not there are passed over, and none is created.
    /// - Throws: As ``get(entities:)``.
    public func delete(entities references: [EntityReference]) async throws {
        try await writing(.delete, about: references) { editor, resolver in
            for reference in references {
                guard let id = try resolver.resolve(reference, creating: false) else { continue }
                try editor.put(.deleted, for: Register.deletion, of: id)
                resolver.forget(reference)
            }
        }
    }
}
