import Settle

/// Documents as rows of CSV text, whose members the first row names.
///
/// A field makes a member (``CSVField``), an empty one makes none.
struct CSVDocumentParser: DocumentParser {
    private var splitter: CSVSplitter
    private let idMember: String?
    private let isText: Bool
    private var columns: [String] = []
    /// The column of the identifier; nil for random ones.
    private var idColumn: Int?

    /// - Parameters:
    ///   - separator: What stands between fields.
    ///   - idMember: The column of the identifier when it is not `id`.
    ///   - isText: Whether all fields are text.
    init(separator: UInt8 = UInt8(ascii: ","), idMember: String? = nil, isText: Bool = false) {
        splitter = CSVSplitter(separator: separator)
        self.idMember = idMember
        self.isText = isText
    }

    mutating func add(_ bytes: [UInt8], each: (FoundDocument) throws -> Void) throws {
        var rows: [CSVSplitter.Row] = []
        let result = Result { try splitter.add(bytes) { rows.append($0) } }
        try give(rows, each)
        try result.get()
    }

    mutating func end(each: (FoundDocument) throws -> Void) throws {
        var rows: [CSVSplitter.Row] = []
        let result = Result { try splitter.end { rows.append($0) } }
        try give(rows, each)
        try result.get()
        if columns.isEmpty {
            throw ImportFault(
                line: 1, message: "The text is empty; its first row names the columns.")
        }
    }

    private mutating func give(
        _ rows: [CSVSplitter.Row], _ each: (FoundDocument) throws -> Void
    ) throws {
        for row in rows {
            if columns.isEmpty {
                try takeTitles(row)
            } else {
                try each(
                    FoundDocument(
                        document: try document(of: row), line: row.line, byteCount: row.byteCount))
            }
        }
    }

    private mutating func takeTitles(_ row: CSVSplitter.Row) throws(ImportFault) {
        var places: [String: Int] = [:]
        for (place, field) in row.fields.enumerated() {
            let name = try text(of: field, in: row, column: place)
            guard !name.isEmpty else {
                throw ImportFault(
                    line: row.line,
                    message: "Column \(place + 1) has no name; the first row names the columns.")
            }
            if let other = places.updateValue(place, forKey: name) {
                throw ImportFault(
                    line: row.line,
                    message: "Columns \(other + 1) and \(place + 1) have the same name, "
                        + "'\(ScreenText.printable(name))'; one of them would be lost.")
            }
        }
        if let idMember, places[idMember] == nil {
            throw ImportFault(
                line: row.line,
                message: "No column is called '\(ScreenText.printable(idMember))', from which the "
                    + "identifiers are to be taken.")
        }
        if let idMember, idMember != "id", places["id"] != nil {
            throw ImportFault(
                line: row.line,
                message: "There is a column 'id' beside the identifiers in "
                    + "'\(ScreenText.printable(idMember))', which would be lost; rename it.")
        }
        columns = try row.fields.enumerated().map { place, field throws(ImportFault) in
            try text(of: field, in: row, column: place)
        }
        idColumn = places[idMember ?? "id"]
    }

    private func document(of row: CSVSplitter.Row) throws(ImportFault) -> Document {
        guard row.fields.count == columns.count else {
            throw ImportFault(
                line: row.line,
                message:
                    "The row has \(Quantity.count(row.fields.count, "field")), and the first row "
                    + "names \(Quantity.count(columns.count, "column")). Is the separator right?")
        }
        var identifier: String?
        var members: [String: JSONValue] = [:]
        members.reserveCapacity(columns.count)
        for (place, field) in row.fields.enumerated() {
            let text = try text(of: field, in: row, column: place)
            if place == idColumn { identifier = text }
            // In a document "id" is the identifier; one of another name stays a member as well.
            if place == idColumn, idMember == nil || idMember == "id" { continue }
            let isQuoted = field.isQuoted || isText && !text.isEmpty
            if let value = CSVField.value(of: text, isQuoted: isQuoted) {
                members[columns[place]] = value
            }
        }
        guard let identifier else { return Document(members) }
        do {
            try DocumentIdentifier.check(identifier)
        } catch {
            throw ImportFault(line: row.line, message: "\(error)")
        }
        return Document(id: identifier, members: members)
    }

    private func text(
        of field: CSVSplitter.Field, in row: CSVSplitter.Row, column: Int
    ) throws(ImportFault) -> String {
        if let text = String(validating: field.bytes, as: UTF8.self) { return text }
        throw ImportFault(
            line: row.line,
            message:
                "Column \(column + 1) is not UTF-8. Convert the file, as iconv -f LATIN1 -t UTF-8 "
                + "does for the old character set of Western Europe.")
    }
}
