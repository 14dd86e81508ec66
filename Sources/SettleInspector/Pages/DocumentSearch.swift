import Foundation
import Settle

/// Documents that are looked for one by one: of a type, or those for which a condition holds.
///
/// A page looks for a while and says how far it got; the next one goes on there.
enum DocumentSearch {
    /// How long the search of one page goes on.
    private static let scanMax = Duration.milliseconds(60)

    /// How far the search of a page has come.
    private struct Scan {
        private let begun = ContinuousClock.now
        var rows: [DocumentRow] = []
        private(set) var seen = 0
        /// The last document that was looked at.
        private(set) var last: String?
        private(set) var isDone = true

        init(after last: String?) { self.last = last }

        /// Whether another document is looked at; of each page at least one, so that it gets on.
        mutating func goesOn(to id: String) -> Bool {
            guard
                seen == 0
                    || rows.count < PageRequest.pageSize && ContinuousClock.now - begun <= scanMax
            else {
                isDone = false
                return false
            }
            seen += 1
            last = id
            return true
        }
    }

    /// The documents of the form for which its condition holds.
    ///
    /// - Throws: ``PageProblem`` 400 when the condition is none.
    static func matching(_ request: PageRequest) throws -> [Block] {
        let text = try request.required("where")
        let filter: Database.IndexFilter
        do {
            filter = try Database.IndexFilter(parsing: text)
        } catch {
            throw PageProblem.unusable(
                "The condition cannot be used: \(FailureSentence.of(error))")
        }
        var scan = Scan(after: request.values.filled("after"))
        let place = try request.database.read(named: "inspector: search") { snapshot in
            let place = try MemberPlace(in: snapshot)
            try snapshot.forEachDocument(after: scan.last) { document in
                guard scan.goesOn(to: document.id) else { return false }
                if try filter.matches(place.shown(document)) {
                    scan.rows.append(DocumentRow(document, place))
                }
                return true
            }
            return place
        }
        return try indexes(for: filter, place, request)
            + blocks(of: scan, "Documents for which the condition holds", request) {
                request.address("documents", ["where": text, "after": $0])
            }
    }

    /// The documents of a type.
    ///
    /// - Throws: What the database throws when it cannot be read.
    static func documents(ofType type: String, _ request: PageRequest) throws -> [Block] {
        var scan = Scan(after: request.values.filled("after"))
        let place = try request.database.read(named: "inspector: type") { snapshot in
            let place = try MemberPlace(in: snapshot)
            try snapshot.forEachView(after: scan.last) { view in
                guard scan.goesOn(to: try view.id) else { return false }
                if try place.type(of: view) == type {
                    scan.rows.append(try DocumentRow(view, place))
                }
                return true
            }
            return place
        }
        let filter = try Database.IndexFilter(json: ["type": .string(type)])
        let caption = "Documents of the type '\(VisibleText.beginning(of: type))'"
        return try indexes(for: filter, place, request)
            + blocks(of: scan, caption, request) {
                request.address("documents", ["type": type, "after": $0])
            }
    }

    private static func blocks(
        of scan: Scan, _ caption: String, _ request: PageRequest, next: (String?) -> String
    ) -> [Block] {
        var table = Table(
            caption: caption, columns: DocumentListPage.columns,
            emptiness: "None among those that were looked at.")
        DocumentListPage.add(scan.rows, to: &table, request)
        if !scan.isDone { table.next = next(scan.last) }
        let count = Amounts.count(scan.seen, "document")
        let progress =
            scan.isDone
            ? "Looked at \(count), to the end."
            : "Looked at \(count), up to '\(VisibleText.beginning(of: scan.last ?? ""))'. The next page goes on there."
        return [.text(progress), .table(table)]
    }

    /// The indexes that answer a condition of one member at once.
    private static func indexes(
        for filter: Database.IndexFilter, _ place: MemberPlace, _ request: PageRequest
    ) throws -> [Block] {
        // Indexes are made of documents, and conditions of what a client sees of them.
        guard place == .document, case .object(let members) = filter.json else { return [] }
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
}
