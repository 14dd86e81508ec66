import Settle

/// The answer to a query as the tool shows it, and how it changes.
struct ResultRendering {
    /// How rows are shown to people.
    let table: RowTable
    /// Whether for programs, otherwise for people.
    let isJSON: Bool
    /// Where it is shown to people.
    var screen = Screen.plain
    /// The documents of the rows by identifier, where the rows have none themselves.
    var documents: [String: Document] = [:]

    /// The lines of a whole answer: for programs one for each row.
    ///
    /// - Parameters:
    ///   - result: The answer.
    ///   - place: What is said below its table of where the rows stand.
    /// - Returns: The lines.
    func lines(of result: QueryResultEnumerator, place: RowPlace? = nil) -> [String] {
        let rows = result.rows
        if isJSON { return rows.map { JSONRendering.compact(value(of: $0)) } }
        guard !rows.isEmpty else { return ["No rows."] }
        let sentence = result.totalRows == nil ? nil : place ?? RowPlace(count: rows.count)
        return table.lines(of: rows, on: screen) + documents(of: rows)
            + (sentence.map { ["", $0.sentence] } ?? [])
    }

    /// The rows of an answer as CSV text, below a line of titles.
    ///
    /// - Parameters:
    ///   - result: The answer.
    ///   - withDocuments: Whether the document of a row is its last field.
    /// - Returns: The lines.
    func csv(of result: QueryResultEnumerator, withDocuments: Bool) -> [String] {
        table.csv(of: result.rows, documents: withDocuments ? { document(of: $0) } : nil)
    }

    private func value(of row: QueryResultRow) -> JSONValue {
        RowText.value(of: row, document: document(of: row))
    }

    private func document(of row: QueryResultRow) -> Document? {
        row.document ?? row.documentId.flatMap { documents[$0] }
    }

    /// The lines of the first answer of an observed query: for programs one for all of it.
    func firstLines(of result: QueryResultEnumerator, place: RowPlace?) -> [String] {
        guard isJSON else { return lines(of: result, place: place) }
        let line: JSONValue = [
            "result": .array(result.rows.map { value(of: $0) }),
            "sequence": .integer(Int64(clamping: result.sequence)),
        ]
        return [JSONRendering.compact(line)]
    }

    /// The lines of a step: for programs one for all of its changes.
    ///
    /// - Parameters:
    ///   - step: What has changed.
    ///   - last: The answer before it.
    /// - Returns: The lines.
    func lines(
        of step: QueryChanges.Element, after last: QueryResultEnumerator
    ) -> [String] {
        let changes = step.changes.map { RowChange($0, from: last, to: step.result) }
        guard !isJSON else {
            let line: JSONValue = [
                "changes": .array(changes.map(\.value)),
                "sequence": .integer(Int64(clamping: step.result.sequence)),
            ]
            return [JSONRendering.compact(line)]
        }
        let heading = ["", "At the sequence \(step.result.sequence):"]
        let lines = table.lines(
            of: changes.map(\.row), after: changes.map { [$0.mark, $0.place] }, on: screen)
        return heading
            + zip(lines, changes).map { screen.palette.text($0, as: $1.role) }
            + documents(of: changes.filter(\.isThere).map(\.row))
    }

    private func documents(of rows: [QueryResultRow]) -> [String] {
        rows.compactMap { document(of: $0) }.flatMap { document in
            [""] + DocumentText.lines(of: document, palette: screen.palette)
        }
    }
}
