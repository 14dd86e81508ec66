/// A struct of the app as a typed view of an entity: of the properties that it has members for.
///
/// ```swift
/// struct Contact: EntityView {
///     static let entityType: EntityType = "person"
///     var identifier = UUID().uuidString
///     var name: String
///     var born: Date?
///     var boss: EntityLink?
/// }
/// ```
///
/// Members are properties with their names, or those that `CodingKeys` say. Numbers, texts, truth values, dates and `Data`
/// are kept as such (a whole `Double` as an integer, unless the property holds a double), ``EntityLink`` as a relationship; arrays and dictionaries with text keys, and structs, as lists and
/// dictionaries. Properties that the view has no member for are left alone.
public protocol EntityView: Codable, Sendable {
    /// The type of the entities.
    static var entityType: EntityType { get }
    /// The identifier of the entity.
    var identifier: String { get }
}

/// A relationship as a member of an ``EntityView``.
public struct EntityLink: Sendable, Hashable, Codable {
    /// The identifier of the entity.
    public var identifier: String

    /// A relationship to an entity, which need not be there.
    public init(_ identifier: String) {
        self.identifier = identifier
    }

    /// Refers to the entity.
    public var reference: EntityReference { Entity.identifiedBy(identifier) }

    private enum CodingKeys: String, CodingKey {
        case identifier = "\u{1}entity"
    }
}
