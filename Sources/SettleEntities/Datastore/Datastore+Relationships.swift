import Settle

/// A property that refers to an entity.
public struct EntityRelationship: Sendable, Hashable {
    /// The entity that has the property.
    public let source: EntityReference
    /// The key of the property.
    public let key: PropertyKey
    /// The property; its type is the kind of relationship.
    public let value: PropertyValue

    /// A relationship.
    ///
    /// - Parameters:
    ///   - source: The entity that has the property.
    ///   - key: The key of the property.
    ///   - value: The property.
    public init(source: EntityReference, key: PropertyKey, value: PropertyValue) {
        self.source = source
        self.key = key
        self.value = value
    }
}

extension Datastore {
    /// Who refers to an entity, by properties whose value is the entity, or a list or dictionary with it.
    ///
    /// The other direction needs no question: a property says to whom it refers.
    ///
    /// - Parameters:
    ///   - reference: The entity. One with an identifier need not be there; none is created.
    ///   - type: The kind of relationship; nil for all.
    /// - Returns: The relationships, by the keys and identifiers of those who refer.
    /// - Throws: As ``get(entities:)``.
    /// - Complexity: O(log n + k) for k relationships.
    public func relationships(
        to reference: EntityReference, type: PropertyType? = nil
    ) async throws -> [EntityRelationship] {
        var target = reference.identifier
        if target == nil {
            target = try await reading { _, resolver in
                try resolver.resolve(reference, creating: false)
            }
        }
        guard let target else { return [] }
        let rows = try await database.runQuery(
            on: EntityIndex.name, with: EntityIndex.referring(to: target)
        ).rows
        return try database.read { snapshot in
            try rows.compactMap { row in
                guard let id = row.documentId, let key = row.keyJSON[2]?.stringValue,
                    let state = try snapshot.liveEntity(id), let value = state.shown(key),
                    value.value?.entities.contains(target) ?? false,
                    type == nil || value.type == type
                else { return nil }
                return EntityRelationship(
                    source: hub.reference(.init(state, properties: state.properties([key]))),
                    key: PropertyKey(key), value: value)
            }
        }
    }
}
