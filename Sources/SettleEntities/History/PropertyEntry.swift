public import Foundation

/// One entry of the history of an entity: what was said of a key, when, and on which device.
public struct PropertyEntry: Sendable, Hashable {
    /// What an entry says.
    public enum Change: Sendable, Hashable {
        /// The entity was created, with a type.
        case created(EntityType)
        /// The property got a value.
        case set(PropertyValue)
        /// The property had no value from here on, because the entity was created anew.
        case cleared
        /// The property was removed with its history.
        case removed
        /// The entity was deleted.
        case deleted
    }

    /// The identifier of the entity.
    public let entity: String
    /// The key of the property; ``PropertyKey/type`` of a creation, and of a deletion, which concerns all keys.
    public let key: PropertyKey
    /// What the entry says.
    public let change: Change
    /// When the entry was made, by the clock of its device.
    public let datestamp: Date
    /// Which one it is of the entries that had to come after another of the same datestamp; mostly 0.
    public let counter: Int
    /// The device that made it; empty where that is not known, as in an interchange that does not say.
    public let device: String
    /// True for the entry that the entity has now.
    public let isCurrent: Bool

    /// The value that the property got; nil when the entry says something else.
    public var value: PropertyValue? { if case .set(let value) = change { value } else { nil } }

    init(_ entry: Entry, of key: String, in entity: String, isCurrent: Bool) {
        self.entity = entity
        self.key = key == Register.deletion ? .type : PropertyKey(key)
        switch entry.content {
        case .value(.string(let type), _) where key == Register.type:
            change = .created(EntityType(type))
        case .value(let value, let type):
            change = .set(
                PropertyValue(
                    value, type: type.map { PropertyType($0) },
                    datestamp: Moment.date(entry.stamp.moment)))
        case .absent: change = .cleared
        case .removed: change = .removed
        case .deleted: change = .deleted
        }
        datestamp = Moment.date(entry.stamp.moment)
        counter = Int(entry.stamp.counter)
        device = entry.stamp.device
        self.isCurrent = isCurrent
    }
}
