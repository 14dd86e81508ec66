import Settle

extension Snapshot {
    /// The entity with an identifier, deleted or not; nil when there is none.
    ///
    /// - Throws: ``DatastoreError`` with `newerFormat` or `unreadable`; what the database throws.
    func entity(_ id: String) throws -> EntityState? {
        try document(id).flatMap { try EntityState($0) }
    }

    /// The entity with an identifier; nil when there is none, or it is deleted.
    func liveEntity(_ id: String) throws -> EntityState? {
        try entity(id).flatMap { $0.isDeleted ? nil : $0 }
    }

    /// The document of the entity with an identifier; nil when there is none, or it is deleted.
    ///
    /// - Throws: ``DatastoreError`` with `newerFormat`; what the database throws.
    func liveEntityDocument(_ id: String) throws -> Document? {
        guard let document = try document(id),
            !id.utf8.starts(with: EntryIdentifier.prefix.utf8),
            let format = document.integer(EntityFormat.format)
        else { return nil }
        if format != Int(EntityFormat.current) { try EntityState.checkFormat(of: document) }
        return document.bool(EntityFormat.isDeleted) ?? false ? nil : document
    }

    /// Walks all entities, deleted ones too, in the byte order of their identifiers.
    ///
    /// - Parameter body: Called with each; answers false to stop.
    /// - Throws: What the database, reading an entity, or `body` throws.
    /// - Complexity: O(n) for n documents that are no superseded entries.
    func forEachEntity(_ body: (EntityState) throws -> Bool) throws {
        var isAtEntries = false
        try forEachDocument { document in
            isAtEntries = document.id.utf8.starts(with: EntryIdentifier.prefix.utf8)
            return try !isAtEntries && EntityState(document).map(body) ?? true
        }
        // Behind all of the entries, which are together; an app's own documents may follow at once.
        guard isAtEntries else { return }
        try forEachDocument(after: EntryIdentifier.end) { try EntityState($0).map(body) ?? true }
    }

    /// Walks the superseded entries of an entity, key by key, of each the latest first.
    ///
    /// Entries of one datestamp come in no particular order.
    ///
    /// - Parameters:
    ///   - entity: The identifier of the entity.
    ///   - key: The key; nil for all.
    ///   - moment: Leaves out what is later, of one key.
    ///   - body: Called with each and the identifier of its document; answers false to stop.
    /// - Throws: What the database, reading an entry, or `body` throws.
    func forEachEntry(
        of entity: String, key: String? = nil, upTo moment: Int64? = nil,
        _ body: (EntryRecord, _ id: String) throws -> Bool
    ) throws {
        let beginning =
            key.map { EntryIdentifier.beginning(entity: entity, key: $0) }
            ?? EntryIdentifier.beginning(entity: entity)
        var place = beginning
        if let key, let moment {
            place = EntryIdentifier.place(entity: entity, key: key, upTo: moment)
        }
        try forEachDocument(after: place) { document in
            guard document.id.utf8.starts(with: beginning.utf8) else { return false }
            guard let record = try EntryRecord(document), record.entity == entity,
                key == nil || record.key == key
            else { return true }
            return try body(record, document.id)
        }
    }
}
