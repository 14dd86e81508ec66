import Settle

extension Resolver {
    /// Properties of an entity, and what it lacks of those of its prototypes, the nearest first.
    ///
    /// Prototypes that lead back to themselves end there; one that is not there, or deleted, has nothing.
    ///
    /// - Parameters:
    ///   - state: The entity.
    ///   - keys: The keys; nil for all.
    /// - Returns: The properties.
    /// - Throws: What reading a prototype throws.
    func inherited(by state: EntityState, _ keys: Set<String>?) throws -> PropertyDictionary {
        var properties = state.properties(keys)
        var seen: Set<String> = [state.id]
        var next = Self.prototype(of: state)
        while let id = next, seen.insert(id).inserted,
            let prototype = try self.state(id), !prototype.isDeleted
        {
            // Its guaranteed properties are its own.
            let own = Set(prototype.keys)
            var inherited = prototype.properties(keys.map { $0.intersection(own) })
            inherited.merge(properties)
            properties = inherited
            next = Self.prototype(of: prototype)
        }
        return properties
    }

    private static func prototype(of state: EntityState) -> String? {
        guard case .value(let value, _)? = state.value(of: PropertyKey.prototype.name)?.content
        else {
            return nil
        }
        return value.entity
    }
}
