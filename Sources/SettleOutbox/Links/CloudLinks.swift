import Settle

/// Which documents are attached to which cloud URIs, in one state of the database.
///
/// Shape (Docs/Formats/Outbox.md): two rows for each pair, 0 and the document, then the URI's digest -> the
/// URI; 1 and the URI's digest, then the document -> the URI. A third for one that is pending, 2 and the
/// document, then the URI's digest -> the URI.
struct CloudLinks {
    static let name = "outbox.links"
    private static let uriLengthMax = 8_192

    private let table: SideTable?

    init(in snapshot: Snapshot) throws {
        table = try snapshot.table(Self.name)
    }

    init(writingIn transaction: Transaction) throws {
        table = try transaction.sideTable(named: Self.name)
    }

    /// Detaches documents that are gone, at the end of a closure.
    @discardableResult
    init(detaching documentIds: [String], in transaction: Transaction) throws {
        try self.init(in: transaction)
        guard table != nil, !documentIds.isEmpty else { return }
        self = try CloudLinks(writingIn: transaction)
        for id in documentIds where try transaction.document(id) == nil {
            for uri in try uris(of: id) { try detach(uri, from: id) }
        }
    }

    /// Checks that documents are there that were attached to something.
    static func checkAttached(_ documentIds: Set<[UInt8]>, in transaction: Transaction) throws {
        for bytes in documentIds {
            let id = String(decoding: bytes, as: UTF8.self)
            if try transaction.document(id) != nil { continue }
            throw OutboxError(
                .documentNotFound,
                "A cloud URI was attached to the document '\(id)', which is not there at the end of "
                    + "the commit. Store the document in the same transaction, or before.")
        }
    }

    /// Attaches a document to a URI.
    ///
    /// One that is attached already, and is not pending, stays so.
    func attach(_ uri: String, to documentId: String, isPending: Bool) throws {
        guard (1...Self.uriLengthMax).contains(uri.utf8.count) else {
            throw OutboxError(
                .invalidLink,
                "A cloud URI has 1 to \(Self.uriLengthMax) bytes, not \(uri.utf8.count).")
        }
        guard (1...255).contains(documentId.utf8.count) else {
            throw OutboxError(
                .invalidLink,
                "The identifier of a document has 1 to 255 bytes, not \(documentId.utf8.count).")
        }
        let (forward, backward) = Self.keys(uri, documentId)
        let pending = Self.pendingKey(uri, documentId)
        if !isPending {
            try table?.remove(pending)
        } else if try table?.value(for: forward) == nil {
            try table?.set(Array(uri.utf8), for: pending)
        }
        try table?.set(Array(uri.utf8), for: forward)
        try table?.set(Array(uri.utf8), for: backward)
    }

    @discardableResult
    func detach(_ uri: String, from documentId: String) throws -> Bool {
        let (forward, backward) = Self.keys(uri, documentId)
        guard try table?.value(for: forward) != nil else { return false }
        try table?.remove(forward)
        try table?.remove(backward)
        try table?.remove(Self.pendingKey(uri, documentId))
        return true
    }

    func isPending(_ uri: String, _ documentId: String) throws -> Bool {
        try table?.value(for: Self.pendingKey(uri, documentId)) != nil
    }

    /// The pairs that are pending, in the byte order of the documents' identifiers.
    func pending() throws -> [(uri: String, documentId: String)] {
        var found: [(uri: String, documentId: String)] = []
        try forEach([2]) { key, uri in
            let id = key.dropFirst().dropLast(1 + Self.digestLength)
            found.append((uri, String(decoding: id, as: UTF8.self)))
        }
        return found
    }

    /// The URIs that a document is attached to, sorted.
    func uris(of documentId: String) throws -> [String] {
        var found: [String] = []
        try forEach(Self.prefix(ofDocument: documentId)) { _, uri in found.append(uri) }
        return found.sorted()
    }

    /// The documents that are attached to a URI, in the byte order of their identifiers.
    func documentIds(of uri: String) throws -> [String] {
        var found: [String] = []
        let prefix = Self.prefix(ofURI: uri)
        try forEach(prefix) { key, _ in
            found.append(String(decoding: key.dropFirst(prefix.count), as: UTF8.self))
        }
        return found
    }

    private func forEach(_ prefix: [UInt8], _ body: ([UInt8], String) -> Void) throws {
        try table?.forEach(from: prefix) { key, value in
            guard key.starts(with: prefix) else { return false }
            body(key, String(decoding: value, as: UTF8.self))
            return true
        }
    }

    /// Looks at every row, and for those that must be beside it.
    ///
    /// - Throws: ``DatabaseError`` when the database cannot be read; what ends the check.
    func check(_ report: SideTableReport) throws {
        try table?.forEach { key, value in
            try report.advance()
            let place = "side table '\(Self.name)'"
            guard let uri = String(validating: value, as: UTF8.self),
                let id = Self.documentId(ofKey: key, uri)
            else {
                report.found("A link cannot be read, or has a key that is not its own.", in: place)
                return true
            }
            let (forward, backward) = Self.keys(uri, id)
            if try table?.value(for: forward) != value || table?.value(for: backward) != value {
                report.found(
                    "A link of the document '\(id)' is not there from both ends.", in: place)
            }
            return true
        }
    }

    /// The document that a row is about; nil when the key is not one of this URI.
    private static func documentId(ofKey key: [UInt8], _ uri: String) -> String? {
        let digest = digest(uri)
        let bytes: ArraySlice<UInt8>
        switch key.first {
        case 1 where key.dropFirst().starts(with: digest):
            bytes = key.dropFirst(1 + digestLength)
        case 0, 2:
            guard key.count > 2 + digestLength, key.suffix(digestLength).elementsEqual(digest),
                key[key.count - digestLength - 1] == 0
            else { return nil }
            bytes = key.dropFirst().dropLast(digestLength + 1)
        default:
            return nil
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func prefix(ofDocument id: String) -> [UInt8] { [0] + Array(id.utf8) + [0] }

    private static func prefix(ofURI uri: String) -> [UInt8] { [1] + digest(uri) }

    private static let digestLength = 16

    private static func digest(_ uri: String) -> [UInt8] {
        Array(ContentDigest(of: Array(uri.utf8)).bytes.prefix(digestLength))
    }

    private static func pendingKey(_ uri: String, _ id: String) -> [UInt8] {
        [2] + Array(id.utf8) + [0] + digest(uri)
    }

    private static func keys(_ uri: String, _ id: String) -> (forward: [UInt8], backward: [UInt8]) {
        (prefix(ofDocument: id) + digest(uri), prefix(ofURI: uri) + Array(id.utf8))
    }
}
