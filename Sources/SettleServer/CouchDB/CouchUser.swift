import Settle

/// Who sends a request of CouchDB's protocol.
struct CouchUser: Sendable, Equatable {
    /// What the token tells.
    var sender = Sender.anonymous
    /// Whether the sender makes, deletes and administers databases; it says nothing of documents.
    var isAdministrator = false
    /// The token; nil when none was shown.
    var token: String?
    /// How the token came, in CouchDB's words.
    var handler: String?

    /// Whoever reaches a server that lets in everybody.
    static let everybody = CouchUser(isAdministrator: true)

    /// The claim that CouchDB has for the roles of a token.
    static let rolesClaim = "_couchdb.roles"
    /// The role of administrators.
    static let administratorRole = "_admin"

    /// The subject of the token.
    var name: String? { sender.subject }

    /// The roles that the token claims.
    var roles: [String] {
        let claimed = sender.claims?[Self.rolesClaim]?.arrayValue?.compactMap(\.stringValue) ?? []
        return claimed.isEmpty && isAdministrator ? [Self.administratorRole] : claimed
    }

    /// The sender as `_session` shows them.
    var context: JSONValue {
        [
            "name": name.map { .string($0) } ?? .null,
            "roles": .array(roles.map { .string($0) }),
        ]
    }

    /// Whose local documents the sender reads and writes; nil for those that everybody shares.
    ///
    /// A checkpoint is of what was seen, so it is another one for other channels: a replication whose token
    /// shows more begins anew.
    func owner(reading identity: Identity) -> String? {
        guard self != .everybody else { return nil }
        let channels = identity.readable.map { channels in
            JSONValue.array(channels.sorted().map { .string($0) })
        }
        let text = JSONText.text(of: [name.map { .string($0) } ?? .null, channels ?? .null])
        return String(ContentDigest(of: text).description.prefix(32))
    }
}
