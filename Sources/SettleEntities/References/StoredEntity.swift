import Settle
import SettlePrimitives
import Synchronization

/// An entity as an operation has read it, whose properties are decoded when they are asked for.
///
/// A lock guards what is decoded; nothing is called while it is held.
final class StoredEntity: Sendable {
    private let document: Document
    /// The keys that were asked for; nil for all properties.
    private let keys: Set<String>?
    private let decoded = Lock<Decoded?>(nil)

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
        if let value = document.primitive(of: text) { return value }
        guard keys != nil, PropertyKey.known.contains(text) else { return nil }
        return properties[key]
    }
}

extension Document {
    /// The current value of a property, in the document of an entity; nil when there is none that can be read.
    func primitive(of key: String) -> Primitive? {
        guard let json = property(EntityFormat.properties, key) else { return nil }
        // In the first layout all are objects, so only an object needs the question.
        if case .object(let members) = json, hasNestedEntries {
            guard case .value(let value, _)? = try? EntryForm.content(members) else { return nil }
            return value
        }
        guard let name = property(EntityFormat.entries, key)?[EntityFormat.kind] else {
            return try? PrimitiveForm.value(json, kind: nil)
        }
        guard let kind = name.stringValue.flatMap({ Primitive.Kind(rawValue: $0) }) else {
            return nil
        }
        return try? PrimitiveForm.value(json, kind: kind)
    }
}
