import Foundation
import Settle

/// Documents by identifier, by what holds for them, or by their last change.
enum DocumentListPage {
    static func content(_ request: PageRequest) throws -> PageContent {
        var blocks: [Block] = [.form(search(request)), .links(orders(request))]
        if request.isWritable {
            blocks.append(
                .links([PageLink(text: "New document", address: request.address("edit"))]))
        }
        if request.values.filled("where") != nil {
            blocks += try DocumentSearch.matching(request)
        } else if let type = request.values.filled("type") {
            blocks += try DocumentSearch.documents(ofType: type, request)
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
                Field(name: "type", label: "Type", value: request.values["type"] ?? ""),
                Field(
                    name: "where", label: "Condition", value: request.values["where"] ?? "",
                    hint:
                        "As filters of indexes are written: {\"type\": \"order\", \"amount\": {\"$gt\": 5}}"
                ),
            ], button: "Search")
    }

    private static func orders(_ request: PageRequest) -> [PageLink] {
        let byChange = request.values["by"] == "change"
        let isSearch = request.values.filled("where") != nil || request.values.filled("type") != nil
        return [
            PageLink(
                text: "By identifier", address: request.address("documents"),
                isCurrent: !byChange && !isSearch),
            PageLink(
                text: "By last change", address: request.address("documents", ["by": "change"]),
                isCurrent: byChange && !isSearch),
            PageLink(text: "By an index", address: request.address("indexes")),
        ]
    }

    // MARK: By identifier

    static let columns = ["Identifier", "Type", "Last change", "Revision"]

    private static func listed(_ request: PageRequest) throws -> Table {
        let beginning = request.values.filled("id")
        var rows: [DocumentRow] = []
        try request.database.read(named: "inspector: documents") { snapshot in
            let place = try MemberPlace(in: snapshot)
            let start = request.values.filled("after")
            if start == nil, let beginning,
                let row = try snapshot.withDocument(beginning, { try DocumentRow($0, place) })
            {
                rows.append(row)
            }
            // The identifier itself is not walked over.
            try snapshot.forEachView(after: start ?? beginning) { view in
                let row = try DocumentRow(view, place)
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

    static func add(
        _ rows: some Sequence<DocumentRow>, to table: inout Table, _ request: PageRequest
    ) {
        for row in rows {
            table.add(
                .name(row.id, link: request.address(ofDocument: row.id)),
                .stored(row.type ?? "", link: request.address(ofType: row.type)),
                .text(Amounts.date(row.changed)), .stored(row.revision))
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

    init(_ view: borrowing DocumentView, _ place: MemberPlace) throws {
        id = try view.id
        type = try place.type(of: view)
        changed = try view.lastChange
        revision = try view.revision
    }

    init(_ document: Document, _ place: MemberPlace) {
        id = document.id
        type = place.type(of: document)
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
