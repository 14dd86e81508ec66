import Settle

// An entity as a document. Members that are not the entity's, `channels` for example, are left as they are.

extension EntityState {
    /// Whether a document is that of an entity; entries of the history are not.
    static func isEntity(_ document: Document) -> Bool {
        !document.id.utf8.starts(with: EntryIdentifier.prefix.utf8)
            && document.integer(EntityFormat.format) != nil
    }

    /// Refuses an entity in a layout that this release cannot read.
    ///
    /// - Throws: ``DatastoreError`` with `newerFormat`; `unreadable` when no release has that layout.
    static func checkFormat(of document: Document) throws {
        let layout = Int64(document.integer(EntityFormat.format) ?? 0)
        if layout > EntityFormat.current {
            throw DatastoreError(
                .newerFormat,
                "The entity '\(document.id)' was written by a newer release of Settle; use that one.",
                entity: document.id)
        }
        guard layout >= EntityFormat.nested else {
            throw DatastoreError(
                .unreadable,
                "The entity '\(document.id)' has the layout \(layout), which no release of Settle has written. "
                    + "Something else than a datastore has changed the document.",
                entity: document.id)
        }
    }

    /// The entity that a document is; nil when it is a document of something else.
    ///
    /// - Throws: ``DatastoreError`` with `newerFormat` or `unreadable`.
    init?(_ document: Document) throws {
        guard Self.isEntity(document) else { return nil }
        try Self.checkFormat(of: document)
        var key: String?
        do {
            let first = try Self.readFirst(of: document)
            var entries = try Self.readProperties(of: document, in: first) { key = $0 }
            key = Register.type
            guard let type = document.string(EntityFormat.type), !type.isEmpty else {
                throw EntryForm.Fault(reason: "the entity has none")
            }
            let created = document[json: EntityFormat.created]?.objectValue ?? [:]
            entries[Register.type] = Entry(
                content: .value(.string(type), type: nil),
                stamp: try EntryForm.stamp(created, in: first))
            key = EntityFormat.deletion
            if let deletion = document[json: EntityFormat.deletion]?.objectValue {
                entries[Register.deletion] = Entry(
                    content: .deleted, stamp: try EntryForm.stamp(deletion, in: first))
            }
            key = EntityFormat.removals
            var removals: [String: Stamp] = [:]
            for (name, json) in document[json: EntityFormat.removals]?.objectValue ?? [:] {
                removals[name.asKey] = try EntryForm.stamp(json.objectValue ?? [:], in: first)
            }
            self.init(id: document.id, first: first, entries: entries, removals: removals)
        } catch let fault as EntryForm.Fault {
            throw DatastoreError(fault, of: key ?? EntityFormat.datestamp, in: document)
        }
    }

    /// The current entries of the properties, in either layout.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - first: When the entity was first added.
    ///   - begin: Called with each key before its entry is read.
    /// - Returns: The entries by key.
    /// - Throws: `EntryForm.Fault` when one cannot be read.
    private static func readProperties(
        of document: Document, in first: Stamp, _ begin: (String) -> Void
    ) throws -> [String: Entry] {
        var entries: [String: Entry] = [:]
        let values = document[json: EntityFormat.properties]?.objectValue ?? [:]
        // The type and a deletion will come in, too.
        entries.reserveCapacity(values.count + 2)
        if document.hasNestedEntries {
            for (key, json) in values {
                begin(key)
                entries[try checked(key)] = try EntryForm.entry(json, in: first)
            }
            return entries
        }
        let notes = document[json: EntityFormat.entries]?.objectValue ?? [:]
        for (key, value) in values {
            begin(key)
            entries[try checked(key)] = try EntryForm.entry(
                value: value, note: notes[key], in: first)
        }
        for (key, note) in notes where values[key] == nil {
            begin(key)
            entries[try checked(key)] = try EntryForm.entry(value: nil, note: note, in: first)
        }
        return entries
    }

    /// The key of a property, in its one spelling.
    ///
    /// - Throws: `EntryForm.Fault` when no property has such a key: it would be taken for something else of the entity.
    private static func checked(_ key: String) throws(EntryForm.Fault) -> String {
        guard !key.isEmpty, !EntityFormat.guaranteedKeys.contains(key) else {
            throw EntryForm.Fault(reason: "no property can have this key")
        }
        return key.asKey
    }

    /// When the entity that a document is was first added.
    ///
    /// - Throws: ``DatastoreError`` with `unreadable`.
    static func first(of document: Document) throws -> Stamp {
        do {
            return try readFirst(of: document)
        } catch {
            throw DatastoreError(error, of: EntityFormat.datestamp, in: document)
        }
    }

    private static func readFirst(of document: Document) throws(EntryForm.Fault) -> Stamp {
        var members: [String: JSONValue] = [:]
        for name in [EntityFormat.datestamp, EntityFormat.counter, EntityFormat.device] {
            members[name] = document[json: name]
        }
        return try EntryForm.stamp(members)
    }

    /// Sets the entity's members of a document.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - old: The entity that it is now, whose entries need not be written again; nil when it is none.
    func write(into document: inout Document, over old: EntityState? = nil) {
        // With another first stamp every entry is written anew: what it leaves out is said by that stamp. So is one in
        // the first layout.
        let isAsWritten = document.integer(EntityFormat.format) == Int(EntityFormat.current)
        let known = isAsWritten && old?.first == first ? old : nil
        if known == nil {
            document[json: EntityFormat.format] = .integer(EntityFormat.current)
            let stamp = EntryForm.members(of: first)
            for name in [EntityFormat.datestamp, EntityFormat.counter, EntityFormat.device] {
                document[json: name] = stamp[name]
            }
        }
        if known == nil || known?.entries[Register.type] != entries[Register.type] {
            document[json: EntityFormat.type] = .string(type)
            document[json: EntityFormat.created] = Self.stampJSON(entries[Register.type], in: first)
        }
        if known == nil || entries[Register.deletion] != nil {
            document[json: EntityFormat.deletion] = entries[Register.deletion].map { entry in
                .object(EntryForm.members(of: entry.stamp, in: first))
            }
            document[json: EntityFormat.isDeleted] = isDeleted ? .bool(true) : nil
        }
        if known == nil || known?.removals != removals {
            document[json: EntityFormat.removals] =
                removals.isEmpty
                ? nil
                : .object(removals.mapValues { .object(EntryForm.members(of: $0, in: first)) })
        }
        let last = lastStamp.moment
        document[json: EntityFormat.modified] =
            last == first.moment ? nil : .string(Moment.text(last))
        let properties = entries.filter { key, entry in
            key != Register.type && key != Register.deletion && known?.entries[key] != entry
        }
        if known == nil {
            document[json: EntityFormat.properties] = nil
            document[json: EntityFormat.entries] = nil
        }
        document.set(properties, in: first)
    }

    private static func stampJSON(_ entry: Entry?, in first: Stamp) -> JSONValue? {
        guard let entry, entry.stamp != first else { return nil }
        return .object(EntryForm.members(of: entry.stamp, in: first))
    }
}

extension Document {
    /// Whether an entity is in the first layout, ``EntityFormat/nested``.
    var hasNestedEntries: Bool { integer(EntityFormat.format) == Int(EntityFormat.nested) }

    /// The current entry of a property, in the document of an entity; nil when there is none.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - first: When the entity was first added.
    /// - Returns: The entry.
    /// - Throws: ``DatastoreError`` with `unreadable`.
    /// - Precondition: The document is in the current layout.
    func entry(of key: String, in first: Stamp) throws -> Entry? {
        let value = property(EntityFormat.properties, key)
        let note = property(EntityFormat.entries, key)
        if value == nil, note == nil { return nil }
        do throws(EntryForm.Fault) {
            return try EntryForm.entry(value: value, note: note, in: first)
        } catch {
            throw DatastoreError(error, of: key, in: self)
        }
    }

    /// What is said of a property in a member of an entity's document.
    ///
    /// Something else than a datastore may have written the key in another spelling.
    func property(_ member: String, _ key: String) -> JSONValue? {
        if let found = self.member(at: member, key) { return found }
        return key.isASCIIOnly ? nil : self[json: member]?.objectValue?[key]
    }

    /// Sets current entries of properties, in the document of an entity; the others stay.
    ///
    /// - Parameters:
    ///   - changed: The entries by key.
    ///   - first: When the entity was first added.
    /// - Precondition: The document is in the current layout.
    mutating func set(_ changed: [String: Entry], in first: Stamp) {
        var values = self[json: EntityFormat.properties]?.objectValue ?? [:]
        var notes = self[json: EntityFormat.entries]?.objectValue ?? [:]
        for (key, entry) in changed {
            values[key] = EntryForm.value(of: entry.content)
            notes[key] = EntryForm.note(of: entry, in: first)
        }
        self[json: EntityFormat.properties] = .object(values)
        self[json: EntityFormat.entries] = notes.isEmpty ? nil : .object(notes)
    }
}

extension DatastoreError {
    /// An entry in the document of an entity that cannot be read.
    fileprivate init(_ fault: EntryForm.Fault, of key: String, in document: Document) {
        self.init(
            .unreadable,
            "The entry '\(key)' of the entity '\(document.id)' cannot be read: \(fault.reason). "
                + "Something else than a datastore has changed the document.",
            entity: document.id, key: key)
    }
}
