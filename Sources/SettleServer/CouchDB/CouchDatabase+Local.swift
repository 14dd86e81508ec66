import Settle

// Documents that are not replicated and not in the feed: checkpoints of replicators. They lie in a side table: the number of
// the revision, eight bytes, and the packed members. Those of a sender with a token have keys of their own: a zero, 32
// digits that stand for the sender and what they see, and the identifier.

extension CouchDatabase {
    /// What stands before the identifiers of the sender's local documents.
    private var localPrefix: [UInt8] {
        user.owner(reading: identity).map { [0] + Array($0.utf8) } ?? []
    }

    private func localKey(_ id: String) throws(CouchError) -> [UInt8] {
        guard (1...400).contains(id.utf8.count), id.utf8.first != 0 else {
            throw .illegalId("Document id must not be empty")
        }
        return localPrefix + Array(id.utf8)
    }

    /// A local document; nil when there is none.
    func local(_ id: String) throws -> JSONValue? {
        let key = try localKey(id)
        return try database.read { snapshot in
            guard let row = try snapshot.table(Self.localTable)?.value(for: key),
                row.count > 8
            else { return nil }
            return try Self.local(id, row)
        }
    }

    private static func local(_ id: String, _ row: [UInt8]) throws -> JSONValue {
        let number = row.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        var members = try PackedValue(stored: Array(row.dropFirst(8))).value().objectValue ?? [:]
        members["_id"] = .string("_local/" + id)
        members["_rev"] = .string("0-\(number)")
        return .object(members)
    }

    /// Stores a local document.
    ///
    /// - Returns: The new revision: one after the given one, or the first when none is given.
    func putLocal(_ id: String, _ input: CouchInput) async throws -> String {
        let key = try localKey(id)
        var number: UInt64 = 0
        if let revision = input.revision {
            guard revision.hasPrefix("0-"), let known = UInt64(revision.dropFirst(2)) else {
                throw CouchError.invalidRevision
            }
            number = known
        }
        let next = number &+ 1
        let row =
            (0..<8).map { UInt8(truncatingIfNeeded: next >> UInt64(56 - 8 * $0)) }
            + input.members.bytes
        try await database.write { transaction in
            try transaction.sideTable(named: Self.localTable).set(row, for: key)
        }
        return "0-\(next)"
    }

    /// Removes a local document.
    ///
    /// - Throws: ``CouchError`` when there is none.
    func deleteLocal(_ id: String) async throws {
        let key = try localKey(id)
        let isRemoved = try await database.write { transaction in
            try transaction.sideTable(named: Self.localTable).remove(key)
        }
        guard isRemoved else { throw CouchError.missing }
    }

    /// `_local_docs`: all of them, by identifier.
    func localDocuments(_ listing: CouchListing) throws -> JSONValue {
        let prefix = localPrefix
        let rows = try database.read { snapshot in
            var rows: [JSONValue] = []
            try snapshot.table(Self.localTable)?.forEach(from: prefix) { key, row in
                guard key.starts(with: prefix) else { return false }
                // Those that everybody shares come after those of senders.
                if prefix.isEmpty, key.first == 0 { return true }
                let id = String(decoding: key.dropFirst(prefix.count), as: UTF8.self)
                let document = try Self.local(id, row)
                var members: [String: JSONValue] = [
                    "id": .string("_local/" + id), "key": .string("_local/" + id),
                    "value": ["rev": document["_rev"] ?? .null],
                ]
                if listing.includesDocuments { members["doc"] = document }
                rows.append(.object(members))
                return true
            }
            return rows
        }
        return [
            "total_rows": .null, "offset": .null,
            "rows": .array(Array(rows.dropFirst(listing.skip).prefix(listing.limit))),
        ]
    }
}
