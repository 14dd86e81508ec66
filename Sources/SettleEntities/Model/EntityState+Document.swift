import Settle

// An entity as a document. Members that are not the entity's, `channels` for example, are left as they are.

extension EntityState {
    /// Whether a document is that of an entity; entries of the history are not.
    static func isEntity(_ document: Document) -> Bool {
        !document.id.utf8.starts(with: EntryIdentifier.prefix.utf8)
            && document.integer(EntityFormat.format) != nil
    }

    /// Refuses an entity that a newer release has written.
    ///
    /// - Throws: ``DatastoreError`` with `newerFormat`.
    static func checkFormat(of document: Document) throws {
        guard document.integer(EntityFormat.format) == Int(EntityFormat.current) else {
            throw DatastoreError(
                .newerFormat,
                "The entity '\(document.id)' was written by a newer release of Settle; use that one.",
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
            var stampMembers: [String: JSONValue] = [:]
            for name in [EntityFormat.datestamp, EntityFormat.counter, EntityFormat.device] {
                stampMembers[name] = document[json: name]
            }
            let first = try EntryForm.stamp(stampMembers)
            var entries: [String: Entry] = [:]
            if case .object(let properties)? = document[json: EntityFormat.properties] {
                entries.reserveCapacity(properties.count + 2)
                for (name, json) in properties {
                    key = name
                    entries[name] = try EntryForm.entry(json, in: first)
                }
            }
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
                removals[name] = try EntryForm.stamp(json.objectValue ?? [:], in: first)
            }
            self.init(id: document.id, first: first, entries: entries, removals: removals)
        } catch let fault as EntryForm.Fault {
            throw DatastoreError(
                .unreadable,
                "The entry '\(key ?? EntityFormat.datestamp)' of the entity '\(document.id)' cannot be read: "
                    + "\(fault.reason). Something else than a datastore has changed the document.",
                entity: document.id, key: key)
        }
    }

    /// Sets the entity's members of a document.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - old: The entity that it is now, whose entries need not be written again; nil when it is none.
    func write(into document: inout Document, over old: EntityState? = nil) {
        document[json: EntityFormat.format] = .integer(EntityFormat.current)
        document[json: EntityFormat.type] = .string(type)
        let stamp = EntryForm.members(of: first)
        for name in [EntityFormat.datestamp, EntityFormat.counter, EntityFormat.device] {
            document[json: name] = stamp[name]
        }
        document[json: EntityFormat.created] = Self.stampJSON(entries[Register.type], in: first)
        document[json: EntityFormat.deletion] = entries[Register.deletion].map { entry in
            .object(EntryForm.members(of: entry.stamp, in: first))
        }
        document[json: EntityFormat.isDeleted] = isDeleted ? .bool(true) : nil
        document[json: EntityFormat.removals] =
            removals.isEmpty
            ? nil : .object(removals.mapValues { .object(EntryForm.members(of: $0, in: first)) })
        let last = lastStamp.moment
        document[json: EntityFormat.modified] =
            last == first.moment ? nil : .string(Moment.text(last))
        let written =
            old?.first == first ? document[json: EntityFormat.properties]?.objectValue : nil
        var properties = written ?? [:]
        for (key, entry) in entries where key != Register.type && key != Register.deletion {
            if written != nil, old?.entries[key] == entry { continue }
            properties[key] = EntryForm.json(entry, in: first)
        }
        document[json: EntityFormat.properties] = .object(properties)
    }

    private static func stampJSON(_ entry: Entry?, in first: Stamp) -> JSONValue? {
        guard let entry, entry.stamp != first else { return nil }
        return .object(EntryForm.members(of: entry.stamp, in: first))
    }
}
