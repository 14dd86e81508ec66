extension Cosmos.Client {
    /// What happens when the service has another version than the one that a write depends on, by the types of
    /// resources; those that are not named have ``Cosmos/ConflictStrategy/none``.
    public var conflictStrategies: [Cosmos.ResourceType: Cosmos.ConflictStrategy] {
        get { conflicts.strategies }
        set { conflicts.strategies = newValue }
    }

    /// Sets the strategy of some types of resources.
    public func register(strategy: Cosmos.ConflictStrategy, for types: Cosmos.ResourceType...) {
        conflicts.set(strategy, for: types)
    }

    /// Sets the resolver of some types of resources.
    public func register(
        resolver: @escaping Cosmos.ConflictResolver, for types: Cosmos.ResourceType...
    ) {
        conflicts.set(.custom(resolver), for: types)
    }

    /// Sets the resolver of documents that are read as one type; it comes before the strategy of all documents.
    ///
    /// It is asked about replaces. A deletion that meets another version goes by the strategy of documents.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - resolver: Makes one version of the two: what was to be written, and what the service has.
    public func register<Content: Cosmos.DocumentContent>(
        resolverForDocumentsAs type: Content.Type,
        _ resolver:
            @escaping @Sendable (_ local: Content, _ remote: Content) async throws -> Content
    ) {
        conflicts.set(
            { local, remote in
                guard let local else { return nil }
                let resolved = try await resolver(
                    Content(documentBody: local), Content(documentBody: remote))
                return try resolved.documentBody()
            }, forDocuments: Cosmos.DocumentResource<Content>.contentName)
    }
}
