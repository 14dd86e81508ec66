/// The classes of references that are registered, by the types of the entities that they are for.
struct ReferenceClasses: Sendable {
    var byType: [String: CustomReference.Type] = [:]

    /// A resolved reference of the class that is registered for its type.
    func reference(_ resolved: ReferenceCore.Resolved) -> EntityReference {
        let core = ReferenceCore(lookup: .identifier(resolved.id), resolved: resolved)
        let registered = byType.isEmpty ? nil : byType[resolved.type]
        return registered.map { $0.init(core: core) } ?? EntityReference(core: core)
    }
}
