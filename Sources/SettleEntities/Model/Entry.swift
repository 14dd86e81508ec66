import SettlePrimitives

/// What an entry says of its key.
enum EntryContent: Sendable, Hashable {
    /// The property has this value; the type is nil for the one that goes with the kind of value.
    case value(Primitive, type: String?)
    /// The property has no value from here on; its history stays.
    case absent
    /// The property has no value, and nothing that came before is to be shown any more.
    case removed
    /// The entity is deleted. The content of ``Register/deletion`` alone.
    case deleted
}

extension EntryContent {
    /// Whether both say the same, to the byte.
    static func == (left: EntryContent, right: EntryContent) -> Bool {
        switch (left, right) {
        case (.value(let left, let leftType), .value(let right, let rightType)):
            left == right && leftType.map { ExactText($0) } == rightType.map { ExactText($0) }
        case (.absent, .absent), (.removed, .removed), (.deleted, .deleted): true
        default: false
        }
    }
}

/// One entry of a key: what was said, when, and by which device.
///
/// Entries are never changed.
struct Entry: Sendable, Hashable {
    var content: EntryContent
    var stamp: Stamp

    /// Whether another entry of the key takes the place of this one.
    ///
    /// The order is total, so that of any two different entries exactly one precedes: by stamp, then by the bytes of
    /// the content. Only a stamp from outside can be that of two entries.
    func precedes(_ other: Entry) -> Bool {
        if stamp != other.stamp { return stamp < other.stamp }
        if content == other.content { return false }
        let (left, right) = (EntryForm.sortKey(of: content), EntryForm.sortKey(of: other.content))
        return left.lexicographicallyPrecedes(right)
    }
}

/// The keys of entries that are no properties.
enum Register {
    /// The entity's type: each entry is a creation.
    static let type = "type"
    /// Whether the entity is deleted.
    ///
    /// No property has an empty key.
    static let deletion = ""
}
