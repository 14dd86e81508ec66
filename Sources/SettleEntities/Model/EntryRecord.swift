import Settle

/// A superseded entry as the document that it is.
struct EntryRecord: Sendable, Hashable {
    let entity: String
    let key: String
    let entry: Entry

    /// The document's identifier.
    var id: String { EntryIdentifier.text(entity: entity, key: key, entry: entry) }

    /// Whether a document is an entry of the history.
    static func isEntry(_ document: Document) -> Bool {
        document.string(EntityFormat.type) == EntityFormat.entryType
            && document.integer(EntityFormat.format) != nil
    }

    /// Whether an entry can say that of a key: a type is a text, and a deletion is nothing else.
    private static func isPossible(_ content: EntryContent, of key: String) -> Bool {
        switch (key, content) {
        case (Register.type, .value(.string(let type), nil)): !type.isEmpty
        case (Register.deletion, .deleted): true
        case (Register.type, _), (Register.deletion, _), (_, .deleted): false
        default: !EntityFormat.guaranteedKeys.contains(key)
        }
    }

    /// The document, which is never changed.
    ///
    /// - Parameter entityDocument: The document of the entity; the entry is for the same channels.
    /// - Returns: A document that was not saved.
    func document(of entityDocument: Document) -> Document {
        let json = EntryForm.json(entry)
        var document = Document(id: EntryIdentifier.text(entity: entity, key: key, entry, json))
        document[json: EntityFormat.format] = .integer(EntityFormat.entryLayout)
        document[json: EntityFormat.type] = .string(EntityFormat.entryType)
        document[json: EntityFormat.entity] = .string(entity)
        document[json: EntityFormat.key] = .string(key)
        document[json: EntityFormat.entry] = json
        document[json: Self.channels] = entityDocument[json: Self.channels]
        return document
    }

    private static let channels = "channels"

    init(entity: String, key: String, entry: Entry) {
        self.entity = entity
        self.key = key
        self.entry = entry
    }

    /// The entry that a document is; nil when it is a document of something else.
    ///
    /// - Throws: ``DatastoreError`` with `newerFormat` or `unreadable`.
    init?(_ document: Document) throws {
        guard Self.isEntry(document) else { return nil }
        let layout = Int64(document.integer(EntityFormat.format) ?? 0)
        if layout > EntityFormat.entryLayout {
            throw DatastoreError(
                .newerFormat,
                "The entry '\(document.id)' of a history was written by a newer release of Settle; use that one."
            )
        }
        guard layout == EntityFormat.entryLayout,
            let entity = document.string(EntityFormat.entity),
            let key = document.string(EntityFormat.key),
            let json = document[json: EntityFormat.entry],
            let entry = try? EntryForm.entry(json), Self.isPossible(entry.content, of: key)
        else {
            throw DatastoreError(
                .unreadable,
                "The document '\(document.id)' is marked as an entry of a history, and is none that can be read. "
                    + "Something else than a datastore has changed it.",
                entity: document.string(EntityFormat.entity), key: document.string(EntityFormat.key)
            )
        }
        self.init(entity: entity, key: key, entry: entry)
    }
}
