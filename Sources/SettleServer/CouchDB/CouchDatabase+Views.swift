import Settle

/// The names by which views stand for indexes: `d/v` is the view `v` of the design document `d`, and
/// an index without a slash is one of the design document `settle`.
struct CouchViewName: Hashable {
    /// The design document of indexes without a slash.
    static let ownDesign = "settle"

    let design: String
    let view: String

    init(design: String, view: String) {
        self.design = design
        self.view = view
    }

    init(index name: String) {
        let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            self.init(design: Self.ownDesign, view: name)
            return
        }
        self.init(design: String(parts[0]), view: String(parts[1]))
    }

    var index: String { design == Self.ownDesign ? view : "\(design)/\(view)" }
}

extension CouchDatabase {
    /// The rows of a view.
    ///
    /// A sender who sees a part of the documents gets the rows of those, without how many there are of others, and
    /// nothing that is reduced.
    ///
    /// - Returns: JSON text in pieces.
    /// - Throws: ``CouchError``, 501 for a view of a stored design document that no declared index stands for;
    ///   ``DatabaseError``.
    /// - Complexity: As the query; linear in the rows of the range for a sender who sees a part.
    func view(_ name: CouchViewName, _ query: CouchViewQuery) async throws -> CouchParts {
        guard let hasReducer = try database.hasReducer(ofIndexNamed: name.index) else {
            throw try missingView(name)
        }
        let reduces = try query.check(hasReducer: hasReducer)
        if reduces, isLimited {
            throw CouchError(
                403, "forbidden",
                "The token shows a part of the documents, and what is reduced is of all; ask with reduce=false."
            )
        }
        do {
            return try await reduces ? reduced(name, query) : rows(name, query)
        } catch let error as DatabaseError {
            switch error.code {
            case .unsupportedQuery: throw CouchError.queryParse(error.message)
            case .indexNotFound: throw CouchError(404, "not_found", "missing_named_view")
            case .indexFailed: throw CouchError(500, "internal_server_error", error.message)
            default: throw error
            }
        }
    }

    private func reduced(
        _ name: CouchViewName, _ query: CouchViewQuery
    ) async throws -> CouchParts {
        let answer = try await database.runQuery(
            on: name.index, with: query.parameters(reduces: true, isWhole: false))
        var rows = CouchRows(query)
        for row in answer where !rows.isFull {
            rows.add { text in
                text += Array("{\"key\":".utf8)
                JSONText.append(row.keyJSON, to: &text)
                text += Array(",\"value\":".utf8)
                JSONText.append(row.valueJSON, to: &text)
                text.append(UInt8(ascii: "}"))
            }
        }
        return rows.answer(behind: head(query, answer.sequence))
    }

    private func rows(_ name: CouchViewName, _ query: CouchViewQuery) async throws -> CouchParts {
        let found = try await database.readCountedRows(
            of: name.index, with: query.parameters(reduces: false, isWhole: isLimited),
            into: CouchRows(query)
        ) { rows, row, snapshot, sequence in
            guard !rows.isFull else { return }
            let id = try row.documentId
            if isLimited {
                // The row may be older than the document, and be of one that the sender may not see.
                guard let change = try snapshot.lastChange(of: id), change.sequence <= sequence,
                    try seesWinner(of: id, in: snapshot), rows.passesSkipped()
                else { return }
            }
            try rows.add { text in
                text += Array("{\"id\":".utf8)
                JSONText.append(id, to: &text)
                text += Array(",\"key\":".utf8)
                try row.appendKeyJSON(to: &text)
                text += Array(",\"value\":".utf8)
                try row.appendValueJSON(to: &text)
                if query.includesDocuments {
                    text += Array(",\"doc\":".utf8)
                    try append(
                        documentOf: id, try row.valueJSON, query.options, in: snapshot, to: &text)
                }
                text.append(UInt8(ascii: "}"))
            }
        }
        var head = ""
        if !isLimited, let total = found.totalRows {
            // Where there is no row the range ends where the rows do.
            let offset = found.offset.map(String.init) ?? "null"
            head = "\"total_rows\":\(total),\"offset\":\(offset),"
        }
        return found.result.answer(behind: head + self.head(query, found.sequence))
    }

    private func head(_ query: CouchViewQuery, _ sequence: UInt64) -> String {
        query.includesSequence
            ? "\"update_seq\":\"\(Self.text(ofSequence: sequence))\"," : ""
    }

    /// Whether the sender sees the leaf of a document that indexes have.
    func seesWinner(of id: String, in snapshot: Snapshot) throws -> Bool {
        guard isLimited else { return true }
        guard let winner = try snapshot.revisionTree(of: id)?.winner else { return false }
        return try tree(of: id, in: snapshot)?.winner == winner
    }

    /// Appends the document of a row, or the one that its value names, with the revision that the value names.
    private func append(
        documentOf id: String, _ value: JSONValue, _ options: CouchDocumentOptions,
        in snapshot: Snapshot, to text: inout [UInt8]
    ) throws {
        let id = value["_id"]?.stringValue ?? id
        let revision = value["_rev"]?.stringValue.flatMap { RevisionName($0) }
        let tree = try tree(of: id, in: snapshot)
        if let tree, let leaf = revision.map({ tree.leaf($0) }) ?? tree.winner,
            !leaf.isDeleted || revision != nil
        {
            text += try Self.text(of: id, leaf, tree, options, in: snapshot)
        } else {
            text += Array("null".utf8)
        }
    }
}

/// The rows of an answer, as text.
private struct CouchRows: Sendable {
    private var parts = CouchParts()
    private var text: [UInt8] = []
    private var count = 0
    private var toSkip: Int
    private let limit: Int

    /// How long a piece of text gets, in bytes.
    private static let pieceLength = 256 << 10

    init(_ query: CouchViewQuery) {
        toSkip = query.skip
        limit = query.limit ?? .max
    }

    /// Whether there are as many as were asked for.
    var isFull: Bool { count >= limit }

    /// Whether all are passed over that are to be.
    mutating func passesSkipped() -> Bool {
        if toSkip == 0 { return true }
        toSkip -= 1
        return false
    }

    /// Adds a row.
    mutating func add<Failure>(_ write: (inout [UInt8]) throws(Failure) -> Void) throws(Failure) {
        if count > 0 { text += Array(",\n".utf8) }
        count += 1
        try write(&text)
        guard text.count >= Self.pieceLength else { return }
        parts.append(text)
        text.removeAll(keepingCapacity: true)
    }

    /// The answer, with members before the rows.
    func answer(behind head: String) -> CouchParts {
        var answer = CouchParts()
        answer.append("{\(head)\"rows\":[\n")
        answer.append(parts)
        answer.append(text + Array("\n]}".utf8))
        return answer
    }
}
