import Settle

/// All entries of an entity that are to be shown.
struct EntityHistory {
    /// One entry of a key.
    struct Element {
        var key: String
        var entry: Entry
        var isCurrent: Bool
    }

    let state: EntityState
    /// The entries, the earliest first.
    let elements: [Element]

    /// Reads the history of an entity.
    ///
    /// - Parameters:
    ///   - state: The entity.
    ///   - keys: The keys; nil for all, those of ``Register`` among them.
    ///   - snapshot: Where it is.
    /// - Throws: What reading throws.
    /// - Complexity: O(k) for k entries.
    init(of state: EntityState, keys: Set<String>?, in snapshot: Snapshot) throws {
        self.state = state
        var elements: [Element] = []
        func add(_ record: EntryRecord) {
            // What was superseded elsewhere may be current here, until the entity itself arrives.
            guard !state.isForgotten(record.entry, of: record.key),
                state.entries[record.key] != record.entry
            else { return }
            elements.append(.init(key: record.key, entry: record.entry, isCurrent: false))
        }
        if let keys {
            for key in keys {
                try snapshot.forEachEntry(of: state.id, key: key) { record, _ in
                    add(record)
                    return true
                }
            }
        } else {
            try snapshot.forEachEntry(of: state.id) { record, _ in
                add(record)
                return true
            }
        }
        for (key, entry) in state.entries where keys?.contains(key) ?? true {
            elements.append(.init(key: key, entry: entry, isCurrent: true))
        }
        self.elements = elements.sorted { left, right in
            if left.entry.stamp != right.entry.stamp { return left.entry.stamp < right.entry.stamp }
            // A creation comes before what the entity was created with.
            let (leftKey, rightKey) = (Self.order(of: left.key), Self.order(of: right.key))
            if leftKey != rightKey { return leftKey < rightKey }
            return left.entry.precedes(right.entry)
        }
    }

    private static func order(of key: String) -> String { key == Register.type ? "" : "=" + key }

    var shown: [PropertyEntry] {
        elements.map { PropertyEntry($0.entry, of: $0.key, in: state.id, isCurrent: $0.isCurrent) }
    }
}

extension Snapshot {
    /// An entity as it was at a moment: of each key the greatest entry that is not later.
    ///
    /// - Parameters:
    ///   - state: The entity as it is.
    ///   - moment: The moment.
    /// - Returns: The entity; nil when it was not there yet, or deleted. Whether it was there, and when it was last changed,
    ///   follows from all of its keys.
    /// - Throws: What reading throws.
    /// - Complexity: O(log n) for each key that was changed since.
    func entity(_ state: EntityState, asOf moment: Int64) throws -> EntityState? {
        guard state.first.moment <= moment else { return nil }
        var entries: [String: Entry] = [:]
        entries.reserveCapacity(state.entries.count)
        for (key, entry) in state.entries {
            entries[key] =
                entry.stamp.moment <= moment
                ? entry : try self.entry(of: key, in: state, asOf: moment)
        }
        // An entity of which the first creation was pruned had the type that it has.
        if entries[Register.type] == nil, let type = state.entries[Register.type] {
            entries[Register.type] = Entry(content: type.content, stamp: state.first)
        }
        let past = EntityState(
            id: state.id, first: state.first, entries: entries, removals: state.removals)
        return past.isDeleted ? nil : past
    }

    private func entry(
        of key: String, in state: EntityState, asOf moment: Int64
    ) throws -> Entry? {
        var found: Entry?
        try forEachEntry(of: state.id, key: key, upTo: moment) { record, _ in
            // They come by datestamp, the latest first, and in no particular order where that is equal.
            if let known = found, record.entry.stamp.moment < known.stamp.moment { return false }
            guard !state.isForgotten(record.entry, of: key) else { return true }
            if found.map({ $0.precedes(record.entry) }) ?? true { found = record.entry }
            return true
        }
        return found
    }
}

extension Document {
    /// Whether the entity was there at a moment and nothing in it is later.
    func isEntityUnchanged(since moment: Int64) -> Bool {
        let text = string(EntityFormat.modified) ?? string(EntityFormat.datestamp)
        guard let last = text.flatMap(Moment.microseconds(of:)) else { return false }
        return last <= moment
    }
}
