import Settle
import Synchronization

/// An entity as an operation has read it, whose properties are decoded when they are asked for.
///
/// A lock guards what is decoded; nothing is called while it is held.
final class StoredEntity: Sendable {
    private let document: Document
    /// The keys that were asked for; nil for all properties.
    private let keys: Set<String>?
    private let decoded = Mutex<Decoded?>(nil)

    /// All of it.
    private struct Decoded {
        var properties: PropertyDictionary
        var first: Stamp
        var last: Stamp
    }

    /// - Precondition: The document is that of an entity.
    init(_ document: Document, keys: Set<String>?) {
        self.document = document
        self.keys = keys
    }

    var id: String { document.id }
    var type: String { document.string(EntityFormat.type) ?? "" }
    var properties: PropertyDictionary { whole?.properties ?? PropertyDictionary() }
    var first: Stamp? { whole?.first }
    var last: Stamp? { whole?.last }

    /// What cannot be read is absent; whoever reads the history, or writes the entity, learns why.
    private var whole: Decoded? {
        if let known = decoded.withLock({ $0 }) { return known }
        guard let state = try? EntityState(document) else { return nil }
        let made = Decoded(
            properties: state.properties(keys), first: state.first, last: state.lastStamp)
        decoded.withLock { $0 = made }
        return made
    }

    /// The plain value of a property; only that is decoded.
    func value(of key: PropertyKey) -> Primitive? {
        let text = key.description
        guard keys?.contains(text) ?? true else { return nil }
        if let content = document.entryContent(of: text) {
            guard case .value(let value, _) = content else { return nil }
            return value
        }
        // One of the guaranteed properties, it may be.
        return keys == nil ? nil : properties[key]
    }
}

extension Document {
    /// What the current entry of a property says, in the document of an entity; nil when there is none that can be read.
    func entryContent(of key: String) -> EntryContent? {
        guard case .object(let members)? = member(at: [EntityFormat.properties, key]) else {
            return nil
        }
        return try? EntryForm.content(members)
    }
}
