public import Foundation
import Settle

// What was: every value that a property had, entities as they were, and what changed between.

extension Datastore {
    /// All entries of a property, the earliest first; the last but for entries of the future is what it is now.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - reference: The entity, which is not created; one that is deleted has its history when it is named by its
    ///     identifier.
    /// - Returns: The entries; none when there is no such entity, or it never had the property.
    /// - Throws: As ``get(entities:)``.
    /// - Complexity: O(log n + k) for k entries.
    public func history(
        of key: PropertyKey, in reference: EntityReference
    ) async throws -> [PropertyEntry] {
        try await reading(about: [reference]) { snapshot, resolver in
            guard let text = try resolver.text(of: key, creating: false) else { return [] }
            return try resolver.history(of: reference, keys: [text], in: snapshot)?.shown ?? []
        }
    }

    /// All entries of all properties of an entity, the earliest first, with its creations and deletions.
    ///
    /// - Parameter reference: The entity; see ``history(of:in:)``.
    /// - Returns: The entries.
    /// - Throws: As ``get(entities:)``.
    /// - Complexity: O(log n + k) for k entries.
    public func history(of reference: EntityReference) async throws -> [PropertyEntry] {
        try await reading(about: [reference]) { snapshot, resolver in
            try resolver.history(of: reference, keys: nil, in: snapshot)?.shown ?? []
        }
    }

    /// Reads entities with all their properties as they were at a date.
    ///
    /// What counts are the datestamps of the entries, whenever they arrived here: a device whose clock is wrong has written
    /// its entries at the wrong date. Removed properties are not shown for the time before their removal.
    ///
    /// - Parameters:
    ///   - references: The entities, found as they are now; one that is deleted by now has to be named by its identifier.
    ///   - date: The date.
    /// - Returns: A reference for each, in their order; not resolved where the entity was not there, or deleted, then.
    /// - Throws: As ``get(entities:)``.
    /// - Complexity: O(log n) for each property that was changed since.
    public func get(
        allPropertiesOf references: [EntityReference], asOf date: Date
    ) async throws -> [EntityReference] {
        try await get(references, asOf: date, keys: nil)
    }

    /// Reads some properties of entities as they were at a date; see ``get(allPropertiesOf:asOf:)``.
    public func get(
        properties keys: Set<PropertyKey>, of references: [EntityReference], asOf date: Date
    ) async throws -> [EntityReference] {
        try await get(references, asOf: date, keys: keys)
    }

    private func get(
        _ references: [EntityReference], asOf date: Date, keys: Set<PropertyKey>?
    ) async throws -> [EntityReference] {
        let moment = Moment.clamped(date)
        return try await reading(about: references) { [hub] snapshot, resolver in
            let texts = try keys.map { keys in
                Set(try keys.compactMap { try resolver.text(of: $0, creating: false) })
            }
            return try references.map { reference in
                // What was not changed since is as it is.
                if let id = reference.plainIdentifier,
                    let document = try snapshot.liveEntityDocument(id),
                    document.isEntityUnchanged(since: moment)
                {
                    return hub.reference(.stored(StoredEntity(document, keys: texts)))
                }
                guard let state = try resolver.known(reference),
                    let past = try snapshot.entity(state, asOf: moment)
                else { return reference.unresolved }
                return hub.reference(.init(past, properties: past.properties(texts)))
            }
        }
    }

    /// What changed in entities between two dates: the entries with a datestamp after the first and not after the second.
    ///
    /// - Parameters:
    ///   - references: The entities; nil for all that are not deleted.
    ///   - start: The first date.
    ///   - end: The second date.
    /// - Returns: The entries, entity by entity, of each the earliest first.
    /// - Throws: As ``get(entities:)``.
    /// - Complexity: The history of the entities; with nil, of those that were changed since the first date.
    public func changes(
        of references: [EntityReference]? = nil, after start: Date, through end: Date
    ) async throws -> [PropertyEntry] {
        let (start, end) = (Moment.clamped(start), Moment.clamped(end))
        var chosen = references
        if chosen == nil {
            let rows = try await database.runQuery(
                on: EntityIndex.name, with: EntityIndex.changed(since: start)
            ).rows
            chosen = rows.compactMap(\.documentId).sorted().map { Entity.identifiedBy($0) }
        }
        let asked = chosen ?? []
        return try await reading(about: asked) { snapshot, resolver in
            try asked.flatMap { reference -> [PropertyEntry] in
                guard let history = try resolver.history(of: reference, keys: nil, in: snapshot)
                else {
                    return []
                }
                return history.elements.filter {
                    (start + 1...max(start + 1, end)).contains($0.entry.stamp.moment) && start < end
                }
                .map {
                    PropertyEntry(
                        $0.entry, of: $0.key, in: history.state.id, isCurrent: $0.isCurrent)
                }
            }
        }
    }

    /// Puts old values back: each becomes a new entry of its property, of now.
    ///
    /// An entity that is deleted is brought back by that.
    ///
    /// - Parameter entries: Entries that ``history(of:in:)`` and its like returned; those without a value are passed over.
    /// - Returns: The entities with the properties that were put back.
    /// - Throws: As ``add(properties:)``; ``DatastoreError`` with `unresolved` when an entity is not there at all.
    @discardableResult
    public func putBack(_ entries: [PropertyEntry]) async throws -> [EntityReference] {
        try await writing(.update) { [hub] editor, resolver in
            var keys: [String: Set<String>] = [:]
            var order: [String] = []
            for entry in entries {
                guard var value = entry.value else { continue }
                guard try editor.state(entry.entity) != nil else {
                    throw DatastoreError(
                        .unresolved,
                        "The entity '\(entry.entity)' is not in this store, so nothing can be put back into it.",
                        entity: entry.entity, key: entry.key.description)
                }
                value.datestamp = nil
                try resolver.write(value, for: entry.key, of: entry.entity)
                if keys[entry.entity] == nil { order.append(entry.entity) }
                keys[entry.entity, default: []].insert(entry.key.name)
            }
            return try order.compactMap { id in
                try editor.state(id).map { state in
                    hub.reference(.init(state, properties: state.properties(keys[id])))
                }
            }
        }
    }
}

extension Resolver {
    /// The entity that a reference means, also when it is deleted and the reference has its identifier.
    func known(_ reference: EntityReference) throws -> EntityState? {
        let id = try resolve(reference, creating: false) ?? reference.identifier
        return try id.flatMap { try state($0) }
    }

    /// The history of an entity; nil when there is no such entity.
    func history(
        of reference: EntityReference, keys: Set<String>?, in snapshot: Snapshot
    ) throws -> EntityHistory? {
        try known(reference).map { try EntityHistory(of: $0, keys: keys, in: snapshot) }
    }
}
