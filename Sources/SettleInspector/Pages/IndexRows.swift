import Foundation
import Settle

/// The rows of an index: the form that asks for them, and the answer with what it took.
enum IndexRows {
    /// How many keys a list may have.
    static let keyCountMax = 1_000

    static func form(_ status: IndexStatus, _ request: PageRequest) -> Form {
        let values = request.values
        var fields = [
            Field(
                name: "from", label: "From key", value: values["from"] ?? "",
                hint: "JSON: \"apple\", 5 or [\"fruit\", 5]", isSearch: true),
            Field(name: "to", label: "To key", value: values["to"] ?? "", hint: "JSON"),
            Field(
                name: "keys", label: "Or a list of keys", value: values["keys"] ?? "",
                hint: "JSON: [\"apple\", \"pear\"]. Each is answered in turn."),
            Field(
                name: "order", label: "Order", value: values["order"] ?? "ascending",
                kind: .choice(["ascending", "descending"])),
        ]
        if status.reduce != nil {
            fields.append(
                Field(
                    name: "level", label: "Reduced", value: values["level"] ?? "rows",
                    kind: .choice(["rows", "all", "keys", "1", "2", "3", "4"]),
                    hint:
                        "rows: not at all; all: to one value; keys: by key; a number: by so many parts of the key."
                ))
        }
        return Form(
            action: request.address("index"), isChange: false, fields: fields,
            hidden: [("name", status.name)], button: "Show")
    }

    static func blocks(
        _ status: IndexStatus, _ request: PageRequest
    ) async throws -> [Block] {
        let query = try query(request)
        let (result, cost): (QueryResultEnumerator, QueryCost)
        do {
            (result, cost) = try await request.database.measureQuery(on: status.name, with: query)
        } catch let error as DatabaseError where error.code != .corrupted {
            return [.warning("The rows cannot be shown: \(VisibleText.of(error.message))")]
        }
        let found = result.rows
        let shown = found.prefix(PageRequest.pageSize)
        let isReduced = query.reduce && status.reduce != nil
        var table = Table(
            caption: isReduced ? "Groups of the index" : "Rows of the index",
            columns: isReduced ? ["Key", "Value"] : ["Key", "Value", "Document"],
            emptiness: "No rows.")
        for row in shown {
            var cells = [
                Cell.name(row.keyJSON.jsonText), .stored(row.valueJSON.jsonText),
            ]
            if !isReduced, let id = row.documentId {
                cells.append(.stored(id, link: request.address(ofDocument: id)))
            }
            table.rows.append(Table.Row(cells))
        }
        if found.count > PageRequest.pageSize {
            table.next = next(found[PageRequest.pageSize], status, request)
        }
        let drawing = IndexChart.block(Array(shown), status).map { [$0] } ?? []
        return drawing + answer(result, cost, shown: shown.count, isReduced: isReduced) + [
            .table(table)
        ]
    }

    // MARK: The query

    /// The query of the form; pages of a range begin at a key and a document, those of a list are counted.
    private static func query(_ request: PageRequest) throws -> any QueryParameters {
        let skip = UInt(max(0, request.values.integer("skip") ?? 0))
        var query: any QueryParameters
        if let keys = try keys(request) {
            var list = QueryByKeyList()
            list.keysJSON = keys
            query = list
        } else {
            var range = QueryByKeyRange()
            range.startKeyJSON = try request.json("at") ?? request.json("from")
            range.startDocumentId = request.values.filled("atDocument")
            range.endKeyJSON = try request.json("to")
            query = range
        }
        query.startRow = skip
        query.sortOrder = request.values["order"] == "descending" ? .descending : .ascending
        query.rowLimit = UInt(PageRequest.pageSize + 1)
        // A page changes nothing, so rows are those that are there.
        query.freshness = .stale
        switch request.values["level"] ?? "rows" {
        case "all": break
        case "keys": query.group = true
        case let level:
            if let level = UInt(level), level > 0 {
                query.groupLevel = level
            } else {
                query.reduce = false
            }
        }
        return query
    }

    private static func keys(_ request: PageRequest) throws -> [JSONValue]? {
        guard let json = try request.json("keys") else { return nil }
        guard case .array(let keys) = json else {
            throw PageProblem.unusable(
                "A list of keys is a JSON array, such as [\"apple\", \"pear\"].")
        }
        guard keys.count <= keyCountMax else {
            throw PageProblem.unusable(
                "A list has at most \(Amounts.count(keyCountMax)) keys here.")
        }
        guard request.values.filled("from") == nil, request.values.filled("to") == nil else {
            throw PageProblem.unusable("Ask for a range or for a list of keys, not for both.")
        }
        return keys
    }

    private static func next(
        _ row: QueryResultRow, _ status: IndexStatus, _ request: PageRequest
    ) -> String {
        let values = request.values
        let counted = (values.integer("skip") ?? 0) + PageRequest.pageSize
        if let keys = values.filled("keys") {
            return request.address(
                "index",
                [
                    "name": status.name, "keys": keys, "order": values.filled("order"),
                    "level": values.filled("level"), "skip": "\(counted)",
                ])
        }
        let key = row.keyJSON.jsonText
        // A document may have more rows of one key than a page has.
        let isSame =
            values["at"] == key && row.documentId != nil && values["atDocument"] == row.documentId
        return request.address(
            "index",
            [
                "name": status.name, "from": values.filled("from"), "to": values.filled("to"),
                "order": values.filled("order"), "level": values.filled("level"), "at": key,
                "atDocument": row.documentId, "skip": isSame ? "\(counted)" : nil,
            ])
    }

    // MARK: The answer

    /// How the query was answered.
    private static func answer(
        _ result: QueryResultEnumerator, _ cost: QueryCost, shown: Int, isReduced: Bool
    ) -> [Block] {
        var facts = [
            Fact(label: "Answered in", value: Amounts.elapsed(cost.elapsed)),
            Fact(label: isReduced ? "Groups shown" : "Rows shown", value: Amounts.count(shown)),
            Fact(label: "Rows read", value: Amounts.count(cost.rowsRead)),
        ]
        if !isReduced {
            facts.append(
                Fact(
                    label: "Rows passed over",
                    value: Amounts.count(max(0, cost.rowsRead - shown))))
        }
        facts += [
            Fact(label: "Leaves read", value: Amounts.count(cost.leavesRead)),
            Fact(label: "Summaries read", value: Amounts.count(cost.summariesRead)),
        ]
        if let offset = result.offset {
            facts.append(Fact(label: "Rows before them", value: Amounts.count(offset)))
        }
        facts.append(Fact(label: "Up to sequence", value: "\(result.sequence)"))
        return [.heading("How the query was answered"), .facts(facts)]
    }
}
