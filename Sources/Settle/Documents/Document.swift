public import SettleDocuments
import SettlePrimitives
import SettleStorage

/// A JSON object with an identifier: the unit that is stored, indexed, and replicated.
///
/// A document is a value. Changing it changes this copy; saving it stores the copy as a new
/// revision. A document that was fetched reads its members in place from the stored form and
/// makes a Swift value only of what is asked for.
///
/// ```swift
/// var fruit: Document = ["type": "fruit", "name": "Apple", "ripe": Date()]
/// fruit["colour"] = "red"
/// fruit = try await database.add(fruit)
/// ```
public struct Document: Sendable {
    /// What the document is found under: 1 to 255 bytes of UTF-8 that do not start with `_`.
    ///
    /// Checked when the document is saved.
    public var id: String {
        didSet {
            unsupported[Self.idMember] = nil
            // Another identifier, another document: one that was never saved. By its bytes, as documents are stored.
            if !id.utf8.elementsEqual(oldValue.utf8) { facts = Facts() }
        }
    }
    /// Content that is stored with the document, each under a name of its own.
    ///
    /// Reading a document does not read its attachments; ``DocumentAttachment/data()`` does.
    public var attachments: [DocumentAttachment]

    /// The members as they are stored; nil for a document made in memory.
    private var stored: PackedValue?
    /// Members that were set (or, with nil, removed) since.
    private var edits: [String: JSONValue?]
    /// Members that were set to something that cannot be stored, and why.
    private var unsupported: [String: String]
    /// Where damage is noted that is found while members are read; nil when all bytes were checked.
    private var damage: DamageNote?
    /// What the store knows about the document.
    var facts: Facts

    struct Facts: Sendable, Equatable {
        var revision: Revision?
        /// A text that was set as the revision and is none.
        var unreadableRevision: String?
        var isDeleted = false
        var created: Timestamp?
        var changed: Timestamp?
        var expiration: Timestamp?
        /// True when `expiration` was set and not read, so that saving writes it.
        var isExpirationSet = false

        var expirationChange: ExpirationChange {
            isExpirationSet ? .set(expiration) : .unchanged
        }
    }

    /// The member that holds the identifier in JSON.
    ///
    /// It is not stored among the others.
    static let idMember = "id"

    /// An empty document with an identifier from ``idFactory``.
    public init() {
        self.init(id: Document.idFactory())
    }

    /// An empty document with an identifier.
    public init(id: String) {
        self.init(id: id, stored: nil)
    }

    /// All of a document, each part set once, because the compiler copies one that is changed on the way.
    private init(
        id: String, stored: PackedValue?, attachments: [DocumentAttachment] = [],
        facts: Facts = Facts(), damage: DamageNote? = nil
    ) {
        self.id = id
        self.attachments = attachments
        self.stored = stored
        edits = [:]
        unsupported = [:]
        self.damage = damage
        self.facts = facts
    }

    /// A document as it is stored.
    ///
    /// - Throws: ``PackedError`` when the stored bytes are damaged.
    init(id: String, record: DocumentRecord, in store: Store? = nil) throws {
        try record.body.check()
        self.init(
            id: id, saved: record,
            attachments: record.attachments.map { DocumentAttachment($0, in: store) })
    }

    /// A document without attachments as it is stored, whose bytes are only checked where they are read.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - row: The bytes of the record, of which the members are copied.
    ///   - head: What the record begins with.
    ///   - damage: Learns of damage that is found; the member is absent then.
    init(id: String, row: Span<UInt8>, head: RecordHead, noting damage: DamageNote) {
        self.init(
            id: id,
            stored: PackedValue(
                stored: [UInt8](copying: row.extracting(head.bodyStart..<row.count))),
            facts: Facts(
                revision: head.revision, isDeleted: head.isDeleted, created: head.created,
                changed: head.changed, expiration: head.expiration),
            damage: damage)
    }

    /// A document as it is stored, whose bytes are only checked where they are read.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - record: What is stored.
    ///   - damage: Learns of damage that is found; the member is absent then.
    init(id: String, record: DocumentRecord, noting damage: DamageNote) {
        self.init(
            id: id, saved: record,
            attachments: record.attachments.map { DocumentAttachment($0, in: nil) })
        self.damage = damage
    }

    /// A document as it was just saved.
    init(id: String, saved record: DocumentRecord, attachments: [DocumentAttachment]) {
        self.init(
            id: id, stored: record.body, attachments: attachments,
            facts: Facts(
                revision: record.revision, isDeleted: record.isDeleted, created: record.created,
                changed: record.changed, expiration: record.expiration))
    }

    /// A document that was packed already.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - packed: A sound object, within the limits of documents.
    ///   - revision: The revision that it is to follow; nil for none in particular.
    package init(id: String, packed: PackedValue, revision: Revision? = nil) {
        self.init(id: id, stored: packed, facts: Facts(revision: revision))
    }

    /// The member with a name; nil when there is none.
    ///
    /// `"id"` is the identifier. Setting nil removes a member.
    public subscript(json name: String) -> JSONValue? {
        get {
            if name == Self.idMember { return .string(id) }
            if let edit = edits[name] { return edit }
            return reading { () throws(PackedError) in try stored?.member(name) }
        }
        set {
            if name == Self.idMember {
                guard case .string(let text)? = newValue else {
                    return reject(name, "an identifier that is not a string")
                }
                id = text
            } else {
                unsupported[name] = nil
                edits.updateValue(newValue, forKey: name)
            }
        }
    }

    /// The member that a path of names leads to, from the top of the document; nil when there is none.
    ///
    /// ```swift
    /// let city = document.member(at: ["address", "city"])?.stringValue
    /// ```
    ///
    /// - Parameter path: The names; none stand for all members.
    /// - Returns: The member.
    /// - Complexity: Of a document that was read, no value is made of anything but the member.
    public func member(at path: [String]) -> JSONValue? {
        guard let name = path.first else { return .object(json) }
        guard path.count > 1, edits[name] == nil, name != Self.idMember, let stored else {
            return path.dropFirst().reduce(self[json: name]) { member, name in member?[name] }
        }
        return reading { () throws(PackedError) in try stored.member(at: path) }
    }

    /// The member of a member; as ``member(at:)``, without a list of names.
    package func member(at first: String, _ second: String) -> JSONValue? {
        guard edits[first] == nil, first != Self.idMember, let stored else {
            return self[json: first]?[second]
        }
        return reading { () throws(PackedError) in try stored.member(at: first, second) }
    }

    /// The member with a name as an untyped value; nil when there is none.
    func untyped(_ name: String) -> Any? {
        let dates = Document.dateFormatter
        guard edits[name] == nil, name != Self.idMember, let stored else {
            return self[json: name].map { DynamicValue.any($0, dates: dates) }
        }
        return reading { () throws(PackedError) in
            let bytes = stored.bytes.span
            let whole = 0..<bytes.count
            guard let place = try PackedForm.range(ofMember: name, of: bytes, in: whole) else {
                return nil
            }
            return try DynamicValue.any(packed: bytes, in: place, dates: dates)
        }
    }

    /// Reads stored bytes; nil, and a note if one is kept, at damage.
    private func reading<Value>(_ body: () throws(PackedError) -> Value?) -> Value? {
        do throws(PackedError) {
            return try body()
        } catch {
            // Without a note the bytes were checked when the document was read.
            damage?.add(error)
            return nil
        }
    }

    /// Notes that a member was set to something that cannot be stored.
    mutating func reject(_ name: String, _ reason: String) {
        unsupported[name] = reason
    }

    /// The first of the members that were set to something that cannot be stored, and why.
    var firstUnsupported: (name: String, reason: String)? {
        unsupported.min { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Every member but the identifier.
    public var json: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        let value = reading { () throws(PackedError) in try stored?.value() }
        if case .object(let object)? = value { members = object }
        for (name, edit) in edits { members[name] = edit }
        return members
    }

    /// Refuses an identifier that no document can have.
    static func check(id: String) throws(DatabaseError) {
        do {
            try DocumentIdentifier.check(id)
        } catch {
            throw DatabaseError(
                .invalidDocumentId, "A document cannot be stored: \(error)", documentId: id,
                cause: error)
        }
    }

    /// The stored form of the members.
    ///
    /// - Throws: ``DatabaseError`` with `invalidDocument` when a member was set to something that
    ///   JSON cannot express, `documentTooLarge` when the limits are passed.
    /// - Complexity: Nothing for a document that was read and not changed; after a change, the bytes
    ///   of the document are copied, and only the members that were set are packed.
    package func packed() throws -> PackedValue {
        if let (name, reason) = firstUnsupported {
            throw DatabaseError(
                .invalidDocument, "The member '\(name)' of the document '\(id)' holds \(reason).",
                documentId: id)
        }
        if facts.unreadableRevision != nil {
            throw DatabaseError(
                .invalidDocument,
                "The metadata of the document '\(id)' has a revision that is none; set it to nil "
                    + "to write over whatever is there.", documentId: id)
        }
        do {
            if damage != nil { try stored?.check() }
            if edits.isEmpty, let stored { return stored }
            if let stored, stored.isObject { return try stored.setting(edits) }
            return try PackedValue(.object(json))
        } catch {
            throw DatabaseError(error, documentId: id)
        }
    }
}

extension Document: Equatable {
    /// Two documents are equal when their identifiers, members, and attachments are; revisions do
    /// not count.
    public static func == (left: Document, right: Document) -> Bool {
        left.id.utf8.elementsEqual(right.id.utf8) && left.unsupported == right.unsupported
            && left.attachments == right.attachments && left.json == right.json
    }
}
