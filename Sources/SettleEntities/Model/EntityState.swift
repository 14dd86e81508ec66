/// An entity as its document holds it: the current entry of each key.
///
/// All entries of an entity ever made are a set that only grows. This is what that set comes to: of each key the
/// greatest entry. The others are history, and documents of their own.
struct EntityState: Sendable, Hashable {
    /// The identifier of the entity.
    let id: String
    /// The stamp with which the entity was first added.
    var first: Stamp
    /// The current entry of each key, those of ``Register`` among them.
    private(set) var entries: [String: Entry]
    /// When keys were last removed; nothing of them that is not later is ever shown again.
    private(set) var removals: [String: Stamp]

    /// An entity that is added.
    init(id: String, type: String, stamp: Stamp) {
        self.init(
            id: id, first: stamp,
            entries: [Register.type: Entry(content: .value(.string(type), type: nil), stamp: stamp)]
        )
    }

    /// An entity as it was stored.
    ///
    /// - Precondition: Among the entries is one of the type.
    init(id: String, first: Stamp, entries: [String: Entry], removals: [String: Stamp] = [:]) {
        self.id = id
        self.first = first
        self.entries = entries
        self.removals = removals
    }

    /// The type of the entity.
    var type: String {
        guard case .value(.string(let type), _)? = entries[Register.type]?.content else {
            preconditionFailure("Every entity has a type.")
        }
        return type
    }

    /// The greatest stamp that there is; everything done from here on comes after it.
    var lastStamp: Stamp { entries.values.reduce(first) { max($0, $1.stamp) } }

    /// Whether the entity is deleted: no value in it is later than its deletion.
    var isDeleted: Bool {
        guard let deletion = entries[Register.deletion]?.stamp else { return false }
        return entries.values.allSatisfy { entry in
            guard case .value = entry.content else { return true }
            return entry.stamp <= deletion
        }
    }

    /// The keys of the properties that have a value.
    var keys: [String] {
        entries.keys.filter { value(of: $0) != nil }
    }

    /// The current entry of a property that has a value.
    func value(of key: String) -> Entry? {
        guard key != Register.type, key != Register.deletion, let entry = entries[key],
            case .value = entry.content
        else { return nil }
        return entry
    }

    /// Takes an entry in.
    ///
    /// - Returns: The entry that is history now: the one that was current, or the one given when that is not the
    ///   greater. Nil when both are the same, when there was none, or when a removal says to forget it.
    mutating func take(_ entry: Entry, for key: String) -> Entry? {
        if key == Register.type { first = min(first, entry.stamp) }
        if entry.content == .removed { forget(key, upTo: entry.stamp) }
        guard let current = entries[key] else {
            entries[key] = entry
            return nil
        }
        if entry == current { return nil }
        let isGreater = current.precedes(entry)
        if isGreater { entries[key] = entry }
        let loser = isGreater ? current : entry
        return isForgotten(loser, of: key) ? nil : loser
    }

    /// Takes in when the entity was first added elsewhere.
    mutating func meet(_ stamp: Stamp) {
        first = min(first, stamp)
    }

    /// Whether an entry of a key is not to be shown, because the key was removed with its history.
    func isForgotten(_ entry: Entry, of key: String) -> Bool {
        removals[key].map { entry.stamp <= $0 } ?? false
    }

    private mutating func forget(_ key: String, upTo stamp: Stamp) {
        removals[key] = removals[key].map { max($0, stamp) } ?? stamp
    }

    /// Takes all entries of another version of the entity in.
    ///
    /// Commutative, associative and idempotent: whatever versions are merged, in whatever order and however often,
    /// the outcome is the greatest entry of each key, and the entries that were superseded are the others.
    ///
    /// - Returns: The entries that are history now, by key.
    /// - Precondition: Both are versions of one entity.
    mutating func merge(_ other: EntityState) -> [(key: String, entry: Entry)] {
        precondition(id == other.id, "Versions of two entities cannot be merged.")
        first = min(first, other.first)
        for (key, stamp) in other.removals { forget(key, upTo: stamp) }
        var superseded: [(key: String, entry: Entry)] = []
        for (key, entry) in other.entries.sorted(by: { $0.key < $1.key }) {
            if let loser = take(entry, for: key) { superseded.append((key, loser)) }
        }
        return superseded
    }
}
