import Foundation
import Settle

/// Documents by identifier, by what holds for them, or by their last change.
enum DocumentListPage {
    /// How long the search of one page goes on.
    private static let scanMax = Duration.milliseconds(60)

    static func content(_ request: PageRequest) throws -> PageContent {
        var blocks: [Block] = [.form(search(request)), .links(orders(request))]
        if request.isWritable {
            blocks.append(
                .links([PageLink(text: "New document", address: request.address("edit"))]))
        }
        if request.values.filled("where") != nil {
            blocks += try matching(request)
        } else if request.values["by"] == "change" {
            blocks.append(.table(try changed(request)))
        } else {
            blocks.append(.table(try listed(request)))
        }
        return PageContent(title: "Documents", blocks: blocks)
    }

    private static func search(_ request: PageRequest) -> Form {
        Form(
            action: request.address("documents"), isChange: false,
            fields: [
                Field(
                    name: "id", label: "Identifier begins with", value: request.values["id"] ?? "",
                    isSearch: true),
                Field(
                    name: "where", label: "Condition", value: request.values["where"] ?? "",
                    hint:
                        "As filters of indexes are written: {\"type\": \"order\", \"amount\": {\"$gt\": 5}}"
                ),
            ], button: "Search")
    }

    private static func orders(_ request: PageRequest) -> [PageLink] {
        let byChange = request.values["by"] == "change"
        return [
            PageLink(
                text: "By identifier", address: request.address("documents"), isCurrent: !byChange),
            PageLink(
                text: "By last change", address: request.address("documents", ["by": "change"]),
                isCurrent: byChange),
            PageLink(text: "By an index", address: request.address("indexes")),
        ]
    }

    // MARK: By identifier

    private static let columns = ["Identifier", "Type", "Last change", "Revision"]

    private static func listed(_ request: PageRequest) throws -> Table {
        let beginning = request.values.filled("id")
        var rows: [DocumentRow] = []
        try request.database.read(named: "inspector: documents") { snapshot in
            let start = request.values.filled("after")
            if start == nil, let beginning,
                let row = try snapshot.withDocument(beginning, { try DocumentRow($0) })
            {
                rows.append(row)
            }
            // The identifier itself is not walked over.
            try snapshot.forEachView(after: start ?? beginning) { view in
                let row = try DocumentRow(view)
                if let beginning, !row.id.utf8.starts(with: beginning.utf8) { return false }
                rows.append(row)
                return rows.count <= PageRequest.pageSize
            }
        }
        var table = Table(
            caption: beginning.map {
                "Documents that begin with '\(VisibleText.beginning(of: $0))'"
            }
                ?? "Documents by identifier", columns: columns, emptiness: "No documents.")
        add(rows.prefix(PageRequest.pageSize), to: &table, request)
        if rows.count > PageRequest.pageSize {
            table.next = request.address(
                "documents",
                ["id": beginning, "after": rows[PageRequest.pageSize - 1].id])
        }
        return table
    }

    private static func add(
        _ rows: some Sequence<DocumentRow>, to table: inout Table, _ request: PageRequest
    ) {
        for row in rows {
            table.add(
                .name(row.id, link: request.address(ofDocument: row.id)),
                .stored(row.type ?? ""), .text(Amounts.date(row.changed)), .stored(row.revision))
        }
    }

    // MARK: By a condition

    private static func matching(_ request: PageRequest) throws -> [Block] {
        let text = try request.required("where")
        let filter: Database.IndexFilter
        do {
            filter = try Database.IndexFilter(parsing: text)
        } catch {
            throw PageProblem.unusable(
                "The condition cannot be used: \(FailureSentence.of(error))")
        }
        let begun = ContinuousClock.now
        var rows: [DocumentRow] = []
        var (seen, last, isDone) = (0, request.values.filled("after"), true)
        try request.database.read(named: "inspector: search") { snapshot in
            try snapshot.forEachDocument(after: last) { document in
                // At least one, so that each page gets on.
                if seen > 0,
                    rows.count == PageRequest.pageSize || ContinuousClock.now - begun > scanMax
                {
                    isDone = false
                    return false
                }
                seen += 1
                last = document.id
                if try filter.matches(document) { rows.append(DocumentRow(document)) }
                return true
            }
        }
        var table = Table(
            caption: "Documents for which the condition holds", columns: columns,
            emptiness: "None among those that were looked at.")
        add(rows, to: &table, request)
        if !isDone {
            table.next = request.address("documents", ["where": text, "after": last])
        }
        let count = Amounts.count(seen, "document")
        let progress =
            isDone
            ? "Looked at \(count), to the end."
            : "Looked at \(count), up to '\(VisibleText.beginning(of: last ?? ""))'. The next page goes on there."
        return try indexes(for: filter, request) + [.text(progress), .table(table)]
    }

    /// The indexes that answer a condition of one member at once.
    private static func indexes(
        for filter: Database.IndexFilter, _ request: PageRequest
    ) throws -> [Block] {
        guard case .object(let members) = filter.json else { return [] }
        let links = try request.database.storedIndexes().compactMap { index -> PageLink? in
            guard index.filter == nil, let path = index.keys.first,
                let value = members[path.joined(separator: ".")], isPlain(value)
            else { return nil }
            let fields: KeyValuePairs<String, String?> =
                index.keys.count == 1
                ? ["name": index.name, "from": value.jsonText, "to": value.jsonText]
                : [
                    "name": index.name, "from": JSONValue.array([value]).jsonText,
                    "to": JSONValue.array([value, .object([:])]).jsonText,
                ]
            return PageLink(
                text: "The index '\(VisibleText.beginning(of: index.name))' answers that at once",
                address: request.address("index", fields))
        }
        return links.isEmpty ? [] : [.links(links)]
    }

    private static func isPlain(_ value: JSONValue) -> Bool {
        switch value {
        case .object, .array: false
        default: true
        }
    }

    // MARK: By change

    private static func changed(_ request: PageRequest) throws -> Table {
        var table = Table(
            caption: "Documents by their last change, the newest first",
            columns: ["Sequence", "Document", "Change", "Revision"], emptiness: "No changes.")
        let top = request.values.integer("before").map { UInt64(clamping: $0) }
        let changes = try request.database.read(named: "inspector: last changes") { snapshot in
            try NewestChanges.list(in: snapshot, before: top, limit: PageRequest.pageSize + 1)
        }
        for change in changes.prefix(PageRequest.pageSize) {
            table.add(
                .amount("\(change.sequence)"),
                .name(
                    change.documentId,
                    link: change.isPurged ? nil : request.address(ofDocument: change.documentId)),
                .text(change.isPurged ? "purged" : change.isDeleted ? "deleted" : "stored"),
                .stored(change.revision))
        }
        if changes.count > PageRequest.pageSize {
            table.next = request.address(
                "documents",
                ["by": "change", "before": "\(changes[PageRequest.pageSize - 1].sequence)"])
        }
        return table
    }
}

/// What a list shows of a document.
struct DocumentRow {
    let id: String
    let type: String?
    let changed: Date
    let revision: String

    init(_ view: borrowing DocumentView) throws {
        id = try view.id
        type = try view.string("type")
        changed = try view.lastChange
        revision = try view.revision
    }

    init(_ document: Document) {
        id = document.id
        type = document.metaData.type
        changed = document.metaData.lastChange ?? .distantPast
        revision = document.metaData.revision ?? ""
    }
}

/// The feed of changes from its end.
enum NewestChanges {
    /// The changes before a sequence, the newest first.
    ///
    /// The feed goes forward only, so windows of it are read, each four times as wide as the one before, until there
    /// are enough. No window has more changes than sequences.
    static func list(
        in snapshot: Snapshot, before top: UInt64?, limit: Int
    ) throws -> [DocumentChange] {
        let end = min(top ?? .max, snapshot.sequence + 1)
        var width = UInt64(limit)
        while true {
            let begin = end > width + 1 ? end - width - 1 : 0
            // Those of the window before are read again, which costs a third of the whole.
            let changes = try snapshot.changes(since: begin, limit: Int(clamping: width) + 1)
                .changes.filter { $0.sequence < end }
            if changes.count >= limit || begin == 0 {
                return changes.suffix(limit).reversed()
            }
            width *= 4
        }
    }
}
