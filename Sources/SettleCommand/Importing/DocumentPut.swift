import Settle

/// Stores typed documents, all in one transaction.
struct DocumentPut: Sendable {
    /// What becomes of a document that is there already.
    enum Existing: Sendable {
        case refuse, replace, merge
    }

    /// What was done to a document.
    struct Change: Sendable {
        let id: String
        let revision: String
        /// `added`, `replaced`, `merged` or `unchanged`.
        let name: String

        /// The change for people.
        var line: String { "\(ScreenText.printable(id))  \(revision)  \(name)" }

        /// The change for programs.
        var json: String {
            JSONRendering.compact([
                "id": .string(id), "revision": .string(revision), "change": .string(name),
            ])
        }
    }

    /// What becomes of documents that are there.
    let existing: Existing
    /// The revision that the document must have; nil for any.
    let revision: String?

    /// Stores documents.
    ///
    /// - Returns: What was done, in their order.
    /// - Throws: ``CommandFailure`` for a document that is there, or has another revision, or is
    ///   given twice; `DatabaseError` as `Transaction.save`. Nothing is stored then.
    func store(_ documents: [TypedDocument], in transaction: Transaction) throws -> [Change] {
        var ids: Set<String> = []
        for id in documents.compactMap(\.givenId) where !ids.insert(id).inserted {
            throw CommandFailure(
                "The document \(Self.quoted(id)) is given twice. Nothing was stored.")
        }
        return try documents.map { try store($0, in: transaction) }
    }

    private func store(_ typed: TypedDocument, in transaction: Transaction) throws -> Change {
        let id = typed.givenId ?? Document().id
        let found = try transaction.document(id)
        if let revision { try Self.require(revision, of: id, found) }
        guard var document = found else {
            // Merged into an object without members: nulls remove, here too.
            let members =
                existing == .merge ? Self.merged([:], with: typed.members) : typed.members
            let made = try transaction.add(Document(id: id, members: members))
            return Change(made, "added")
        }
        let members: [String: JSONValue]
        switch existing {
        case .merge: members = Self.merged(document.json, with: typed.members)
        case .replace: members = typed.members
        case .refuse where revision != nil: members = typed.members
        case .refuse:
            throw CommandFailure(
                "There is a document \(Self.quoted(id)) already, at revision "
                    + "\(document.metaData.revision ?? ""). --replace puts the new one in its "
                    + "place, --merge changes the members that are given. Nothing was stored.")
        }
        guard members != document.json else { return Change(document, "unchanged") }
        document.replaceMembers(with: members)
        return Change(
            try transaction.update(document), existing == .merge ? "merged" : "replaced")
    }

    /// Refuses a document that has another revision.
    static func require(_ revision: String, of id: String, _ found: Document?) throws {
        guard found?.metaData.revision != revision else { return }
        let state =
            found.map { "is at revision \($0.metaData.revision ?? "")" } ?? "is not there"
        throw CommandFailure(
            "The document \(quoted(id)) \(state), and not at \(revision). Nothing was changed.")
    }

    /// The members of one object, changed as RFC 7396 (JSON Merge Patch) says.
    static func merged(
        _ members: [String: JSONValue], with patch: [String: JSONValue]
    ) -> [String: JSONValue] {
        var result = members
        for (name, value) in patch {
            switch value {
            case .null: result[name] = nil
            case .object(let inner):
                result[name] = .object(merged(result[name]?.objectValue ?? [:], with: inner))
            default: result[name] = value
            }
        }
        return result
    }

    private static func quoted(_ id: String) -> String { "'\(ScreenText.printable(id))'" }
}

extension DocumentPut.Change {
    fileprivate init(_ document: Document, _ name: String) {
        self.init(id: document.id, revision: document.metaData.revision ?? "", name: name)
    }
}

extension Document {
    /// A document of an identifier and members.
    init(id: String, members: [String: JSONValue]) {
        self.init(id: id)
        replaceMembers(with: members)
    }

    /// Gives it other members; what else belongs to it, such as attachments, stays.
    mutating func replaceMembers(with members: [String: JSONValue]) {
        for name in json.keys where members[name] == nil { self[json: name] = nil }
        for (name, value) in members where self[json: name] != value { self[json: name] = value }
    }
}
