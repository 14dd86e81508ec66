/// A reference of a class of yours, for the entities of one type.
///
/// ```swift
/// final class Person: CustomReference, @unchecked Sendable {
///     override class var staticType: EntityType { "person" }
///     var fullName: String? { self["name"]?.string }
/// }
/// datastore.register(classes: [Person.self])
/// let cleo = try await datastore.get(allPropertiesOf: [Person(named: "Cleo")])[0]
/// print((cleo as? Person)?.fullName ?? "")
/// ```
///
/// A subclass without stored properties is `Sendable` as it is.
// Unchecked because an open class cannot be checked; it adds no stored property to EntityReference.
open class CustomReference: EntityReference, @unchecked Sendable {
    /// The type of the entities; override it.
    open class var staticType: EntityType { .entity }

    /// The entity with a name; one is created when there is none.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - properties: What it has when it is created.
    public convenience init(named name: String, with properties: PropertyDictionary = [:]) {
        self.init(core: Self.core(.name(name), properties))
    }

    /// The entity with an identifier; it is created when there is none.
    ///
    /// - Parameters:
    ///   - identifier: The identifier.
    ///   - properties: What it has when it is created.
    public convenience init(
        identifiedBy identifier: String, with properties: PropertyDictionary = [:]
    ) {
        self.init(core: Self.core(.identifier(identifier), properties))
    }

    /// A new entity, each time.
    ///
    /// - Parameter properties: What it has.
    public convenience init(with properties: PropertyDictionary = [:]) {
        self.init(core: Self.core(.nothing, properties))
    }

    private static func core(
        _ lookup: ReferenceCore.Lookup, _ properties: PropertyDictionary
    ) -> ReferenceCore {
        ReferenceCore(
            lookup: lookup, creation: .init(type: staticType, properties: properties))
    }
}
