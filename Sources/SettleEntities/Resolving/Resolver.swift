import Foundation
import Settle
import SettlePrimitives

/// Finds the entities that references mean, in one state of a database, and creates what is missing.
final class Resolver {
    /// Thrown where something had to be created and nothing may be written: run it in a transaction.
    struct NeedsCreation: Error {}

    let snapshot: Snapshot
    private let answers: LookupAnswers
    /// Changes entities; nil when nothing may be written.
    private let editor: EntityEditor?
    private var resolved: [EntityReference: String] = [:]
    /// The documents of the live entities that were looked at, while nothing is written.
    private var documents: [ExactText: Document] = [:]
    private var later = LaterChanges()
    /// The entities that were created.
    private(set) var created: Set<String> = []

    init(_ snapshot: Snapshot, _ answers: LookupAnswers, editor: EntityEditor?) {
        self.snapshot = snapshot
        self.answers = answers
        self.editor = editor
    }

    /// The identifier of the live entity that a reference means.
    ///
    /// - Parameters:
    ///   - reference: The reference.
    ///   - creating: Whether what is missing may be created, where the reference says what.
    /// - Returns: The identifier; nil when there is none and none was created.
    /// - Throws: ``LookupAnswers/Missing``, ``NeedsCreation``; ``DatastoreError`` when what is to be created cannot be;
    ///   what the database throws.
    func resolve(_ reference: EntityReference, creating: Bool = true) throws -> String? {
        // The usual case, and all there is to it.
        if reference.core.creation == nil, let id = reference.identifier { return try live(id) }
        // Where nothing is created, a reference is found anew as fast as it is remembered.
        if !isReading, let known = resolved[reference] { return known }
        if let found = try find(reference, creating: creating) {
            if !isReading { resolved[reference] = found }
            return found
        }
        guard creating, let creation = reference.core.creation else { return nil }
        guard let editor else { throw NeedsCreation() }
        var properties = creation.properties
        var identifier: String?
        switch reference.core.lookup {
        case .nothing: break
        case .identifier(let text): identifier = text
        case .name(let name): properties[.name] = properties[.name] ?? .string(name)
        case .identifierOrName(let text, let name):
            identifier = text
            properties[.name] = properties[.name] ?? .string(name)
        case .key(let key, let value):
            properties[valueWithKey: key] = properties[valueWithKey: key] ?? value
        }
        let id = identifier ?? UUID().uuidString
        try EntityRules.checkIdentifier(id)
        try EntityRules.check(creation.type)
        try editor.create(id, type: creation.type.rawValue)
        created.insert(id)
        // Before the properties, which may refer to it.
        resolved[reference] = id
        for (key, value) in properties.sorted { try write(value, for: key, of: id) }
        return id
    }

    private func find(_ reference: EntityReference, creating: Bool) throws -> String? {
        if let known = reference.core.resolved { return try live(known.id) }
        switch reference.core.lookup {
        case .nothing: return nil
        case .identifier(let id): return try live(id)
        case .name(let name): return try find(.name, .string(name))
        case .identifierOrName(let id, let name):
            return try live(id) ?? find(.name, .string(name))
        case .key(let key, let value):
            guard let text = try self.text(of: key, creating: creating),
                let value = try primitive(value, creating: creating).flatMap({ try? $0.storable() })
            else { return nil }
            return try found(.init(key: text, value: value)).first
        }
    }

    private func find(_ key: PropertyKey, _ value: Primitive) throws -> String? {
        try found(.init(key: key.name, value: value)).first
    }

    /// The live entities that have a value for a key, in the order in which they were added, then of their identifiers.
    ///
    /// The index was asked before this state of the database, so what has changed since is looked at, too.
    ///
    /// - Parameter lookup: What is looked for.
    /// - Returns: Their identifiers.
    /// - Throws: ``LookupAnswers/Missing``; what reading throws.
    private func found(_ lookup: PropertyLookup) throws -> [String] {
        guard let answer = answers[lookup] else { throw LookupAnswers.Missing(lookup: lookup) }
        guard let changed = try later.ids(since: answer.sequence, in: snapshot) else {
            throw LookupAnswers.Missing(lookup: lookup)
        }
        var candidates = answer.ids
        let others = changed.union((editor?.changedIds ?? []).map { ExactText($0) })
        if !others.isEmpty {
            candidates = others.union(candidates.map { ExactText($0) }).map(\.text)
        }
        let holders = try candidates.filter { try has($0, lookup) }
        if holders.count < 2 { return holders }
        let states = try holders.compactMap { try editor?.knownState($0) ?? snapshot.entity($0) }
        return states.sorted { ($0.first.moment, $0.id) < ($1.first.moment, $1.id) }.map(\.id)
    }

    /// Whether a document is a live entity that has a value for a key.
    private func has(_ id: String, _ lookup: PropertyLookup) throws -> Bool {
        if let state = try editor?.knownState(id) {
            guard !state.isDeleted,
                case .value(lookup.value, _)? = state.value(of: lookup.key)?.content
            else { return false }
            return true
        }
        do {
            let document = isReading ? try document(id) : try snapshot.liveEntityDocument(id)
            return document?.primitive(of: lookup.key) == lookup.value
        } catch is DatastoreError {
            // One that cannot be read has no value that could match.
            return false
        }
    }

    /// Forgets what a reference was found to mean, because that was deleted.
    func forget(_ reference: EntityReference) {
        guard let id = resolved[reference] else { return }
        resolved = resolved.filter { !$0.value.hasSameBytes(as: id) }
    }

    /// All live entities that a reference by key and value matches, the one that was added first before the others.
    ///
    /// - Parameters:
    ///   - reference: The reference.
    ///   - types: The types that they may have; nil for all.
    /// - Returns: The entities.
    /// - Throws: As ``resolve(_:creating:)``.
    func resolveAll(_ reference: EntityReference, ofTypes types: Set<String>?) throws
        -> [EntityState]
    {
        guard case .key(let key, let value) = reference.core.lookup,
            let text = try text(of: key, creating: false),
            let value = try primitive(value, creating: false).flatMap({ try? $0.storable() })
        else { return [] }
        return try found(.init(key: text, value: value)).compactMap { try state($0) }
            .filter { types?.contains($0.type) ?? true }
    }

    private func live(_ id: String) throws -> String? {
        if let editor { return try editor.isLive(id) ? id : nil }
        return try document(id).map { _ in id }
    }

    /// Whether nothing is written.
    var isReading: Bool { editor == nil }

    /// The document of a live entity, while nothing is written.
    func document(_ id: String) throws -> Document? {
        if let known = documents[ExactText(id)] { return known }
        let found = try snapshot.liveEntityDocument(id)
        documents[ExactText(id)] = found
        return found
    }

    /// An entity as it is by now, deleted or not.
    func state(_ id: String) throws -> EntityState? {
        if let known = documents[ExactText(id)] { return try EntityState(known) }
        guard let editor else { return try snapshot.entity(id) }
        return try editor.look(id)
    }

    /// The text of a key; nil when its entity is missing.
    func text(of key: PropertyKey, creating: Bool = true) throws -> String? {
        guard let reference = key.reference else { return key.name }
        return try resolve(reference, creating: creating).map { PropertyKey.text(key.name, of: $0) }
    }

    /// A value as it is stored; nil when it is an entity that is missing.
    private func primitive(_ value: PropertyValue, creating: Bool) throws -> Primitive? {
        switch value.content {
        case .primitive(let primitive): primitive
        case .reference(let reference):
            // An entity that is named by its identifier need not be there.
            try resolve(reference, creating: creating).map { .entity($0) }
                ?? reference.identifier.map { .entity($0) }
        }
    }

    /// Adds an entry to a property.
    ///
    /// - Parameters:
    ///   - value: The value. A reference that matches nothing and creates nothing is an error.
    ///   - key: The key.
    ///   - id: The entity.
    ///   - onlyIfDifferent: True to add nothing when the current value and type are the same.
    /// - Returns: The key as it is stored.
    /// - Throws: ``DatastoreError`` with `unresolved`, `invalidKey`, `invalidType`, `invalidValue` or `invalidDatestamp`;
    ///   otherwise as ``resolve(_:creating:)``.
    @discardableResult
    func write(
        _ value: PropertyValue, for key: PropertyKey, of id: String, onlyIfDifferent: Bool = false
    ) throws -> String {
        guard let editor else { throw NeedsCreation() }
        guard let text = try text(of: key), let primitive = try primitive(value, creating: true)
        else {
            throw DatastoreError(
                .unresolved,
                "The property '\(key)' of the entity '\(id)' refers to an entity that is not there; "
                    + "say with 'createAs' what to create.", entity: id, key: key.description)
        }
        try EntityRules.checkKey(text, of: id)
        try EntityRules.check(value.type, of: text, in: id)
        let stored = try EntityRules.storable(primitive, of: text, in: id)
        let type = value.type == PropertyType(stored.kind) ? nil : value.type.rawValue
        let content = EntryContent.value(stored, type: type)
        if onlyIfDifferent, try editor.content(of: text, in: id) == content { return text }
        let moment = try value.datestamp.map { try EntityRules.moment($0, of: text, in: id) }
        try editor.put(content, for: text, of: id, at: moment)
        return text
    }
}
