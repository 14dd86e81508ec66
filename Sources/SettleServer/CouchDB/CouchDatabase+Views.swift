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
    /// - Returns: JSON text.
    /// - Throws: ``CouchError``, 501 for a view of a stored design document that no declared index stands for;
    ///   ``DatabaseError``.
    /// - Complexity: As the query; linear in the rows of the range for a sender who sees a part.
    func view(_ name: CouchViewName, _ query: CouchViewQuery) async throws -> [UInt8] {
        guard database.indexNames.contains(name.index) else { throw try missingView(name) }
        let hasReducer = try database.indexStatus(named: name.index).reduce != nil
        let reduces = try query.check(hasReducer: hasReducer)
        if reduces, isLimited {
            throw CouchError(
                403, "forbidden",
                "The token shows a part of the documents, and what is reduced is of all; ask with reduce=false."
            )
        }
        let answer = try await rows(of: name.index, query, reduces: reduces)
        return try database.read { snapshot in
            var rows: [[UInt8]] = []
            var left = query.skip
            for row in answer {
                guard rows.count < query.limit ?? .max else { break }
                if isLimited {
                    guard try seesWinner(of: row.documentId ?? "", in: snapshot) else { continue }
                    guard left == 0 else {
                        left -= 1
                        continue
                    }
                }
                rows.append(try text(of: row, query, isReduced: reduces, in: snapshot))
            }
            var head = "{"
            if !reduces, !isLimited, let total = answer.totalRows {
                head += "\"total_rows\":\(total),"
                // Where there is no row the range ends where the rows do.
                head += "\"offset\":\(answer.offset.map(String.init) ?? "null"),"
            }
            if query.includesSequence {
                head += "\"update_seq\":\"\(Self.text(ofSequence: answer.sequence))\","
            }
            return Array("\(head)\"rows\":[\n".utf8)
                + Array(rows.joined(separator: Array(",\n".utf8))) + Array("\n]}".utf8)
        }
    }

    private func rows(
        of index: String, _ query: CouchViewQuery, reduces: Bool
    ) async throws -> QueryResultEnumerator {
        do {
            return try await database.runQuery(
                on: index, with: query.parameters(reduces: reduces, isWhole: isLimited))
        } catch let error as DatabaseError {
            switch error.code {
            case .unsupportedQuery: throw CouchError.queryParse(error.message)
            case .indexNotFound: throw CouchError(404, "not_found", "missing_named_view")
            case .indexFailed: throw CouchError(500, "internal_server_error", error.message)
            default: throw error
            }
        }
    }

    /// Whether the sender sees the leaf of a document that indexes have.
    func seesWinner(of id: String, in snapshot: Snapshot) throws -> Bool {
        guard isLimited else { return true }
        return try tree(of: id, in: snapshot)?.winner == snapshot.revisionTree(of: id)?.winner
    }

    private func text(
        of row: QueryResultRow, _ query: CouchViewQuery, isReduced: Bool, in snapshot: Snapshot
    ) throws -> [UInt8] {
        var text: [UInt8] = [UInt8(ascii: "{")]
        if !isReduced {
            text += Array("\"id\":".utf8)
            JSONText.append(row.documentId ?? "", to: &text)
            text.append(UInt8(ascii: ","))
        }
        text += Array("\"key\":".utf8)
        JSONText.append(row.keyJSON, to: &text)
        text += Array(",\"value\":".utf8)
        JSONText.append(row.valueJSON, to: &text)
        if query.includesDocuments, !isReduced {
            // A value may name another document, and a revision of it.
            let id = row.valueJSON["_id"]?.stringValue ?? row.documentId ?? ""
            let revision = row.valueJSON["_rev"]?.stringValue.flatMap { RevisionName($0) }
            text += Array(",\"doc\":".utf8)
            let tree = try tree(of: id, in: snapshot)
            if let tree, let leaf = revision.map({ tree.leaf($0) }) ?? tree.winner,
                !leaf.isDeleted || revision != nil
            {
                text += try Self.text(of: id, leaf, tree, query.options, in: snapshot)
            } else {
                text += Array("null".utf8)
            }
        }
        return text + Array("}".utf8)
    }
}
