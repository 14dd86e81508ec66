import Settle

// Entities as structs of the app.

extension Datastore {
    /// Reads an entity as a view.
    ///
    /// - Parameters:
    ///   - type: The view.
    ///   - identifier: The identifier of the entity.
    /// - Returns: The view; nil when there is no such entity, or it is of a type that is not the view's and does not conform
    ///   to it.
    /// - Throws: ``DatastoreError`` with `unreadable` and the `DecodingError` as its cause when the entity has not the
    ///   properties of the view; otherwise as ``get(entities:)``.
    public func get<View: EntityView>(
        _ type: View.Type, identifiedBy identifier: String
    ) async throws -> View? {
        let types = try await conformingTypes(of: type.entityType)
        return try database.read { snapshot in
            guard let state = try snapshot.liveEntity(identifier),
                type.entityType == .entity || types.contains(EntityType(state.type))
            else { return nil }
            return try Self.view(type, state)
        }
    }

    /// Reads all entities of the view's type, and of those that conform to it, as views.
    ///
    /// - Parameter type: The view.
    /// - Returns: The views, in the order of their identifiers by type.
    /// - Throws: As ``get(_:identifiedBy:)``, of the first that cannot be read.
    public func getAll<View: EntityView>(_ type: View.Type) async throws -> [View] {
        let ids = try await identifiers(ofType: type.entityType)
        return try database.read { snapshot in
            try ids.compactMap { id in
                try snapshot.liveEntity(id).map { try Self.view(type, $0) }
            }
        }
    }

    /// Stores a view: the entity is created when it is missing, and properties that differ get a new entry.
    ///
    /// Members that are nil say nothing; ``update(_:identifiedBy:_:)`` clears what became nil. A property keeps the type that
    /// it has, as long as its kind of value stays the same.
    ///
    /// - Parameter view: The view.
    /// - Throws: As ``add(properties:)``; what encoding the view throws.
    public func save<View: EntityView>(_ view: View) async throws {
        let properties = try ViewForm.properties(of: view)
        try await writing(.update) { editor, resolver in
            _ = try resolver.resolve(
                Entity.identifiedBy(view.identifier, createAs: View.entityType))
            try editor.write(properties, of: view.identifier, resolver)
        }
    }

    /// Reads an entity as a view, changes it, and writes what the change made different, in one transaction.
    ///
    /// What became nil is cleared, and stays in the history.
    ///
    /// - Parameters:
    ///   - type: The view.
    ///   - identifier: The identifier of the entity.
    ///   - change: Changes the view; it may be called more than once.
    /// - Returns: The view as it was stored; nil when there is no such entity, and nothing was done.
    /// - Throws: As ``get(_:identifiedBy:)`` and ``save(_:)``; what `change` throws.
    /// - Precondition: The change leaves the identifier as it is.
    @discardableResult
    public func update<View: EntityView>(
        _ type: View.Type, identifiedBy identifier: String,
        _ change: @escaping @Sendable (inout View) throws -> Void
    ) async throws -> View? {
        try await writing(.update) { editor, resolver in
            guard let state = try editor.state(identifier), !state.isDeleted else { return nil }
            var view = try Self.view(type, state)
            let before = try ViewForm.properties(of: view)
            try change(&view)
            precondition(view.identifier == identifier, "A view stays that of its entity.")
            let after = try ViewForm.properties(of: view)
            for key in before.keys.sorted() where after[key] == nil {
                try editor.put(.absent, for: key, of: identifier)
            }
            try editor.write(after.filter { before[$0.key] != $0.value }, of: identifier, resolver)
            return view
        }
    }

    private static func view<View: EntityView>(_ type: View.Type, _ state: EntityState) throws
        -> View
    {
        do {
            return try ViewForm.view(type, state)
        } catch let error as DecodingError {
            throw DatastoreError(
                .unreadable,
                "The entity '\(state.id)' has not the properties of \(type): its cause says which one.",
                entity: state.id, cause: error)
        }
    }
}

extension EntityEditor {
    /// Adds entries for the properties that differ from what an entity has.
    fileprivate func write(
        _ properties: [String: Primitive], of id: String, _ resolver: Resolver
    ) throws {
        for (key, value) in properties.sorted(by: { $0.key < $1.key }) {
            var type: PropertyType?
            var written = value
            if case .value(let current, let known)? = try state(id)?.entries[key]?.content {
                // The coders write 2.0 as 2.
                if case .double = current, let number = value.double { written = .double(number) }
                if current.kind == written.kind { type = known.map { PropertyType($0) } }
            }
            try resolver.write(
                PropertyValue(written, type: type), for: PropertyKey(key), of: id,
                onlyIfDifferent: true)
        }
    }
}
