import Settle

extension Datastore {
    /// Runs a closure with a resolver: in a snapshot, or in a transaction where it has to create something.
    func reading<Value: Sendable>(
        about references: [EntityReference] = [],
        _ body: @escaping @Sendable (Snapshot, Resolver) throws -> Value
    ) async throws -> Value {
        let lookups = references.reduce(into: [PropertyLookup]()) { $1.addLookups(to: &$0) }
        return try await LookupAnswers.withAnswers(of: database, asking: lookups) { answers in
            do {
                return try database.read { snapshot in
                    try body(snapshot, Resolver(snapshot, answers, editor: nil))
                }
            } catch is Resolver.NeedsCreation {
                return try await write(.get, answers, nil) { editor, resolver in
                    let value = try body(editor.transaction, resolver)
                    try editor.finish()
                    return value
                }
            }
        }
    }

    /// Runs a closure that changes entities, in one transaction.
    func writing<Value: Sendable>(
        _ action: EntityChanges.Action, about references: [EntityReference] = [],
        collector: ChangeCollector? = nil,
        _ body: @escaping @Sendable (EntityEditor, Resolver) throws -> Value
    ) async throws -> Value {
        let lookups = references.reduce(into: [PropertyLookup]()) {
            $1.addLookupsWithUpdates(to: &$0)
        }
        return try await LookupAnswers.withAnswers(of: database, asking: lookups) { answers in
            try await write(action, answers, collector, body)
        }
    }

    private func write<Value: Sendable>(
        _ action: EntityChanges.Action, _ answers: LookupAnswers, _ collector: ChangeCollector?,
        _ body: @escaping @Sendable (EntityEditor, Resolver) throws -> Value
    ) async throws -> Value {
        let (hub, device, now) = (hub, device, now)
        return try await database.write { transaction in
            if hub.hasListeners {
                _ = transaction.localState(of: hub) { EntityChangeHub.Operation(action, collector) }
            }
            let editor = EntityEditor(transaction, device: device, now: now)
            let value = try body(editor, Resolver(transaction, answers, editor: editor))
            try editor.finish()
            return value
        }
    }

    /// References to what was resolved, or those that were given where that is nothing.
    func references(
        _ given: [EntityReference], _ resolver: Resolver,
        _ properties: (EntityState) throws -> PropertyDictionary
    ) throws -> [EntityReference] {
        try given.map { reference in
            guard let id = try resolver.resolve(reference), let state = try resolver.state(id)
            else {
                return reference.unresolved
            }
            return hub.reference(.init(state, properties: try properties(state)))
        }
    }
}

extension Datastore {
    /// References to what was resolved, with some of the properties as they are stored; nil for all.
    func storedReferences(
        _ given: [EntityReference], _ resolver: Resolver, keys: Set<String>?
    ) throws -> [EntityReference] {
        guard resolver.isReading else {
            return try references(given, resolver) { $0.properties(keys) }
        }
        let classes = hub.classes
        return try given.map { reference in
            // The usual case, without the tables that the others need.
            if let id = reference.plainIdentifier {
                guard let document = try resolver.snapshot.liveEntityDocument(id) else {
                    return reference.unresolved
                }
                return classes.reference(.stored(StoredEntity(document, keys: keys)))
            }
            guard let id = try resolver.resolve(reference), let document = try resolver.document(id)
            else { return reference.unresolved }
            return classes.reference(.stored(StoredEntity(document, keys: keys)))
        }
    }
}

extension EntityReference {
    /// The identifier, where there is nothing else to find the entity by and nothing to create.
    var plainIdentifier: String? {
        if core.creation != nil, core.resolved == nil { return nil }
        return identifier
    }

    /// The reference without what an operation had read.
    var unresolved: EntityReference {
        guard core.resolved != nil else { return self }
        return EntityReference(core: ReferenceCore(lookup: core.lookup, creation: core.creation))
    }
}
