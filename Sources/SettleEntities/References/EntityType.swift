/// The type of an entity: a label, which says nothing about the properties that the entity has.
///
/// One type may conform to others; see ``Datastore/declare(_:conformingTo:)``.
public struct EntityType: EntityLabel {
    /// The label.
    public let rawValue: String

    /// The type with a label.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// What every type conforms to.
    public static let entity: EntityType = "entity"
    /// The type of the entities that say what a type conforms to.
    public static let typeConformance: EntityType = "typeConformance"
}
