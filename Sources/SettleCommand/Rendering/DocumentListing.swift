import Foundation
import Settle

/// The documents of a database in a list, by their identifiers.
struct DocumentListing {
    /// A document in the list.
    struct Entry {
        let id: String
        let revision: String
        let type: String?
        let lastChange: Date?

        fileprivate init(_ document: Document) {
            let metaData = document.metaData
            id = document.id
            revision = metaData.revision ?? ""
            type = metaData.type
            lastChange = metaData.lastChange
        }

        /// The document as a JSON object.
        var json: String {
            JSONRendering.compact([
                "id": .string(id), "revision": .string(revision),
                "type": type.map { .string($0) } ?? .null,
                "lastChange": lastChange.map { .string(DateArgument.text(of: $0)) } ?? .null,
            ])
        }
    }

    /// What the identifiers begin with; nil for all.
    let prefix: String?
    /// The identifier that all come after; nil for all.
    let after: String?
    /// How many at most.
    let limit: Int

    /// So many are read at a time: a snapshot keeps old pages from being used again.
    private static let pageCount = 1_000

    /// A table, and how many documents there are if not all are shown.
    func lines(of database: Database, on screen: Screen) throws -> [String] {
        var entries: [Entry] = []
        // One more, to know whether there are more.
        let wider = DocumentListing(
            prefix: prefix, after: after, limit: limit == .max ? limit : limit + 1)
        try wider.forEachPage(of: database) { entries += $0 }
        guard !entries.isEmpty else { return ["No documents."] }
        let shown = entries.prefix(limit)
        let isTyped = shown.contains { $0.type != nil }
        var table = TextTable(
            [.name("id"), .left("revision"), .left("changed")] + (isTyped ? [.left("type")] : []))
        for entry in shown {
            table.add(
                [
                    entry.id, entry.revision,
                    entry.lastChange.map(DateArgument.text(of:)) ?? "",
                ] + (isTyped ? [entry.type ?? ""] : []))
        }
        guard shown.count < entries.count else { return table.lines(on: screen) }
        let count = Quantity.number(shown.count)
        let all =
            prefix == nil && after == nil
            ? "\(count) of \(Quantity.count(try database.totalDocumentCount, "document")) shown."
            : "The first \(count) documents are shown."
        return table.lines(on: screen) + ["", "\(all) --all shows the others."]
    }

    /// Hands out the documents in their order, page by page.
    func forEachPage(of database: Database, _ body: ([Entry]) throws -> Void) throws {
        var last = start
        var isFirst = prefix.map { after?.utf8.lexicographicallyPrecedes($0.utf8) ?? true } ?? false
        var left = limit
        while left > 0 {
            try Task.checkCancellation()
            var page: [Entry] = []
            let countMax = min(left, Self.pageCount)
            var isAtEnd = true
            try database.read(named: "settle ls") { snapshot in
                // What a prefix itself names comes before all that it begins.
                if isFirst, let prefix, let document = try? snapshot.document(prefix) {
                    page.append(Entry(document))
                }
                guard page.count < countMax else {
                    isAtEnd = false
                    return
                }
                try snapshot.forEachDocument(after: last) { document in
                    guard prefix.map({ document.id.utf8.starts(with: $0.utf8) }) ?? true else {
                        return false
                    }
                    page.append(Entry(document))
                    isAtEnd = page.count < countMax
                    return isAtEnd
                }
            }
            isFirst = false
            try body(page)
            guard !isAtEnd, let end = page.last else { return }
            left -= page.count
            last = end.id
        }
    }

    /// The identifier to begin after.
    private var start: String? {
        guard let prefix else { return after }
        guard let after else { return prefix }
        return prefix.utf8.lexicographicallyPrecedes(after.utf8) ? after : prefix
    }
}
