import Settle

/// The tags, in one state of the database.
///
/// Shape (Docs/Formats/Outbox.md): SHA-256 of the key's text, shortened to 16 bytes, and the identifier ->
/// layout, the key, the tag. The identifiers of a key are neighbours, and keys may be long.
struct TagTable {
    static let name = "outbox.tags"
    private static let layout: UInt8 = 1
    private static let identifierLengthMax = 400
    private static let keyLengthMax = 8_192
    private static let valueLengthMax = 1 << 20

    private let table: SideTable?

    init(in snapshot: Snapshot) throws {
        table = try snapshot.table(Self.name)
    }

    init(writingIn transaction: Transaction) throws {
        table = try transaction.sideTable(named: Self.name)
    }

    func tag(_ identifier: String, of key: String) throws -> CloudTag? {
        try Self.check(identifier, key)
        guard let bytes = try table?.value(for: Self.rowKey(identifier, key)) else { return nil }
        return try Self.read(bytes).tag
    }

    func set(_ tag: CloudTag?, _ identifier: String, of key: String) throws {
        try Self.check(identifier, key)
        let rowKey = Self.rowKey(identifier, key)
        guard let tag else {
            try table?.remove(rowKey)
            return
        }
        var row = RowWriter()
        row.write(byte: Self.layout)
        row.write(counted: key.utf8)
        tag.write(to: &row)
        guard row.bytes.count <= Self.valueLengthMax else {
            throw OutboxError(
                .invalidTag,
                "A tag has up to \(Self.valueLengthMax) bytes with its key, not \(row.bytes.count). Keep "
                    + "what is larger in a document.")
        }
        try table?.set(row.bytes, for: rowKey)
    }

    /// Walks the tags of a key, in the byte order of their identifiers.
    func forEach(of key: String, _ body: (String, CloudTag) throws -> Bool) throws {
        try Self.check("any", key)
        let prefix = Self.prefix(key)
        try table?.forEach(from: prefix) { bytes, value in
            guard bytes.starts(with: prefix) else { return false }
            return try body(
                String(decoding: bytes.dropFirst(prefix.count), as: UTF8.self),
                Self.read(value).tag)
        }
    }

    func removeAll(of key: String) throws {
        var identifiers: [String] = []
        try forEach(of: key) { identifier, _ in
            identifiers.append(identifier)
            return true
        }
        for identifier in identifiers { try table?.remove(Self.rowKey(identifier, key)) }
    }

    private static func read(_ bytes: [UInt8]) throws -> (key: String, tag: CloudTag) {
        var row = RowReader(bytes, place: "a tag of the outbox")
        guard try row.byte() == layout else { throw row.damage }
        return (try row.text(), try CloudTag(from: &row))
    }

    /// Looks at every row.
    ///
    /// - Throws: ``DatabaseError`` when the database cannot be read; what ends the check.
    func check(_ report: SideTableReport) throws {
        try table?.forEach { key, value in
            try report.advance()
            let place = "side table '\(Self.name)'"
            guard let row = try? Self.read(value) else {
                report.found("A tag cannot be read.", in: place)
                return true
            }
            if !key.starts(with: Self.prefix(row.key))
                || String(validating: key.dropFirst(16), as: UTF8.self)?.isEmpty ?? true
            {
                report.found("A tag has a key that is not its own.", in: place)
            }
            return true
        }
    }

    private static func prefix(_ key: String) -> [UInt8] {
        Array(ContentDigest(of: Array(key.utf8)).bytes.prefix(16))
    }

    private static func rowKey(_ identifier: String, _ key: String) -> [UInt8] {
        prefix(key) + Array(identifier.utf8)
    }

    private static func check(_ identifier: String, _ key: String) throws(OutboxError) {
        guard (1...identifierLengthMax).contains(identifier.utf8.count),
            (1...keyLengthMax).contains(key.utf8.count)
        else {
            throw OutboxError(
                .invalidTag,
                "A tag has a key of 1 to \(keyLengthMax) bytes and an identifier of 1 to "
                    + "\(identifierLengthMax), not \(key.utf8.count) and \(identifier.utf8.count).")
        }
    }
}
