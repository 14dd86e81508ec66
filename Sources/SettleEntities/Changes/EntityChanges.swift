/// What one commit has changed in the entities of a datastore.
public struct EntityChanges: Sendable, Hashable {
    /// The operation that made the changes.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// Entities were created while they were asked for.
        case get
        /// Entities or entries were added.
        case add
        /// Properties were changed; also by a replication, an import, or something else than the datastore.
        case update
        /// Properties were removed.
        case remove
        /// Entities were deleted.
        case delete
    }

    /// The operation.
    public var action: Action
    /// The entities that were not there, or were deleted, before.
    ///
    /// References are resolved and have no properties.
    public var added: Set<EntityReference>
    /// The entities with other properties than before, those that were added not among them.
    public var changed: Set<EntityReference>
    /// The entities that are not there any more.
    public var deleted: Set<EntityReference>
    /// The keys of the properties that were added, changed or removed, of any of the entities.
    public var keys: Set<PropertyKey>
    /// True when a replication brought the changes.
    public var isFromReplication: Bool

    /// Changes; none unless given.
    ///
    /// - Parameters:
    ///   - action: The operation.
    ///   - added: The entities that were not there.
    ///   - changed: The entities with other properties.
    ///   - deleted: The entities that are not there any more.
    ///   - keys: The keys of the properties.
    ///   - isFromReplication: True when a replication brought them.
    public init(
        action: Action, added: Set<EntityReference> = [], changed: Set<EntityReference> = [],
        deleted: Set<EntityReference> = [], keys: Set<PropertyKey> = [],
        isFromReplication: Bool = false
    ) {
        self.action = action
        self.added = added
        self.changed = changed
        self.deleted = deleted
        self.keys = keys
        self.isFromReplication = isFromReplication
    }

    var isEmpty: Bool { added.isEmpty && changed.isEmpty && deleted.isEmpty }

    /// Takes in what came later: what was added and then changed is added, what was added and then deleted is neither.
    mutating func merge(_ later: EntityChanges) {
        for reference in later.deleted {
            if added.remove(reference) == nil { deleted.insert(reference) }
            changed.remove(reference)
        }
        for reference in later.added {
            if deleted.remove(reference) == nil {
                added.insert(reference)
            } else {
                changed.insert(reference)
            }
        }
        changed.formUnion(later.changed.subtracting(added))
        keys.formUnion(later.keys)
        isFromReplication = isFromReplication || later.isFromReplication
    }
}
