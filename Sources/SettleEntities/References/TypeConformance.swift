/// Follows what conforms to what.
enum TypeConformance {
    /// What can be reached from a type, itself included.
    static func closure(
        of type: EntityType, _ next: (EntityType) -> Set<EntityType>
    ) -> Set<EntityType> {
        var found: Set<EntityType> = [type]
        var open = [type]
        while let type = open.popLast() {
            for other in next(type) where found.insert(other).inserted { open.append(other) }
        }
        return found
    }
}
