/// One row of an observed list of models.
public struct ModelRow<Model: DocumentModel>: Identifiable, Sendable {
    /// The row, with the document that it shows.
    public let row: QueryResultRow
    /// The model with its document; nil when the row shows no document, or one that is not what the model
    /// expects.
    public let stored: Stored<Model>?
    /// Why the document cannot be read, if it cannot: the model and the member, not the content.
    public let error: DatabaseError?

    /// The identifier of the document that the row shows; of a row that shows none, of the one that it was
    /// made for.
    public var id: String { row.document?.id ?? row.documentId ?? "" }

    init(_ row: QueryResultRow) {
        self.row = row
        guard let document = row.document else {
            (stored, error) = (nil, nil)
            return
        }
        do throws(DatabaseError) {
            (stored, error) = (try Stored(document), nil)
        } catch {
            (stored, self.error) = (nil, error)
        }
    }

    /// A row that shows the same revision as another one did.
    ///
    /// Its attachments may have come since, and its expiration date may be another.
    fileprivate init(_ row: QueryResultRow, _ document: Document, like other: ModelRow) {
        self.row = row
        stored = other.stored.map { Stored($0.model, of: document) }
        error = other.error
    }
}

/// Makes models of the rows of one result after the other, decoding only what is new.
struct ModelRows<Model: DocumentModel>: Sendable {
    private struct State: Hashable {
        let id: [UInt8]
        let revision: String?
    }

    private var known: [State: ModelRow<Model>] = [:]

    /// The rows of a result.
    ///
    /// - Complexity: O(n) for n rows, of which only those are decoded whose documents changed.
    mutating func rows(of result: QueryResultEnumerator) -> [ModelRow<Model>] {
        var (rows, next): ([ModelRow<Model>], [State: ModelRow<Model>]) = ([], [:])
        rows.reserveCapacity(result.count)
        next.reserveCapacity(result.count)
        for row in result {
            guard let document = row.document else {
                rows.append(ModelRow(row))
                continue
            }
            let state = State(id: Array(document.id.utf8), revision: document.revisionText)
            let made = known[state].map { ModelRow(row, document, like: $0) } ?? ModelRow(row)
            rows.append(made)
            next[state] = made
        }
        known = next
        return rows
    }
}

extension ModelList {
    init(_ rows: [ModelRow<Model>]) {
        self.init()
        for row in rows { append(row) }
    }
}
