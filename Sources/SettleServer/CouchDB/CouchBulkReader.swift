import Settle

/// The documents that a `_bulk_get` asks for as text, piece by piece, each read when it is asked for.
struct CouchBulkReader: CouchPieceReader {
    private let database: CouchDatabase
    private let options: CouchDocumentOptions
    private var wanted: ArraySlice<JSONValue>
    private var hasGiven = false

    /// How many bytes a piece has before there is no further document in it.
    private static let pieceBytesMax = 1 << 18

    init(_ database: CouchDatabase, _ wanted: [JSONValue], _ options: CouchDocumentOptions) {
        self.database = database
        self.wanted = wanted[...]
        self.options = options
    }

    /// The next piece; nil after the last.
    ///
    /// - Throws: ``DatabaseError``.
    mutating func next() throws -> [UInt8]? {
        guard !wanted.isEmpty else { return nil }
        return try database.database.read { snapshot in
            var text: [UInt8] = []
            while text.count < Self.pieceBytesMax, let request = wanted.popFirst() {
                if hasGiven { text.append(UInt8(ascii: ",")) }
                hasGiven = true
                text += Array("{\"id\":".utf8)
                JSONText.append(request["id"] ?? .null, to: &text)
                text += Array(",\"docs\":[".utf8)
                do {
                    text += try documents(request, in: snapshot)
                } catch let failure as Failure {
                    text += failure.text
                }
                text += Array("]}".utf8)
            }
            return text
        }
    }

    /// Why a document is not read; the others are.
    private struct Failure: Error {
        let id: JSONValue
        let revision: JSONValue
        let error: CouchError

        var text: [UInt8] {
            JSONText.text(of: [
                "error": [
                    "id": id, "rev": revision, "error": .string(error.error),
                    "reason": .string(error.reason),
                ]
            ])
        }
    }

    /// The leaves that an entry is about, in CouchDB's words when it is malformed.
    private func documents(_ request: JSONValue, in snapshot: Snapshot) throws -> [UInt8] {
        guard case .object(let members) = request, !members.isEmpty else {
            let error = CouchError.badRequest("document must be a JSON object")
            throw Failure(id: .null, revision: .null, error: error)
        }
        guard let named = members["id"] else {
            let error = CouchError.badRequest("document id missed")
            throw Failure(id: .null, revision: .null, error: error)
        }
        guard let id = named.stringValue else {
            let error = CouchError.illegalId("Document id must be a string")
            throw Failure(id: named, revision: .null, error: error)
        }
        func check(_ revision: JSONValue) throws -> String {
            guard let text = revision.stringValue, RevisionName(text) != nil else {
                throw Failure(id: named, revision: revision, error: .invalidRevision)
            }
            return text
        }
        let revision = try members["rev"].map(check)
        var options = options
        if let since = members["atts_since"], since != [] {
            guard let list = since.arrayValue else {
                let error = CouchError.badRequest("att_since value must be array of revs.")
                throw Failure(id: named, revision: since, error: error)
            }
            options.attachmentsSince = try list.map(check)
            options.attachments = true
        }
        let tree = try database.tree(of: id, in: snapshot) ?? RevisionTree()
        func missing(_ text: String) -> Failure {
            Failure(id: named, revision: .string(text), error: .missing)
        }
        // Without a revision, all leaves.
        if revision == nil, tree.isEmpty { throw missing("undefined") }
        let found = try CouchDatabase.leaves(revision.map { [$0] }, tree, options)
        let texts = try found.map { leaf -> [UInt8] in
            switch leaf {
            case .success(let leaf):
                return Array("{\"ok\":".utf8)
                    + (try CouchDatabase.text(of: id, leaf, tree, options, in: snapshot)) + [0x7D]
            case .failure(let found): return missing(found.text).text
            }
        }
        return Array(texts.joined(separator: [0x2C]))
    }
}
