import Foundation
import Settle

/// The indexes: what they are, how far they have come, and a form for one more.
enum IndexListPage {
    static func content(_ request: PageRequest) throws -> PageContent {
        var table = Table(
            caption: "Indexes",
            columns: ["Index", "State", "Rows", "Failures", "Reduces", "Version"],
            emptiness: "There is no index.")
        let last = try request.database.lastSequence
        let after = request.values.filled("after")
        let statuses = try request.database.indexStatuses().sorted { $0.name < $1.name }
            .filter { status in after.map { $0 < status.name } ?? true }
        if statuses.count > PageRequest.pageSize {
            table.next = request.address(
                "indexes", ["after": statuses[PageRequest.pageSize - 1].name])
        }
        for status in statuses.prefix(PageRequest.pageSize) {
            table.add(
                .name(status.name, link: request.address("index", ["name": status.name])),
                .text(state(of: status, last: last)), .number(status.rowCount),
                .number(status.errorCount), .stored(status.reduce ?? ""), .stored(status.version))
        }
        var blocks: [Block] = [.table(table)]
        if request.isWritable {
            blocks += [.heading("New index"), .form(form(request))]
        }
        return PageContent(title: "Indexes", blocks: blocks)
    }

    /// A word for how far an index has come.
    static func state(of status: IndexStatus, last: UInt64) -> String {
        if let progress = status.progress {
            return
                "building: \(Amounts.count(progress.completed)) of \(Amounts.count(progress.total))"
        }
        guard status.isBuilt else { return "not built" }
        if status.sequence < last {
            return "\(Amounts.count(Int(last - status.sequence), "change")) behind"
        }
        // Of an index by code nobody here knows whether its rows are of the present version.
        return status.isCurrent || !status.isDefined ? "up to date" : "of an older version"
    }

    private static func form(_ request: PageRequest) -> Form {
        Form(
            action: request.address("index/add"),
            fields: [
                Field(name: "name", label: "Name"),
                Field(
                    name: "keys", label: "Key",
                    hint: "Members, with commas between: type, address.city"),
                Field(name: "value", label: "Value", hint: "A member, or nothing."),
                Field(
                    name: "filter", label: "Filter",
                    hint: "Which documents have rows, or nothing: {\"type\": \"order\"}"),
                Field(
                    name: "reduce", label: "Reduce",
                    kind: .choice([""] + Database.BuiltInReduce.allCases.map(\.rawValue))),
            ], button: "Build")
    }

    /// Begins to build the index of the form.
    ///
    /// - Returns: Its name.
    /// - Throws: ``PageProblem`` 400 when the form makes none.
    static func add(_ request: PageRequest) throws -> String {
        let name = try request.required("name")
        let keys = try request.required("keys").split(separator: ",").map(path)
        guard !keys.isEmpty, keys.allSatisfy({ !$0.isEmpty }) else {
            throw PageProblem.unusable(
                "The key of an index is a member, or several with commas between.")
        }
        let filter = try request.values.filled("filter").map { text in
            do {
                return try Database.IndexFilter(parsing: text)
            } catch {
                throw PageProblem.unusable(
                    "The filter cannot be used: \(FailureSentence.of(error))")
            }
        }
        let declaration = Database.IndexDeclaration(
            name: name, keys: keys, value: request.values.filled("value").map { path($0) },
            filter: filter,
            reduce: request.values.filled("reduce").flatMap(Database.BuiltInReduce.init(rawValue:)))
        let database = request.database
        request.jobs.start(jobName(name, database)) {
            try await database.addIndex(declaration.index)
        }
        return name
    }

    /// What a job for an index is called.
    static func jobName(_ index: String, _ database: Database) -> String {
        "\(database.name)\u{0}\(index)"
    }

    private static func path(_ text: some StringProtocol) -> [String] {
        text.split(separator: ".").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
    }
}
