import Settle

/// The answer to a query as the tool shows it, and how it changes.
struct ResultRendering {
    /// How rows are shown to people.
    let table: RowTable
    /// Whether for programs, otherwise for people.
    let isJSON: Bool

    /// The lines of a whole answer: for programs one for each row.
    func lines(of result: QueryResultEnumerator) -> [String] {
        let rows = result.rows
        if isJSON { return rows.map { JSONRendering.compact(RowText.value(of: $0)) } }
        guard !rows.isEmpty else { return ["No rows."] }
        let place = RowPlace.sentence(of: result).map { ["", $0] } ?? []
        return table.lines(of: rows) + documents(of: rows) + place
    }

    /// The lines of the first answer of an observed query: for programs one for all of it.
    func firstLines(of result: QueryResultEnumerator) -> [String] {
        guard isJSON else { return lines(of: result) }
        let line: JSONValue = [
            "result": .array(result.rows.map { RowText.value(of: $0) }),
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
        return heading
            + table.lines(of: changes.map(\.row), after: changes.map { [$0.mark, $0.place] })
            + documents(of: changes.filter(\.isThere).map(\.row))
    }

    private func documents(of rows: [QueryResultRow]) -> [String] {
        rows.compactMap(\.document).flatMap { document in
            [
                "", DocumentText.heading(of: document),
                JSONRendering.indented(DocumentText.value(of: document)),
            ]
        }
    }
}
