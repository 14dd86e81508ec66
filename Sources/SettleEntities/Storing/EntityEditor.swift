import Settle

/// Changes entities in a transaction and keeps what is superseded.
///
/// What is changed is in memory until ``finish()``; ``state(_:)`` shows it.
final class EntityEditor {
    /// An entity that was looked at.
    private struct Work {
        var document: Document
        /// The entity as it is stored.
        var stored: EntityState?
        var state: EntityState?
        /// The stamp of what is done to it by this editor.
        var stamp: Stamp?
        /// The keys that have an entry of that stamp.
        var stampedKeys: Set<String> = []
        var superseded: [EntryRecord] = []
        /// The keys that were removed with their history.
        var removedKeys: Set<String> = []
        /// Whether it is among those that ``EntityEditor/finish()`` stores.
        var isNoted = false
    }

    let transaction: Transaction
    private let device: String
    private let now: Int64
    private var works: [String: Work] = [:]
    /// The entities in the order in which they were changed.
    private var order: [String] = []

    init(_ transaction: Transaction, device: String, now: Int64) {
        self.transaction = transaction
        self.device = device
        self.now = now
    }

    /// The identifiers of what was changed.
    var changedIds: [String] { order }

    /// An entity as it is by now, deleted or not.
    func state(_ id: String) throws -> EntityState? { try work(id).state }

    /// An entity as this editor knows it; nil when it has not looked at it.
    func knownState(_ id: String) -> EntityState? { works[id]?.state }

    /// An entity as it is by now, deleted or not, which is kept for what is done to it; nil when there is none.
    ///
    /// - Throws: What reading it throws.
    func look(_ id: String) throws -> EntityState? {
        if let known = works[id] { return known.state }
        guard let document = try transaction.document(id), let state = try EntityState(document)
        else {
            return nil
        }
        works[id] = Work(document: document, stored: state, state: state)
        return state
    }

    private func work(_ id: String) throws -> Work {
        if let work = works[id] { return work }
        let document = try transaction.document(id)
        let state = try document.flatMap { try EntityState($0) }
        let work = Work(document: document ?? Document(id: id), stored: state, state: state)
        if document != nil, work.state == nil {
            throw DatastoreError(
                .documentExists,
                "The document '\(id)' is no entity; entities and other documents cannot share an identifier.",
                entity: id)
        }
        works[id] = work
        return work
    }

    /// Adds an entity, or adds it anew when it is deleted: then nothing of what it had is current.
    ///
    /// - Precondition: It is not there, or deleted.
    func create(_ id: String, type: String) throws {
        var work = try work(id)
        precondition(work.state?.isDeleted ?? true, "An entity is created once.")
        let stamp = Stamp.next(at: now, after: work.state?.lastStamp, by: device)
        work.stamp = stamp
        work.stampedKeys = [Register.type]
        if work.state == nil {
            work.state = EntityState(id: id, type: type, stamp: stamp)
        } else {
            Self.take(
                Entry(content: .value(.string(type), type: nil), stamp: stamp),
                for: Register.type, into: &work)
            for key in work.state?.keys ?? [] {
                Self.take(Entry(content: .absent, stamp: stamp), for: key, into: &work)
            }
        }
        keep(work, id)
    }

    /// Adds an entry to a key of an entity that is there.
    ///
    /// - Parameters:
    ///   - content: What it says.
    ///   - key: The key.
    ///   - id: The entity.
    ///   - moment: Its datestamp; nil for now.
    /// - Throws: What reading the entity throws.
    /// - Precondition: The entity is there.
    func put(_ content: EntryContent, for key: String, of id: String, at moment: Int64? = nil)
        throws
    {
        var work = try work(id)
        guard let state = work.state else {
            preconditionFailure("An entry belongs to an entity that is there.")
        }
        let stamp: Stamp
        if let moment {
            stamp = Stamp(moment: moment, device: device)
        } else if let last = work.stamp, !work.stampedKeys.contains(key) {
            stamp = last
        } else {
            stamp = Stamp.next(at: now, after: state.lastStamp, by: device)
            work.stampedKeys = []
        }
        if moment == nil {
            work.stamp = stamp
            work.stampedKeys.insert(key)
        }
        Self.take(Entry(content: content, stamp: stamp), for: key, into: &work)
        keep(work, id)
    }

    /// Takes in all entries that an entity has elsewhere, with their stamps; an entity that is not there is added.
    ///
    /// - Throws: What reading the entity throws.
    /// - Precondition: Among the entries is a creation.
    func adopt(_ version: EntityVersion) throws {
        var work = try work(version.id)
        if work.state == nil {
            guard let creation = version.creation else {
                preconditionFailure("An entity begins with a creation.")
            }
            work.state = EntityState(
                id: version.id, first: version.first, entries: [Register.type: creation])
        }
        work.state?.meet(version.first)
        for element in version.elements { Self.take(element.entry, for: element.key, into: &work) }
        keep(work, version.id)
    }

    private static func take(_ entry: Entry, for key: String, into work: inout Work) {
        if entry.content == .removed { work.removedKeys.insert(key) }
        if let loser = work.state?.take(entry, for: key) {
            work.superseded.append(EntryRecord(entity: work.document.id, key: key, entry: loser))
        }
    }

    private func keep(_ work: Work, _ id: String) {
        var work = work
        if !work.isNoted {
            work.isNoted = true
            order.append(id)
        }
        works[id] = work
    }

    /// Stores what was changed: the entities, and what was superseded.
    ///
    /// An entity that is as it was before is not stored again, nor is an entry that is stored already.
    ///
    /// - Throws: What the database throws; nothing of the transaction is stored then.
    func finish() throws {
        for id in order {
            guard var work = works[id], let state = work.state else { continue }
            if state != work.stored {
                var document = work.document
                state.write(into: &document, over: work.stored)
                work.document = try transaction.save(document)
                work.stored = state
            }
            for record in work.superseded where !state.isForgotten(record.entry, of: record.key) {
                let entry = record.document(of: work.document)
                if try transaction.withDocument(entry.id, { _ in true }) == nil {
                    try transaction.save(entry)
                }
            }
            for key in work.removedKeys { try removeHistory(of: key, in: state) }
            (work.superseded, work.removedKeys, work.isNoted) = ([], [], false)
            works[id] = work
        }
        order = []
    }

    /// Deletes the documents of what a removal says to forget.
    private func removeHistory(of key: String, in state: EntityState) throws {
        var ids: [String] = []
        try transaction.forEachEntry(of: state.id, key: key) { record in
            if state.isForgotten(record.entry, of: key) { ids.append(record.id) }
            return true
        }
        for id in ids { try transaction.delete(documentWithId: id) }
    }
}
