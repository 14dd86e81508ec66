import Settle

// Who may come to a database at all, by names and roles, in CouchDB's form. It narrows what tokens and rules give, and
// never widens it.

extension CouchDatabase {
    /// The side table with the security object.
    static let securityTable = "couchdb.security"
    private static let securityKey = Array("security".utf8)

    /// The security object; empty until one is set.
    func security() throws -> JSONValue {
        let row = try database.read {
            try $0.table(Self.securityTable)?.value(for: Self.securityKey)
        }
        return try row.map { try JSONText.value(from: $0) } ?? [:]
    }

    /// Sets the security object.
    ///
    /// - Throws: ``CouchError`` 400 when it is none.
    func setSecurity(_ members: [String: JSONValue]) async throws {
        for (group, value) in members where ["admins", "members"].contains(group) {
            for name in ["names", "roles"] {
                let list = value[name] ?? []
                guard value.objectValue != nil, let texts = list.arrayValue,
                    texts.allSatisfy({ $0.stringValue != nil })
                else {
                    throw CouchError.badRequest(
                        "\(group) must have lists of strings, names and roles")
                }
            }
        }
        try await database.write { transaction in
            try transaction.sideTable(named: Self.securityTable).set(
                JSONText.text(of: .object(members)), for: Self.securityKey)
        }
    }

    /// Finds out whether the sender may come to the database, and administers it.
    ///
    /// - Throws: ``CouchError`` 401 or 403 when not.
    mutating func admit() throws {
        guard user != .everybody else { return }
        let security = try security()
        func lists(_ group: String) -> Bool {
            let list = security[group]
            let (names, roles) = (list?["names"]?.arrayValue, list?["roles"]?.arrayValue)
            return user.name.map { names?.contains(.string($0)) ?? false } ?? false
                || user.roles.contains { roles?.contains(.string($0)) ?? false }
        }
        isAdministered = user.isAdministrator || lists("admins")
        let members = security["members"]
        let isOpen =
            members?["names"]?.arrayValue?.isEmpty ?? true
            && members?["roles"]?.arrayValue?.isEmpty ?? true
        guard isOpen || isAdministered || lists("members") else { throw CouchError.notMember(user) }
    }

    /// POST to `_purge`: removes leaves as if they had never been.
    ///
    /// - Throws: ``CouchError`` 400 for a body of another form; ``DatabaseError``.
    func purge(_ body: [String: JSONValue]) async throws -> JSONValue {
        try await database.write { transaction in
            var purged: [String: JSONValue] = [:]
            for (id, value) in body {
                guard let texts = value.arrayValue?.compactMap(\.stringValue) else {
                    throw CouchError.badRequest("Request body must be a JSON object of lists")
                }
                let gone = try transaction.purge(leaves: texts, ofDocumentWithId: id)
                purged[id] = .array(gone.map { .string($0) })
                let names = gone.compactMap { RevisionName($0) }
                for table in [Self.channelsTable, Self.generationsTable]
                where try !names.isEmpty && transaction.table(table) != nil {
                    let rows = try transaction.sideTable(named: table)
                    for name in names { try rows.remove(Self.key(of: name, id)) }
                }
            }
            return ["purge_seq": .null, "purged": .object(purged)]
        }
    }
}

extension CouchError {
    /// What a sender is told to whom a database is closed.
    static func notMember(_ user: CouchUser) -> CouchError {
        user.token == nil
            ? CouchError(401, "unauthorized", "You are not authorized to access this db.")
            : CouchError(403, "forbidden", "You are not allowed to access this db.")
    }
}
