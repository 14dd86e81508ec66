import Settle

// Properties of entities, in lists.

extension Datastore {
    /// Reads some properties of entities, which are created where the references say so.
    ///
    /// - Parameters:
    ///   - keys: The keys. One that an entity lacks is absent in the result.
    ///   - references: The entities.
    ///   - inheriting: True to take what an entity lacks from its prototype, that of the prototype, and so on.
    /// - Returns: A reference for each, in their order, with the properties; not resolved where there is no such entity.
    /// - Throws: As ``get(entities:)``.
    public func get(
        properties keys: Set<PropertyKey>, of references: [EntityReference],
        inheriting: Bool = false
    ) async throws -> [EntityReference] {
        try await reading(about: references) { [self] _, resolver in
            let texts = Set(try keys.compactMap { try resolver.text(of: $0, creating: false) })
            guard inheriting else {
                return try self.storedReferences(references, resolver, keys: texts)
            }
            return try self.references(references, resolver) { state in
                try resolver.inherited(by: state, texts)
            }
        }
    }

    /// Reads some properties of entities; see ``get(properties:of:inheriting:)``.
    public func get(
        properties keys: Set<String>, of references: [EntityReference], inheriting: Bool = false
    ) async throws -> [EntityReference] {
        try await get(
            properties: Set(keys.map { PropertyKey($0) }), of: references, inheriting: inheriting)
    }

    /// Reads all properties of entities, which are created where the references say so.
    ///
    /// - Parameters:
    ///   - references: The entities.
    ///   - inheriting: True to take what an entity lacks from its prototype, that of the prototype, and so on.
    /// - Returns: A reference for each, in their order, with the properties; not resolved where there is no such entity.
    /// - Throws: As ``get(entities:)``.
    public func get(
        allPropertiesOf references: [EntityReference], inheriting: Bool = false
    ) async throws -> [EntityReference] {
        try await reading(about: references) { [self] _, resolver in
            guard inheriting else {
                return try self.storedReferences(references, resolver, keys: nil)
            }
            return try self.references(references, resolver) { state in
                try resolver.inherited(by: state, nil)
            }
        }
    }

    /// Reads all properties of all entities of a type and of those that conform to it.
    ///
    /// - Parameter type: The type.
    /// - Returns: Resolved references.
    /// - Throws: As ``get(allEntitiesOfType:)``.
    public func get(allPropertiesOfType type: EntityType) async throws -> [EntityReference] {
        try await entities(ofType: type, properties: nil)
    }

    /// Adds an entry for each property that was given to the references with ``EntityReference/addUpdates(_:)``.
    ///
    /// Always: also one with the value that the property has.
    ///
    /// - Parameter references: The entities; they are created where the references say so, and passed over otherwise when
    ///   they are not there.
    /// - Returns: A reference for each, in their order, with the properties that were written.
    /// - Throws: As ``get(entities:)``; ``DatastoreError`` with `invalidKey`, `invalidType`, `invalidValue`,
    ///   `invalidDatestamp` or `unresolved` when a property cannot be written, and nothing is then.
    @discardableResult
    public func add(properties references: [EntityReference]) async throws -> [EntityReference] {
        try await write(references, .add, onlyIfDifferent: false)
    }

    /// Adds an entry for each property whose value or type differs from what the references were given.
    ///
    /// - Parameter references: The entities; see ``add(properties:)``.
    /// - Returns: A reference for each, in their order, with the properties that were given.
    /// - Throws: As ``add(properties:)``.
    @discardableResult
    public func update(properties references: [EntityReference]) async throws -> [EntityReference] {
        try await write(references, .update, onlyIfDifferent: true)
    }

    private func write(
        _ references: [EntityReference], _ action: EntityChanges.Action, onlyIfDifferent: Bool
    ) async throws -> [EntityReference] {
        let updates = references.map(\.updates)
        return try await writing(action, about: references) { [hub] editor, resolver in
            var keys: [Set<String>] = []
            for (reference, updates) in zip(references, updates) {
                keys.append([])
                guard let id = try resolver.resolve(reference) else { continue }
                for (key, value) in updates.sorted {
                    keys[keys.count - 1].insert(
                        try resolver.write(
                            value, for: key, of: id, onlyIfDifferent: onlyIfDifferent))
                }
            }
            return try zip(references, keys).map { reference, keys in
                guard let id = try resolver.resolve(reference),
                    let written = try editor.resolved(id, keys)
                else { return reference.unresolved }
                return hub.reference(written)
            }
        }
    }

    /// Removes properties with their whole history.
    ///
    /// That is itself an entry with a datestamp, so that the values do not come back from another device, where they go
    /// too; a value that another device sets later stays.
    ///
    /// - Parameters:
    ///   - keys: The keys; those that an entity never had are passed over.
    ///   - references: The entities; those that are not there are passed over, and none is created.
    /// - Throws: As ``get(entities:)``.
    public func remove(
        properties keys: Set<PropertyKey>, of references: [EntityReference]
    ) async throws {
        try await writing(.remove, about: references) { editor, resolver in
            for reference in references {
                guard let id = try resolver.resolve(reference, creating: false) else { continue }
                for key in keys.sorted(by: { $0.description < $1.description }) {
                    guard let text = try resolver.text(of: key, creating: false),
                        !PropertyKey.guaranteed.contains(text),
                        let entry = try resolver.state(id)?.entries[text], entry.content != .removed
                    else { continue }
                    try editor.put(.removed, for: text, of: id)
                }
            }
        }
    }
}
