/// The words of the interchange; Docs/Formats/Entities.md.
enum InterchangeForm {
    static let entities = "entities"
    static let identifier = "identifier"
    static let type = "type"
    static let datestamp = "datestamp"
    static let date = "date"
    static let counter = "counter"
    static let device = "device"
    static let entries = "entries"
    static let state = "state"

    /// How many bytes of text an entity may have, with its whole history; the most that JSON is read of.
    static let entityLengthMax = 1 << 30

    static let stateNames: [(content: EntryContent, name: String)] = [
        (.absent, "absent"), (.removed, "removed"), (.deleted, "deleted"),
    ]

    /// The order in which the member with the value is looked for.
    static let kinds: [Primitive.Kind] = [
        .string, .integer, .double, .boolean, .date, .entity, .data, .list, .dictionary,
    ]

    /// The order of entries of one key: by stamp, then as they precede each other.
    static func isBefore(_ left: Entry, _ right: Entry) -> Bool { left.precedes(right) }
}
