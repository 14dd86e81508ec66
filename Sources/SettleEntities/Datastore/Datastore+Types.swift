import Settle

// Types that conform to types. That is said by entities, so it is replicated and merged like everything else.

extension PropertyKey {
    /// What the keys of the types begin with that a type conforms to.
    static let conformsTo = "conformsTo"
}

extension Datastore {
    /// Says that a type conforms to others: whoever asks for those finds its entities, too.
    ///
    /// Conforming is transitive, and everything conforms to ``EntityType/entity``. It is kept as an entity of the type
    /// ``EntityType/typeConformance``, with the name of the type and a property for each type it conforms to. Types that
    /// conform to each other, which two devices may come to, are found by each other's names.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - others: The types that it conforms to, beside those that were said before.
    /// - Throws: As ``add(properties:)``.
    public func declare(_ type: EntityType, conformingTo others: [EntityType]) async throws {
        let reference = Self.declaration(of: type)
        reference.addUpdates(["name": type.rawValue])
        for other in others {
            var update = PropertyDictionary()
            update[PropertyKey("\(PropertyKey.conformsTo)-\(other)")] = .string(other.rawValue)
            reference.addUpdates(update)
        }
        try await update(properties: [reference])
    }

    /// Takes back that a type conforms to others.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - others: The types that it conforms to no longer.
    /// - Throws: As ``remove(properties:of:)``.
    public func retract(_ type: EntityType, conformingTo others: [EntityType]) async throws {
        try await remove(
            properties: Set(others.map { PropertyKey("\(PropertyKey.conformsTo)-\($0)") }),
            of: [Self.declaration(of: type)])
    }

    private static func declaration(of type: EntityType) -> EntityReference {
        Entity.identifiedBy(
            "\(EntityType.typeConformance)-\(type)", createAs: .typeConformance)
    }

    /// All types that a type conforms to: itself, what was declared, and `entity`.
    ///
    /// - Parameter type: The type.
    /// - Returns: The types.
    /// - Throws: As ``get(allEntitiesOfType:)``.
    /// - Complexity: O(d) for d types for which something was declared.
    public func conformances(for type: EntityType) async throws -> Set<EntityType> {
        let declared = try await declaredConformances()
        return TypeConformance.closure(of: type) { declared[$0] ?? [] }.union([.entity])
    }

    /// The type and all types that conform to it.
    func conformingTypes(of type: EntityType) async throws -> Set<EntityType> {
        var reversed: [EntityType: Set<EntityType>] = [:]
        for (type, others) in try await declaredConformances() {
            for other in others { reversed[other, default: []].insert(type) }
        }
        return TypeConformance.closure(of: type) { reversed[$0] ?? [] }
    }

    /// The types of the entities that there are, sorted; conforming types stand for themselves.
    ///
    /// - Returns: The types with the number of their entities.
    /// - Throws: What the database throws.
    /// - Complexity: O(t log n) for t types.
    public func getAllEntityTypes() async throws -> [(type: EntityType, count: Int)] {
        var query = EntityIndex.types
        query.group = true
        return try await database.runQuery(on: EntityIndex.name, with: query).rows.compactMap {
            row in
            EntityIndex.type(ofKey: row.keyJSON).map {
                (type: EntityType($0), count: row.valueJSON.integerValue.map { Int($0) } ?? 0)
            }
        }
    }

    private func declaredConformances() async throws -> [EntityType: Set<EntityType>] {
        var query = EntityIndex.ofType(EntityType.typeConformance.rawValue)
        query.reduce = false
        query.includeDocuments = true
        var declared: [EntityType: Set<EntityType>] = [:]
        for row in try await database.runQuery(on: EntityIndex.name, with: query).rows {
            guard let state = try row.document.flatMap({ try EntityState($0) }),
                let name = state.shown(PropertyKey.name.name)?.value?.string
            else { continue }
            for key in state.keys where key.hasPrefix(PropertyKey.conformsTo) {
                guard let other = state.shown(key)?.value?.string else { continue }
                declared[EntityType(name), default: []].insert(EntityType(other))
            }
        }
        return declared
    }
}
