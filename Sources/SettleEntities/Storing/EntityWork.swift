import Settle

/// An entity that an editor has looked at, and what was done to it.
///
/// As long as that is nothing but later values of properties, only those are read of the entity, and only those are
/// written; all else is read when it is needed.
final class EntityWork {
    /// The document as it is stored; one without members for an entity that is not there.
    private(set) var document: Document
    /// The stamp of what is done to it by the editor.
    var stamp: Stamp?
    /// The keys that have an entry of that stamp.
    var stampedKeys: Set<String> = []
    /// What is history now, and not stored yet.
    private(set) var superseded: [EntryRecord] = []
    /// The keys that were removed with their history.
    private(set) var removedKeys: Set<String> = []
    /// Whether it is among those that the editor stores.
    var isNoted = false

    private var isWhole: Bool
    /// The entity as it is stored, once it was read whole.
    private var stored: EntityState?
    /// The entity as it is by now, once it was read whole.
    private var current: EntityState?
    private var head: EntityHead??
    /// The entries that are later than all that are stored, until the entity is read whole.
    private var later: [String: Entry] = [:]

    /// An entity that is not there.
    init(id: String) {
        document = Document(id: id)
        isWhole = true
    }

    /// An entity that is there.
    ///
    /// - Throws: ``DatastoreError`` with `newerFormat`.
    init(_ document: Document) throws {
        try EntityState.checkFormat(of: document)
        self.document = document
        isWhole = false
    }

    /// Whether the entity is there, and not deleted.
    var isLive: Bool {
        guard isWhole else { return !(document.bool(EntityFormat.isDeleted) ?? false) }
        return current.map { !$0.isDeleted } ?? false
    }

    /// The entity as it is by now; nil when it is not there.
    func state() throws -> EntityState? {
        try readWhole()
        return current
    }

    private func readWhole() throws {
        if isWhole { return }
        stored = try EntityState(document)
        current = stored
        // What they supersede is noted already.
        for (key, entry) in later { _ = current?.take(entry, for: key) }
        (isWhole, later) = (true, [:])
    }

    /// What the entry of a key says by now.
    func content(of key: String) throws -> EntryContent? {
        if let entry = later[key] { return entry.content }
        guard let head = try readHead() else { return try state()?.entries[key]?.content }
        return try document.entry(of: key, in: head.first)?.content
    }

    /// The entity with some of its properties, as a reference has them.
    func resolved(_ keys: Set<String>) throws -> ReferenceCore.Resolved? {
        guard !later.isEmpty, let stamp, let head = try readHead(),
            let type = document.string(EntityFormat.type)
        else {
            return try state().map { .init($0, properties: $0.properties(keys)) }
        }
        var properties = PropertyDictionary()
        for key in keys {
            let entry = try later[key] ?? document.entry(of: key, in: head.first)
            properties[valueWithKey: PropertyKey(key)] = entry.flatMap { PropertyValue($0) }
        }
        return .made(
            .init(
                id: document.id, type: type, first: head.first, last: stamp, properties: properties)
        )
    }

    /// Adds a value that is later than everything that the entity has.
    ///
    /// - Returns: False when it may not be later, or more than the key has to be looked at; nothing was done then.
    /// - Throws: ``DatastoreError`` with `unreadable` when the entry that it supersedes cannot be read.
    func addLater(_ content: EntryContent, for key: String, at stamp: Stamp) throws -> Bool {
        guard case .value = content, self.stamp ?? stamp == stamp, !stampedKeys.contains(key),
            let head = try readHead(), head.last < stamp.moment
        else { return false }
        if let old = try document.entry(of: key, in: head.first) {
            // Where something else has written the document, its last moment may be said wrongly.
            guard old.stamp < stamp else { return false }
            superseded.append(EntryRecord(entity: document.id, key: key, entry: old))
        }
        later[key] = Entry(content: content, stamp: stamp)
        self.stamp = stamp
        stampedKeys.insert(key)
        return true
    }

    private func readHead() throws -> EntityHead? {
        if isWhole { return nil }
        if let head { return head }
        let read = try EntityHead(document)
        head = .some(read)
        return read
    }

    /// Makes the entity one that is there.
    func begin(_ state: EntityState) { current = state }

    /// Takes in when the entity was first added elsewhere.
    func meet(_ stamp: Stamp) throws {
        try readWhole()
        current?.meet(stamp)
    }

    /// Takes an entry in.
    func take(_ entry: Entry, for key: String) throws {
        try readWhole()
        if entry.content == .removed { removedKeys.insert(key) }
        if let loser = current?.take(entry, for: key) {
            superseded.append(EntryRecord(entity: document.id, key: key, entry: loser))
        }
    }

    /// Whether an entry is not to be shown, because its key was removed with its history.
    func isForgotten(_ record: EntryRecord) -> Bool {
        current?.isForgotten(record.entry, of: record.key) ?? false
    }

    /// The document with what was done; nil when it is as it was.
    func changed() -> Document? {
        var changed = document
        if isWhole {
            guard let current, current != stored else { return nil }
            current.write(into: &changed, over: stored)
        } else {
            guard !later.isEmpty, let stamp, case .some(.some(let head)) = head else { return nil }
            changed[json: EntityFormat.modified] = .string(Moment.text(stamp.moment))
            changed.set(later, in: head.first)
        }
        return changed
    }

    /// Goes on from what was stored.
    func finish(_ saved: Document?) {
        if let saved {
            document = saved
            stored = current
            (head, later) = (nil, [:])
        }
        (superseded, removedKeys, isNoted) = ([], [], false)
    }
}

/// What has to be known of an entity to give it a later value.
private struct EntityHead {
    /// When it was first added.
    let first: Stamp
    /// The latest moment in it.
    let last: Int64

    /// Nil where more has to be looked at: what was deleted or removed decides about what is shown, and the first layout is
    /// written anew.
    init?(_ document: Document) throws {
        guard !document.hasNestedEntries, document[json: EntityFormat.deletion] == nil,
            document[json: EntityFormat.removals] == nil
        else { return nil }
        first = try EntityState.first(of: document)
        guard let modified = document[json: EntityFormat.modified] else {
            last = first.moment
            return
        }
        guard let moment = modified.stringValue.flatMap(Moment.microseconds(of:)) else {
            return nil
        }
        last = moment
    }
}
