public import Foundation
import SettlePrimitives
import Synchronization

/// Refers to an entity: by its identifier, its name, one of its properties, or because an operation returned it.
///
/// References are made by ``Entity`` and belong to no store, no task and no thread. One that is made is not resolved: it
/// says how the entity is found, and may say what is created when there is none. The operation that it is given to finds
/// out. Those that operations return are resolved, and have the properties that were asked for, as they were then: there
/// is no faulting. A reference that matched nothing is returned not resolved.
///
/// Two references are equal when they are resolved to the same identifier, or are not resolved and say the same.
///
/// ```swift
/// let bob = Entity.named("Bob", createAs: "person")
/// let anna = Entity.named("Anna", createAs: "person", with: ["boss": bob, "born": Date()])
/// let found = try await datastore.get(entity: anna)
/// print(found.identifier ?? "", found.isResolved)
/// ```
// Unchecked because an open class cannot be checked. The stored properties are constants of Sendable types and one that
// guards itself; a subclass that adds others must keep to that.
open class EntityReference: @unchecked Sendable {
    let core: ReferenceCore
    /// What is to be written by the next `add` or `update`.
    private let updatesBox = Lock(PropertyDictionary())

    /// A reference from what the datastore, or an initializer of a ``CustomReference``, hands over.
    public required init(core: ReferenceCore) {
        self.core = core
    }

    /// The identifier; nil while it is not known: of a reference by anything else that is not resolved.
    public var identifier: String? {
        if let resolved = core.resolved { return resolved.id }
        if case .identifier(let identifier) = core.lookup { return identifier }
        return nil
    }

    /// The type; of a reference that is not resolved, that of what would be created.
    public var type: EntityType? {
        core.resolved.map { EntityType($0.type) } ?? core.creation?.type
    }

    /// Whether an operation found, or created, the entity.
    public var isResolved: Bool { core.resolved != nil }

    /// When the entity was first added; nil of a reference that is not resolved.
    public var datestamp: Date? { core.resolved?.first.map { Moment.date($0.moment) } }

    /// When anything in the entity was last changed; nil of a reference that is not resolved.
    public var modified: Date? { core.resolved?.last.map { Moment.date($0.moment) } }

    /// The properties that the operation was asked for, without those that something else than a datastore has spoilt; of a reference that is not resolved, none.
    public var properties: PropertyDictionary { core.resolved?.properties ?? PropertyDictionary() }

    /// The keys of ``properties``.
    public var keys: Set<PropertyKey> { properties.keys }
    /// How many properties the operation was asked for and found.
    public var count: Int { properties.count }

    /// The plain value of a property that was asked for; nil when there is none.
    public subscript(key: PropertyKey) -> Primitive? { core.resolved?.value(of: key) }
    /// The plain value of a property that was asked for; nil when there is none, or it has another type.
    public subscript(key: PropertyKey, as type: PropertyType) -> Primitive? {
        properties[key, as: type]
    }
    /// The type of a property that was asked for.
    public subscript(typeWithKey key: PropertyKey) -> PropertyType? { properties[typeWithKey: key] }
    /// When a property that was asked for was set.
    public subscript(datestampWithKey key: PropertyKey) -> Date? {
        properties[datestampWithKey: key]
    }
    /// A property that was asked for, with type and datestamp.
    public subscript(valueWithKey key: PropertyKey) -> PropertyValue? {
        properties[valueWithKey: key]
    }
    /// The entity that is the value of a property that was asked for.
    public subscript(referenceWithKey key: PropertyKey) -> EntityReference? {
        properties[referenceWithKey: key]
    }

    /// Properties that the next ``Datastore/add(properties:)`` or ``Datastore/update(properties:)`` with this
    /// reference writes.
    ///
    /// They stay, so give a reference to one of those once, or make another.
    public func addUpdates(_ properties: PropertyDictionary) {
        updatesBox.withLock { $0.merge(properties) }
    }

    /// What is to be written.
    var updates: PropertyDictionary { updatesBox.withLock { $0 } }
}

extension EntityReference: Hashable {
    /// What makes references equal.
    private enum Identity: Hashable {
        case entity(ExactText)
        /// One that creates an entity each time, or matches nothing, is like no other.
        case object(ObjectIdentifier)
        case lookup(ReferenceCore.Lookup, ReferenceCore.Creation?, [ExactText])
    }

    private var identity: Identity {
        if let resolved = core.resolved { return .entity(ExactText(resolved.id)) }
        if core.lookup == .nothing { return .object(ObjectIdentifier(self)) }
        return .lookup(core.lookup, core.creation, core.lookup.texts.map { ExactText($0) })
    }

    /// Whether both refer to the same; see the type.
    public static func == (left: EntityReference, right: EntityReference) -> Bool {
        left.identity == right.identity
    }

    /// Feeds what the reference refers to into the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
    }
}
