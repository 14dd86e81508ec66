/// Makes references.
///
/// Each form finds an entity, and with `createAs` creates one when there is none; the properties given are those of what
/// is created, and are not looked at when it exists.
public enum Entity {
    /// A new entity, each time.
    ///
    /// - Parameters:
    ///   - type: Its type.
    ///   - properties: Its properties.
    /// - Returns: A reference that is not resolved.
    public static func createAs(
        _ type: EntityType, with properties: PropertyDictionary = [:]
    ) -> EntityReference {
        reference(.nothing, type, properties)
    }

    /// The entity with an identifier.
    ///
    /// - Parameters:
    ///   - identifier: The identifier, unique over all types: 1 to 255 bytes that begin with neither `_` nor `~`.
    ///   - type: The type of what is created when it is missing; nil to create nothing.
    ///   - properties: The properties of what is created.
    /// - Returns: A reference that is not resolved.
    public static func identifiedBy(
        _ identifier: String, createAs type: EntityType? = nil,
        with properties: PropertyDictionary = [:]
    ) -> EntityReference {
        reference(.identifier(identifier), type, properties)
    }

    /// The entity whose property `name` is a text.
    ///
    /// Of several it is the one that was added first.
    ///
    /// - Parameters:
    ///   - name: The name; what is created gets it.
    ///   - type: The type of what is created when it is missing; nil to create nothing.
    ///   - properties: The other properties of what is created.
    /// - Returns: A reference that is not resolved.
    public static func named(
        _ name: String, createAs type: EntityType? = nil, with properties: PropertyDictionary = [:]
    ) -> EntityReference {
        reference(.name(name), type, properties)
    }

    /// The entity with an identifier, or else the one with a name.
    ///
    /// - Parameters:
    ///   - identifier: The identifier; what is created gets it.
    ///   - name: The name; what is created gets it.
    ///   - type: The type of what is created when it is missing; nil to create nothing.
    ///   - properties: The other properties of what is created.
    /// - Returns: A reference that is not resolved.
    public static func with(
        identifier: String, orName name: String, createAs type: EntityType? = nil,
        with properties: PropertyDictionary = [:]
    ) -> EntityReference {
        reference(.identifierOrName(identifier, name), type, properties)
    }

    /// The entity that has a value for a key.
    ///
    /// Of several it is the one that was added first.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - value: The value; its type and datestamp are not looked at. What is created gets it.
    ///   - type: The type of what is created when it is missing; nil to create nothing.
    ///   - properties: The other properties of what is created.
    /// - Returns: A reference that is not resolved.
    public static func whereKey(
        _ key: PropertyKey, equals value: any PropertyConvertible, createAs type: EntityType? = nil,
        with properties: PropertyDictionary = [:]
    ) -> EntityReference {
        reference(.key(key, value.propertyValue), type, properties)
    }

    private static func reference(
        _ lookup: ReferenceCore.Lookup, _ type: EntityType?, _ properties: PropertyDictionary
    ) -> EntityReference {
        EntityReference(
            core: ReferenceCore(
                lookup: lookup, creation: type.map { .init(type: $0, properties: properties) }))
    }
}
