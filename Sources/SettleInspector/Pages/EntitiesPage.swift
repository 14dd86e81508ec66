import Foundation
import Settle
import SettleEntities

/// Entities by type.
enum EntitiesPage {
    private static let indexName = EntityAccess.indexName
    private static let typeMark = JSONValue.string("t")

    static func content(_ request: PageRequest) async throws -> PageContent {
        let access = try await EntityAccess.of(request.database)
        guard case .open(_, let status) = access, status.isBuilt else {
            return PageContent(title: "Entities", blocks: explanation(of: access, request))
        }
        var query = QueryByKeyRange(prefix: ["t"])
        (query.group, query.freshness, query.rowLimit) = (true, .stale, 200)
        var types = Table(
            caption: "Types of entities", columns: ["Type", "Entities"], emptiness: "No entities.")
        for row in try await request.database.runQuery(on: indexName, with: query).rows {
            guard case .string(let type)? = row.keyJSON[1] else { continue }
            types.add(
                .name(type, link: request.address("entities", ["type": type])),
                .amount(row.valueJSON.jsonText))
        }
        let last = try request.database.lastSequence
        var blocks: [Block] = []
        if status.sequence < last {
            let count = Amounts.count(Int(last - status.sequence), "change")
            blocks.append(
                .text(
                    "The index of entities is \(count) behind, and a list shows what it has. 'settle entities' brings it up to date."
                ))
        }
        blocks.append(.table(types))
        if let type = request.values.filled("type") {
            blocks.append(.table(try await entities(of: type, request)))
        }
        return PageContent(title: "Entities", blocks: blocks)
    }

    private static func explanation(
        of access: EntityAccess, _ request: PageRequest
    ) -> [Block] {
        var blocks = access.explanation.map { [Block.text($0)] } ?? []
        if case .closed = access, request.isWritable {
            blocks.append(.form(.button("Open a datastore", request.address("entities/open"))))
        }
        return blocks
    }

    /// Begins to open a datastore over the database.
    ///
    /// - Returns: The index that is brought up to date by it.
    /// - Throws: ``PageProblem`` 404 when the database has no index of entities.
    static func open(_ request: PageRequest) async throws -> String {
        let database = request.database
        guard case .closed = try await EntityAccess.of(database) else {
            throw PageProblem.missing("There is no datastore that could be opened here.")
        }
        request.jobs.start(IndexListPage.jobName(indexName, database)) {
            _ = try await EntityAccess.datastore(over: database)
        }
        return indexName
    }

    private static func entities(of type: String, _ request: PageRequest) async throws -> Table {
        let key = JSONValue.array([typeMark, .string(type)])
        var query = QueryByKeyRange()
        (query.startKeyJSON, query.endKeyJSON) = (key, key)
        query.startDocumentId = request.values.filled("at")
        (query.reduce, query.freshness) = (false, .stale)
        query.rowLimit = UInt(PageRequest.pageSize + 1)
        let rows = try await request.database.runQuery(on: indexName, with: query).rows
        var table = Table(
            caption: "Entities of the type '\(VisibleText.beginning(of: type))'",
            columns: ["Entity"])
        for row in rows.prefix(PageRequest.pageSize) {
            guard let id = row.documentId else { continue }
            table.add(.name(id, link: request.address("entity", ["id": id])))
        }
        if rows.count > PageRequest.pageSize {
            table.next = request.address(
                "entities", ["type": type, "at": rows[PageRequest.pageSize].documentId])
        }
        return table
    }
}

/// One entity: what it is or was, and how each property came to be.
enum EntityPage {
    /// How many entries of the history are shown.
    private static let entryMax = 500

    static func content(_ request: PageRequest) async throws -> PageContent {
        let id = try request.required("id")
        let database = request.database
        let access = try await EntityAccess.of(database)
        guard case .open(let datastore, let status) = access,
            try database.read({ try $0.document(id) }) != nil
        else {
            let explanation = access.explanation.map { " \($0)" } ?? ""
            throw PageProblem.missing(
                "There is no entity '\(VisibleText.beginning(of: id))'.\(explanation)")
        }
        let reference = Entity.identifiedBy(id)
        let history = try await datastore.history(of: reference)
        let date = try moment(request)
        var blocks: [Block] = [
            .links([
                PageLink(text: "The document", address: request.address(ofDocument: id))
            ]),
            .form(
                Form(
                    action: request.address("entity"), isChange: false,
                    fields: [
                        Field(
                            name: "date", label: "As of", value: request.values["date"] ?? "",
                            hint: "2026-12-24T18:00:00Z; now when it is empty.", isSearch: true)
                    ], hidden: [("id", id)], button: "Show")),
            .table(table(of: history, at: date)),
        ]
        if let drawing = timeLine(history) {
            blocks += [
                .heading("History"),
                .drawing(drawing, caption: "Each property on a line; a dot is an entry"),
            ]
        }
        blocks.append(.table(entries(history)))
        blocks.append(.heading("Referred to by"))
        blocks.append(
            status.isBuilt
                ? .table(try await referrers(of: id, request))
                : .text(access.explanation ?? ""))
        return PageContent(title: VisibleText.beginning(of: id), blocks: blocks)
    }

    private static func moment(_ request: PageRequest) throws -> Date? {
        guard let text = request.values.filled("date") else { return nil }
        guard let date = KeyDate.date(of: .string(text)) else {
            throw PageProblem.unusable("The moment is written as 2026-12-24T18:00:00Z.")
        }
        return date
    }

    /// The last entry of each property up to a date.
    private static func table(of history: [PropertyEntry], at date: Date?) -> Table {
        var table = Table(
            caption: date.map { "The entity as of \(Amounts.date($0))" } ?? "The entity now",
            columns: ["Property", "Value", "Since"], emptiness: "It was not there.")
        var last: [PropertyKey: PropertyEntry] = [:]
        for entry in history where date.map({ entry.datestamp <= $0 }) ?? true {
            last[entry.key] = entry
        }
        for (key, entry) in last.sorted(by: { $0.key.description < $1.key.description }) {
            table.add(
                .name(key.description), .stored(shown(entry)), .text(Amounts.date(entry.datestamp)))
        }
        return table
    }

    private static func entries(_ history: [PropertyEntry]) -> Table {
        var table = Table(
            caption: history.count > entryMax
                ? "The last \(entryMax) of \(Amounts.count(history.count)) entries"
                : "Entries, the earliest first",
            columns: ["Date", "Property", "Value", "Device", "Current"])
        for entry in history.suffix(entryMax) {
            table.add(
                .text(Amounts.date(entry.datestamp)), .name(entry.key.description),
                .stored(shown(entry)), .stored(entry.device), .text(entry.isCurrent ? "yes" : ""))
        }
        return table
    }

    /// The entities with a property that refers to this one.
    private static func referrers(of id: String, _ request: PageRequest) async throws -> Table {
        var query = QueryByKeyRange(prefix: ["r", id])
        (query.reduce, query.freshness) = (false, .stale)
        query.rowLimit = UInt(PageRequest.pageSize + 1)
        let rows = try await request.database.runQuery(on: "entities", with: query).rows
        var table = Table(
            caption: rows.count > PageRequest.pageSize
                ? "The first \(PageRequest.pageSize) entities that refer to it"
                : "Entities that refer to it",
            columns: ["Entity", "Property"], emptiness: "No entity refers to it.")
        for row in rows.prefix(PageRequest.pageSize) {
            guard let source = row.documentId else { continue }
            table.add(
                .name(source, link: request.address("entity", ["id": source])),
                .stored(row.keyJSON[2]?.stringValue ?? ""))
        }
        return table
    }

    private static func shown(_ entry: PropertyEntry) -> String {
        guard let value = entry.value else { return "\(entry.change)" }
        return value.value.map { "\($0)" } ?? value.reference?.identifier ?? ""
    }

    private static func timeLine(_ history: [PropertyEntry]) -> SVG? {
        TimeLine.drawing(
            history.suffix(entryMax).map {
                TimeLine.Entry(
                    line: $0.key.description, place: $0.datestamp.timeIntervalSince1970,
                    shown: "\(Amounts.date($0.datestamp)): \(VisibleText.beginning(of: shown($0)))")
            }, title: "History of each property")
    }
}
