/// An entity with all of its entries, as the interchange has it.
struct EntityVersion: Sendable, Hashable {
    /// One entry of a key.
    struct Element: Sendable, Hashable {
        var key: String
        var entry: Entry
    }

    var id: String
    var first: Stamp
    /// Entries in any order, those of ``Register`` among them; at least one creation.
    var elements: [Element]

    /// The creation that an entity that is not there yet begins with.
    var creation: Entry? { elements.first { $0.key == Register.type }?.entry }
}
