import Settle

/// The document that members make which describe no attachments, ready to be stored.
///
/// A reference, because the items that carry it are copied on their way to the store.
final class ReadyDocument: Sendable {
    /// The members without a description of attachments: a sound object.
    let body: PackedValue
    /// The digest of the document's first revision.
    let digest: Revision.Digest
    /// Whether there is a null among the members.
    let hasNull: Bool
    private let version: String?
    private let note: NoteVersion

    /// Works out the digest, and the short form of a version.
    ///
    /// - Parameters:
    ///   - body: A sound object that has no member for attachments.
    ///   - version: The item's version.
    init(_ body: PackedValue, version: String?) {
        self.body = body
        self.version = version
        digest = Revision.digest(
            parentGeneration: 0, parent: nil, isDeleted: false, body: body, attachments: [])
        hasNull = (try? body.hasNull()) ?? true
        note = NoteVersion(version)
    }

    /// The short form of a version, which is at hand for that of the item.
    func note(of version: String?) -> NoteVersion {
        version == self.version ? note : NoteVersion(version)
    }
}

/// What was worked out from the rest of a value: it says nothing more, and does not count in comparisons.
struct Derived<Value: Sendable>: Sendable, Hashable {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }

    static func == (left: Derived, right: Derived) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
