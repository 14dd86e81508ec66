import Settle
import SettlePrimitives

/// Changes entities in a transaction and keeps what is superseded.
///
/// What is changed is in memory until ``finish()``; ``state(_:)`` shows it.
final class EntityEditor {
    let transaction: Transaction
    private let device: String
    private let now: Int64
    private var works: [ExactText: EntityWork] = [:]
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
    func state(_ id: String) throws -> EntityState? { try work(id).state() }

    /// An entity as this editor knows it; nil when it has not looked at it.
    func knownState(_ id: String) throws -> EntityState? { try works[ExactText(id)]?.state() }

    /// An entity as it is by now, deleted or not, which is kept for what is done to it; nil when there is none.
    ///
    /// - Throws: What reading it throws.
    func look(_ id: String) throws -> EntityState? { try existing(id)?.state() }

    /// Whether an entity is there, and not deleted.
    func isLive(_ id: String) throws -> Bool { try existing(id)?.isLive ?? false }

    /// What the entry of a key says by now; nil when there is none.
    func content(of key: String, in id: String) throws -> EntryContent? {
        try existing(id)?.content(of: key)
    }

    /// An entity with some of its properties by now, as a reference has them; nil when there is none.
    func resolved(_ id: String, _ keys: Set<String>) throws -> ReferenceCore.Resolved? {
        try existing(id)?.resolved(keys)
    }

    private func existing(_ id: String) throws -> EntityWork? {
        if let known = works[ExactText(id)] { return known }
        guard let document = try transaction.document(id), EntityState.isEntity(document) else {
            return nil
        }
        let work = try EntityWork(document)
        works[ExactText(id)] = work
        return work
    }

    private func work(_ id: String) throws -> EntityWork {
        if let known = works[ExactText(id)] { return known }
        let document = try transaction.document(id)
        if let document, !EntityState.isEntity(document) {
            throw DatastoreError(
                .documentExists,
                "The document '\(id)' is no entity; entities and other documents cannot share an identifier.",
                entity: id)
        }
        let work = try document.map { try EntityWork($0) } ?? EntityWork(id: id)
        works[ExactText(id)] = work
        return work
    }

    /// Adds an entity, or adds it anew when it is deleted: then nothing of what it had is current.
    ///
    /// - Precondition: It is not there, or deleted.
    func create(_ id: String, type: String) throws {
        let work = try work(id)
        let state = try work.state()
        precondition(state?.isDeleted ?? true, "An entity is created once.")
        let stamp = Stamp.next(at: now, after: state?.lastStamp, by: device)
        work.stamp = stamp
        work.stampedKeys = [Register.type]
        if let state {
            try work.take(
                Entry(content: .value(.string(type), type: nil), stamp: stamp), for: Register.type)
            for key in state.keys {
                try work.take(Entry(content: .absent, stamp: stamp), for: key)
            }
            // A value that it is created with is later than that it has none.
            work.stampedKeys.formUnion(state.keys)
        } else {
            work.begin(EntityState(id: id, type: type, stamp: stamp))
        }
        note(work, id)
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
        let work = try work(id)
        if moment == nil,
            try work.addLater(content, for: key, at: Stamp(moment: now, device: device))
        {
            return note(work, id)
        }
        let stamp: Stamp
        if let moment {
            stamp = Stamp(moment: moment, device: device)
        } else if let last = work.stamp, !work.stampedKeys.contains(key) {
            stamp = last
        } else {
            stamp = Stamp.next(at: now, after: try work.state()?.lastStamp, by: device)
            work.stampedKeys = []
        }
        if moment == nil {
            work.stamp = stamp
            work.stampedKeys.insert(key)
        }
        try work.take(Entry(content: content, stamp: stamp), for: key)
        note(work, id)
    }

    /// Takes in all entries that an entity has elsewhere, with their stamps; an entity that is not there is added.
    ///
    /// - Throws: What reading the entity throws.
    /// - Precondition: Among the entries is a creation.
    func adopt(_ version: EntityVersion) throws {
        let work = try work(version.id)
        if try work.state() == nil {
            guard let creation = version.creation else {
                preconditionFailure("An entity begins with a creation.")
            }
            work.begin(
                EntityState(
                    id: version.id, first: version.first, entries: [Register.type: creation]))
        }
        try work.meet(version.first)
        for element in version.elements { try work.take(element.entry, for: element.key) }
        note(work, version.id)
    }

    private func note(_ work: EntityWork, _ id: String) {
        if work.isNoted { return }
        work.isNoted = true
        order.append(id)
    }

    /// Stores what was changed: the entities, and what was superseded.
    ///
    /// An entity that is as it was before is not stored again, nor is an entry that is stored already.
    ///
    /// - Throws: What the database throws; nothing of the transaction is stored then.
    func finish() throws {
        for id in order {
            guard let work = works[ExactText(id)] else { continue }
            let saved = try work.changed().map { try transaction.save($0) }
            for record in work.superseded where !work.isForgotten(record) {
                let entry = record.document(of: saved ?? work.document)
                if try transaction.withDocument(entry.id, { _ in true }) == nil {
                    try transaction.save(entry)
                }
            }
            if !work.removedKeys.isEmpty, let state = try work.state() {
                for key in work.removedKeys { try removeHistory(of: key, in: state) }
            }
            work.finish(saved)
        }
        order = []
    }

    /// Deletes the documents of what a removal says to forget.
    private func removeHistory(of key: String, in state: EntityState) throws {
        var ids: [String] = []
        try transaction.forEachEntry(of: state.id, key: key) { record, id in
            if state.isForgotten(record.entry, of: key) { ids.append(id) }
            return true
        }
        for id in ids { try transaction.delete(documentWithId: id) }
    }
}
