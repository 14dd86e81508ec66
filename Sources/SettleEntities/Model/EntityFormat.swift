/// The names of the members of entities' documents; Docs/Formats/Entities.md.
enum EntityFormat {
    /// The layout of entities that this release writes.
    ///
    /// It reads this one and ``nested``, and no later one.
    static let current: Int64 = 2
    /// The first layout of entities: an entry is an object under `properties`, with its value and all else.
    static let nested: Int64 = 1
    /// The layout of superseded entries.
    ///
    /// It is still the first, so that every release makes the same document of the same entry.
    static let entryLayout: Int64 = 1

    /// The layout of a document.
    ///
    /// Only the documents of entities and of their entries have this member.
    static let format = "entityFormat"
    static let type = "type"
    static let datestamp = "datestamp"
    static let counter = "counter"
    static let device = "device"
    /// The latest datestamp in the document, where that is not the first.
    static let modified = "modified"
    /// The stamp of the current type, where that is not the first.
    static let created = "created"
    /// The stamp of the last deletion.
    static let deletion = "deletion"
    /// Present, and true, when the entity is deleted.
    static let isDeleted = "isDeleted"
    /// When keys were last removed with their history.
    static let removals = "removals"
    /// The current values by key.
    static let properties = "properties"
    /// What is to be said of an entry beside its value, by key.
    static let entries = "entries"

    /// The members of an entity's document that are the entity's; all others are an app's own.
    static let entityMembers: Set<String> = [
        format, type, datestamp, counter, device, modified, created, deletion, isDeleted, removals,
        properties, entries, "id",
    ]

    /// The keys that every entity has, and no property.
    static let guaranteedKeys: Set<String> = ["datestamp", "identifier", "type"]

    static let value = "value"
    /// The kind of value, where JSON does not tell.
    static let kind = "kind"
    /// What an entry without a value says.
    static let state = "state"

    /// The member `type` of a document that is an entry of the history.
    static let entryType = "entity-entry"
    static let entity = "entity"
    static let key = "key"
    static let entry = "entry"
}
