import Foundation

/// The key of a property: a label, or one of several with a common beginning.
///
/// A key is kept in the composed form of Unicode (NFC), so that `é` is one key however it was typed.
///
/// ```swift
/// address.set("555-0199", for: PropertyKey(array: "phone"))  // phone-5F1C…, one of any number
/// let club = Entity.named("Chess club", createAs: "club")
/// address.set("treasurer", for: PropertyKey(reference: club, name: "role"))  // role-<identifier>
/// ```
public struct PropertyKey: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The label; of a key with a reference, what stands before the identifier.
    public let name: String
    /// The entity whose identifier completes the key; nil for a key that is complete.
    public let reference: EntityReference?

    /// A key that is a label.
    public init(_ name: String) {
        self.name = name.asKey
        reference = nil
    }

    /// A key that is a label.
    public init(stringLiteral name: String) {
        self.init(name)
    }

    /// A key of its own for one of several values, `name-<UUID>`.
    public init(array name: String) {
        self.init("\(name)-\(UUID().uuidString)")
    }

    /// A key for a value that goes with another entity, `name-<identifier>`.
    ///
    /// - Parameters:
    ///   - reference: The entity. It is resolved, and where it says so created, by the operation that uses the key.
    ///   - name: What stands before the identifier.
    public init(reference: EntityReference, name: String) {
        self.name = name.asKey
        self.reference = reference
    }

    /// The key, once its entity is known.
    static func text(_ name: String, of identifier: String) -> String {
        "\(name)-\(identifier)".asKey
    }

    /// The key as it is stored; of a key whose reference is not resolved, the name alone.
    public var description: String {
        guard let identifier = reference?.identifier else { return name }
        return Self.text(name, of: identifier)
    }

    /// When the entity was first added; a date that every entity has.
    public static let datestamp: PropertyKey = "datestamp"
    /// The list of entities of an interchange.
    public static let entities: PropertyKey = "entities"
    /// The identifier, which every entity has.
    public static let identifier: PropertyKey = "identifier"
    /// When anything in the entity was last changed; a date that every entity has, unless it has a property with this
    /// key.
    public static let modified: PropertyKey = "modified"
    /// What entities are called, and found by with ``Entity/named(_:createAs:with:)``.
    public static let name: PropertyKey = "name"
    /// The entity from which properties are inherited.
    public static let prototype: PropertyKey = "prototype"
    /// The type, which every entity has.
    public static let type: PropertyKey = "type"

    /// The guaranteed properties, which cannot be set.
    static let guaranteed = EntityFormat.guaranteedKeys
    /// The properties that are shown without having been set.
    static let known: Set<String> = guaranteed.union(["modified"])
}
