import Settle

/// The document that members make which describe no attachments, ready to be stored.
struct ReadyDocument: Sendable {
    /// The members without a description of attachments: a sound object.
    let body: PackedValue
    /// The digest of the document's first revision.
    let digest: Revision.Digest

    /// Works out the digest.
    ///
    /// - Parameter body: A sound object that has no member for attachments.
    init(_ body: PackedValue) {
        self.body = body
        digest = Revision.digest(
            parentGeneration: 0, parent: nil, isDeleted: false, body: body, attachments: [])
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
