import Foundation

/// What a reference is made of: how the entity is found, what is created when it is missing, and what was read.
///
/// Handed from the initializers of a ``CustomReference`` to ``EntityReference/init(core:)``, as it is.
public struct ReferenceCore: Sendable {
    /// How an entity is found.
    ///
    /// What is large is in a box, so that a reference is copied in little time.
    enum Lookup: Sendable, Hashable {
        /// Matches nothing.
        case nothing
        case identifier(String)
        case name(String)
        /// By the identifier, else by the name.
        case identifierOrName(String, String)
        indirect case key(PropertyKey, PropertyValue)

        /// The identifier and the name, which are looked for by their bytes.
        var texts: [String] {
            switch self {
            case .nothing, .key: []
            case .identifier(let text), .name(let text): [text]
            case .identifierOrName(let identifier, let name): [identifier, name]
            }
        }
    }

    /// What is created when there is none.
    struct Creation: Sendable, Hashable {
        var type: EntityType
        var properties: PropertyDictionary
    }

    /// What an operation has read.
    enum Resolved: Sendable {
        /// An entity as it is stored.
        case stored(StoredEntity)
        /// One that an operation has changed, or as it was at a date.
        indirect case made(Made)

        /// An entity that was decoded.
        struct Made: Sendable {
            var id: String
            var type: String
            var first: Stamp
            var last: Stamp
            var properties: PropertyDictionary
        }
    }

    var lookup: Lookup
    var creation: Creation?
    var resolved: Resolved?

    init(lookup: Lookup, creation: Creation? = nil, resolved: Resolved? = nil) {
        self.lookup = lookup
        self.creation = creation
        self.resolved = resolved
    }
}
