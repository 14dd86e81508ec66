import Settle

/// The rows of a query as a table: a column for each member of the key, one for the value.
struct RowTable {
    private let keys: [String]
    private let value: String?
    private let reduce: ReduceArgument?

    /// A table for rows whose keys are made of these members.
    ///
    /// - Parameters:
    ///   - keys: The paths that make the key.
    ///   - value: The path of the value.
    ///   - reduce: How the rows were summed up; nil for the rows themselves.
    ///   - level: How many members of the key a group shares; nil for all.
    ///   - isGrouped: Whether there is a row for each key.
    init(
        keys: [String], value: String?, reduce: ReduceArgument?, level: Int?,
        isGrouped: Bool
    ) {
        let isTotal = reduce != nil && level == nil && !isGrouped
        self.keys = isTotal ? [] : Array(keys.prefix(level ?? keys.count))
        self.value = value
        self.reduce = reduce
    }

    /// The lines of the table; none for no rows.
    func lines(of rows: [QueryResultRow], on screen: Screen = .plain) -> [String] {
        rows.isEmpty ? [] : table(of: rows, after: nil).lines(on: screen)
    }

    /// The lines of rows without titles, each behind cells of its own.
    ///
    /// - Parameters:
    ///   - rows: The rows.
    ///   - cells: What stands before each row; as many for one as for the others.
    ///   - screen: Where they are shown.
    /// - Returns: A line for each row.
    func lines(
        of rows: [QueryResultRow], after cells: [[String]], on screen: Screen = .plain
    ) -> [String] {
        rows.isEmpty ? [] : table(of: rows, after: cells).lines(isTitled: false, on: screen)
    }

    /// The rows as CSV text, below a line of titles.
    ///
    /// - Parameters:
    ///   - rows: The rows.
    ///   - documents: The document of each row, for a last column of JSON; nil for no such column.
    /// - Returns: The lines, one more than there are rows; a text in quotes may hold line ends.
    func csv(of rows: [QueryResultRow], documents: ((QueryResultRow) -> Document?)?) -> [String] {
        let hasIdentifiers = reduce == nil && !keys.contains("id")
        var titles = keys + (valueTitle.map { [$0] } ?? [])
        if hasIdentifiers { titles.append("id") }
        if documents != nil { titles.append("document") }
        let lines = rows.map { row in
            var values: [JSONValue?] = keyParts(of: row.keyJSON)
            if valueTitle != nil { values.append(valueOrError(of: row)) }
            if hasIdentifiers { values.append(row.documentId.map { .string($0) }) }
            if let documents { values.append(documents(row).map(DocumentText.value)) }
            return values
        }
        return ([titles.map { .string($0) }] + lines).map { values in
            values.map { CSVField.text(of: $0, separator: SeparatorArgument.comma.byte) }
                .joined(separator: ",")
        }
    }

    private func table(of rows: [QueryResultRow], after cells: [[String]]?) -> TextTable {
        let parts = rows.map { keyParts(of: $0.keyJSON) }
        var columns = cells?.first?.map { _ in TextTable.Column.left("") } ?? []
        columns += keys.indices.map { place in
            column(keys[place], isNumeric: parts.allSatisfy { isNumber($0[place]) })
        }
        if let title = valueTitle {
            let isNumeric = rows.allSatisfy { isNumber($0.valueJSON) }
            columns.append(column(title, isNumeric: isNumeric))
        }
        if reduce == nil { columns.append(.name("id")) }
        var table = TextTable(columns)
        for (number, row) in rows.enumerated() {
            var line = (cells?[number] ?? []) + parts[number].map { text(of: $0) }
            if valueTitle != nil { line.append(valueText(of: row)) }
            if reduce == nil { line.append(row.documentId ?? "") }
            table.add(line)
        }
        return table
    }

    private var valueTitle: String? {
        guard let reduce else { return value }
        return value.map { "\(reduce.rawValue) of \($0)" } ?? reduce.rawValue
    }

    private func column(_ title: String, isNumeric: Bool) -> TextTable.Column {
        isNumeric ? .right(title) : .left(title)
    }

    private func keyParts(of key: JSONValue) -> [JSONValue] {
        // One path is the key itself, several are the elements of an array.
        let parts = keys.count == 1 && !isLevel(key) ? [key] : key.arrayValue ?? [key]
        return keys.indices.map { parts.indices.contains($0) ? parts[$0] : .null }
    }

    /// Whether a key of one column is the first element of an array key, cut off by grouping.
    private func isLevel(_ key: JSONValue) -> Bool {
        reduce != nil && key.arrayValue?.count == 1
    }

    private func isNumber(_ value: JSONValue) -> Bool { value.doubleValue != nil }

    private func text(of value: JSONValue) -> String {
        value.stringValue ?? JSONRendering.compact(value)
    }

    private func valueOrError(of row: QueryResultRow) -> JSONValue {
        guard reduce != nil, let error = RowText.error(in: row.valueJSON) else {
            return row.valueJSON
        }
        return .string("error: \(error)")
    }

    private func valueText(of row: QueryResultRow) -> String {
        if reduce?.isCounting == true, case .integer(let number) = row.valueJSON {
            return Quantity.number(number)
        }
        return text(of: valueOrError(of: row))
    }
}

/// A row of a query for other programs.
enum RowText {
    /// Why values could not be summed up, which then stands in the place of a sum.
    ///
    /// - Parameter value: The value of a row that was summed up.
    /// - Returns: The reason; nil for a sum.
    static func error(in value: JSONValue) -> String? {
        guard let error = value["error"]?.stringValue else { return nil }
        return value["reason"]?.stringValue ?? error
    }

    /// Refuses rows in which the reason stands that values could not be summed up.
    ///
    /// - Parameter rows: Rows that were summed up, after they were shown.
    /// - Throws: ``CommandFailure`` that counts them.
    static func requireSums(in rows: [QueryResultRow]) throws {
        let failed = rows.count { error(in: $0.valueJSON) != nil }
        guard failed > 0 else { return }
        throw CommandFailure(
            "The values of \(Quantity.count(failed, "row")) cannot be summed up; what is shown in "
                + "the place of a sum says why.")
    }

    /// The row as a JSON object.
    static func value(of row: QueryResultRow, document: Document? = nil) -> JSONValue {
        var members: [String: JSONValue] = ["key": row.keyJSON, "value": row.valueJSON]
        if let id = row.documentId { members["id"] = .string(id) }
        if let document = document ?? row.document {
            members["document"] = DocumentText.value(of: document)
        }
        return .object(members)
    }
}
