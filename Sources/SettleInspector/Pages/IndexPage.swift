import Foundation
import Settle

/// One index: its definition, state and failures, and its rows as a table and as a chart.
enum IndexPage {
    /// How many failures are shown.
    private static let failureMax = 50

    static func content(_ request: PageRequest) async throws -> PageContent {
        let name = try request.required("name")
        let statuses = try request.database.indexStatuses()
        guard let status = statuses.first(where: { $0.name == name }) else {
            throw PageProblem.missing("There is no index '\(VisibleText.beginning(of: name))'.")
        }
        var blocks: [Block] = []
        if let failure = request.jobs.failure(of: IndexListPage.jobName(name, request.database)) {
            blocks.append(.warning("It could not be built: \(VisibleText.of(failure))"))
        }
        blocks.append(.facts(try facts(status, request)))
        if request.isWritable {
            let hidden = [("name", name)]
            blocks += [
                .form(
                    .button("Bring up to date", request.address("index/build"), hidden, about: name)
                ),
                .form(
                    .button(
                        "Remove", request.address("index/remove"), hidden, isDanger: true,
                        about: name)),
            ]
        }
        if let declaration = status.declaration {
            blocks.append(
                .code(JSONLayout.indented(declaration.json), label: "Definition of the index"))
        }
        if status.errorCount > 0 {
            blocks += [.heading("Failures"), .table(try failures(name, request))]
        }
        blocks += [.heading("Rows"), .form(range(status, request))]
        if status.isBuilt, status.isDefined {
            blocks += try await rows(status, request)
        } else {
            blocks.append(
                .text(
                    status.isDefined
                        ? "There are no rows yet."
                        : "This process does not have the definition of the index, so it cannot be asked here."
                ))
        }
        return PageContent(title: "Index \(VisibleText.beginning(of: name))", blocks: blocks)
    }

    private static func facts(_ status: IndexStatus, _ request: PageRequest) throws -> [Fact] {
        var facts = [
            Fact(
                label: "State",
                value: IndexListPage.state(of: status, last: try request.database.lastSequence)),
            Fact(label: "Rows", value: Amounts.count(status.rowCount)),
            Fact(label: "Sequence", value: "\(status.sequence)"),
            Fact(label: "Version", value: VisibleText.beginning(of: status.version)),
            Fact(label: "Defined by", value: status.declaration == nil ? "code" : "a declaration"),
        ]
        if let reduce = status.reduce {
            facts.append(Fact(label: "Reduces by", value: VisibleText.beginning(of: reduce)))
        }
        let sizes = TableSizes(try request.database.statistics().tables, indexes: [status])
        if let size = sizes.indexes.first(where: { $0.name == status.name })?.sizeBytes, size > 0 {
            facts.append(Fact(label: "Size", value: Amounts.bytes(size)))
        }
        return facts
    }

    private static func failures(_ name: String, _ request: PageRequest) throws -> Table {
        var table = Table(
            caption: "Documents that could not be mapped, at most \(failureMax)",
            columns: ["Document", "Reason"])
        for failure in try request.database.indexErrors(of: name, limit: failureMax) {
            table.add(
                .name(failure.documentId, link: request.address(ofDocument: failure.documentId)),
                .stored(failure.reason))
        }
        return table
    }

    private static func range(_ status: IndexStatus, _ request: PageRequest) -> Form {
        let values = request.values
        var fields = [
            Field(
                name: "from", label: "From key", value: values["from"] ?? "",
                hint: "JSON: \"apple\", 5 or [\"fruit\", 5]", isSearch: true),
            Field(name: "to", label: "To key", value: values["to"] ?? "", hint: "JSON"),
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

    /// The query of the form; pages of it begin at a key and a document.
    private static func query(_ request: PageRequest) throws -> QueryByKeyRange {
        var query = QueryByKeyRange()
        query.startKeyJSON = try request.json("at") ?? request.json("from")
        query.startDocumentId = request.values.filled("atDocument")
        query.startRow = UInt(max(0, request.values.integer("skip") ?? 0))
        query.endKeyJSON = try request.json("to")
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

    private static func rows(
        _ status: IndexStatus, _ request: PageRequest
    ) async throws -> [Block] {
        let query = try query(request)
        let begun = ContinuousClock.now
        let result: QueryResultEnumerator
        do {
            result = try await request.database.runQuery(on: status.name, with: query)
        } catch let error as DatabaseError where error.code != .corrupted {
            return [.warning("The rows cannot be shown: \(VisibleText.of(error.message))")]
        }
        let elapsed = ContinuousClock.now - begun
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
        var answer =
            "Answered in \(Amounts.elapsed(elapsed)) with \(Amounts.count(found.count, "row"))"
        if let offset = result.offset {
            answer += ", \(Amounts.count(offset)) of the index before them"
        }
        answer += ", up to sequence \(result.sequence)."
        let drawing = chart(Array(shown), status).map { [$0] } ?? []
        return drawing + [.text(answer), .table(table)]
    }

    private static func next(
        _ row: QueryResultRow, _ status: IndexStatus, _ request: PageRequest
    ) -> String {
        let key = row.keyJSON.jsonText
        let values = request.values
        // A document may have more rows of one key than a page has.
        let isSame =
            values["at"] == key && row.documentId != nil && values["atDocument"] == row.documentId
        let skip = isSame ? (values.integer("skip") ?? 0) + PageRequest.pageSize : 0
        return request.address(
            "index",
            [
                "name": status.name, "from": values.filled("from"), "to": values.filled("to"),
                "order": values.filled("order"), "level": values.filled("level"), "at": key,
                "atDocument": row.documentId, "skip": skip > 0 ? "\(skip)" : nil,
            ])
    }

    // MARK: Charts

    /// A line where all keys are dates, bars otherwise; nil where values are no numbers.
    private static func chart(_ rows: [QueryResultRow], _ status: IndexStatus) -> Block? {
        let numbers = rows.compactMap { row in number(row.valueJSON).map { (row, $0) } }
        guard numbers.count > 1, numbers.count == rows.count else { return nil }
        let title = "Values of the index \(VisibleText.beginning(of: status.name))"
        let dates = rows.map { KeyDate.date(of: $0.keyJSON) }
        if dates.allSatisfy({ $0 != nil }) {
            let points = zip(dates, numbers).compactMap { date, number in
                date.map { LineChart.Point(place: $0.timeIntervalSince1970, value: number.1) }
            }.sorted { $0.place < $1.place }
            let drawing = LineChart.drawing(
                points, title: title, first: shown(points.first), last: shown(points.last),
                shown: { JSONValue.double($0).jsonText })
            if let drawing { return .drawing(drawing, caption: title + " over time") }
        }
        let bars = numbers.map {
            BarChart.Bar(
                name: name(of: $0.0.keyJSON), value: $0.1, shown: $0.0.valueJSON.jsonText)
        }
        return BarChart.drawing(bars, title: title).map { .drawing($0, caption: title) }
    }

    private static func shown(_ point: LineChart.Point?) -> String {
        point.map { Amounts.shortDate(Date(timeIntervalSince1970: $0.place)) } ?? ""
    }

    private static func name(of key: JSONValue) -> String {
        if case .string(let text) = key { text } else { key.jsonText }
    }

    /// The number of a value: itself, or the sum of what `_stats` gives.
    private static func number(_ value: JSONValue) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .double(let number): number
        case .object(let members): members["sum"].flatMap(number)
        default: nil
        }
    }
}

/// Dates in keys: as text, or as year, month and day.
enum KeyDate {
    /// The date that a key is; nil when it is none.
    static func date(of key: JSONValue) -> Date? {
        switch key {
        case .string(let text):
            if let date = try? Date(text, strategy: .iso8601) { return date }
            let exact = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            if let date = try? Date(text, strategy: exact) { return date }
            return try? Date(text, strategy: .iso8601.year().month().day())
        case .array(let parts):
            let numbers = parts.compactMap { part -> Int? in
                if case .integer(let number) = part { Int(exactly: number) } else { nil }
            }
            guard numbers.count == parts.count, (1...3).contains(numbers.count),
                (1_000...9_999).contains(numbers[0]),
                numbers.dropFirst().allSatisfy({ (1...31).contains($0) })
            else { return nil }
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            return calendar.date(
                from: DateComponents(
                    year: numbers[0], month: numbers.count > 1 ? numbers[1] : 1,
                    day: numbers.count > 2 ? numbers[2] : 1))
        default: return nil
        }
    }
}
