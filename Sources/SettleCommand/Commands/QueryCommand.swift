import ArgumentParser
import Settle

/// `settle query`: rows of an index that is declared on the command line.
struct QueryCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "List, look up, or sum up documents by their members.",
        discussion: """
            Each --key names a member of the documents; a path such as address.city names a member \
            of a member. Documents are listed in the order of that member. Several --key make an \
            array key: ordered by the first, then by the second, and so on. A document that has none \
            of the members is left out; --value names a member to show beside the key.

            With --reduce the values are summed up: over everything, or with --group-level N for \
            each different beginning of N members of the key, or with --group for each key.

            Keys for --from, --to and --keys are JSON: numbers as they are, strings in quotes, \
            arrays for several members. An empty object stands after everything: the keys from \
            '["EU"]' to '["EU",{}]' are those that begin with "EU". With --descending the query \
            begins at the high end: --from is then the higher key.

            The rows are kept in the database while the command runs. With --index NAME they stay, \
            and the next query with the same name and paths has only the changes to catch up with.

            Examples:
              settle query ./shop --key name
              settle query ./shop --key price --from 10 --to 20 --include-documents
              settle query ./cities --key country --value population --reduce sum --group
              settle query ./cities --key continent --key name --from '["EU","M"]' --limit 5
            """)

    @OptionGroup var database: DatabaseArgument

    @Option(
        help: ArgumentHelp("A member of the key; give it once or more.", valueName: "path"),
        transform: KeyPathArgument.init(parsing:))
    var key: [KeyPathArgument] = []

    @Option(
        help: ArgumentHelp("The member that is the value of a row.", valueName: "path"),
        transform: KeyPathArgument.init(parsing:))
    var value: KeyPathArgument?

    @Option(help: "Sum up the values.")
    var reduce: ReduceArgument?

    @Option(
        help: ArgumentHelp(
            "Sum up the rows whose keys begin with the same N members.", valueName: "n"))
    var groupLevel: UInt = 0

    @Flag(help: "Sum up the rows of each key by themselves.")
    var group = false

    @Flag(help: "Show the rows themselves in spite of --reduce.")
    var noReduce = false

    @Option(
        help: ArgumentHelp("The first key, as JSON.", valueName: "json"),
        transform: JSONArgument.init(parsing:))
    var from: JSONArgument?

    @Option(
        help: ArgumentHelp("The last key, as JSON; it is included.", valueName: "json"),
        transform: JSONArgument.init(parsing:))
    var to: JSONArgument?

    @Option(
        help: ArgumentHelp("Only these keys, as a JSON array of keys.", valueName: "json"),
        transform: JSONArgument.init(parsing:))
    var keys: JSONArgument?

    @Flag(help: "From the last key to the first.")
    var descending = false

    @Option(help: ArgumentHelp("Show at most so many rows.", valueName: "n"))
    var limit: UInt?

    @Option(help: ArgumentHelp("Pass over so many rows first.", valueName: "n"))
    var skip: UInt = 0

    @Flag(help: "Show the document of each row.")
    var includeDocuments = false

    @Option(help: ArgumentHelp("Keep the rows in the database as this index.", valueName: "name"))
    var index: String?

    @Flag(help: "Print a JSON object a row, with \"key\", \"value\", and \"id\".")
    var json = false

    private var isReduced: Bool { reduce != nil && !noReduce }

    func validate() throws {
        guard !key.isEmpty else {
            throw ValidationError("Say what to order by: at least one --key, such as --key name.")
        }
        if keys != nil, from != nil || to != nil {
            throw ValidationError("--keys goes without --from and --to.")
        }
        if let keys, keys.value.arrayValue == nil {
            throw ValidationError("--keys takes an array of keys: --keys '[\"FR\",\"IT\"]'.")
        }
        if group || groupLevel > 0, !isReduced {
            throw ValidationError("Grouping needs --reduce, and no --no-reduce.")
        }
        if includeDocuments, isReduced {
            throw ValidationError(
                "Rows that were summed up have no documents; give --no-reduce as well.")
        }
        if limit == 0 {
            throw ValidationError("--limit must be 1 or more; leave it out to see all rows.")
        }
        if let index, !(1...200).contains(index.utf8.count) {
            throw ValidationError("The name of an index has 1 to 200 bytes.")
        }
    }

    func perform() async throws {
        let output = Output()
        try await database.path.withDatabase { database in
            let rows = try await rows(of: database)
            if json {
                for row in rows { try output.line(RowText.json(row)) }
            } else {
                try printTable(of: rows, to: output)
            }
            try output.flush()
        }
    }

    private func rows(of database: Database) async throws -> [QueryResultRow] {
        // Named for what it holds, so that one left behind by a crash is found and used again.
        let paths = key.map(\.text).joined(separator: ",")
        let name =
            index ?? String("settle query \(paths) -> \(value?.text ?? "nothing")".prefix(100))
        try await database.addIndex(
            Database.Index.keyPaths(
                name: name, keys: key.map(\.names), value: value?.names, reduce: reduce?.function))
        let result = try await database.runQuery(on: name, with: parameters())
        if index == nil { try await database.removeIndex(named: name) }
        return result.rows
    }

    private func parameters() -> any QueryParameters {
        if let keys = keys?.value.arrayValue {
            var list = QueryByKeyList()
            list.keysJSON = keys
            return common(list)
        }
        var range = QueryByKeyRange()
        range.startKeyJSON = from?.value
        range.endKeyJSON = to?.value
        return common(range)
    }

    private func common(_ parameters: some QueryParameters) -> any QueryParameters {
        var parameters = parameters
        parameters.sortOrder = descending ? .descending : .ascending
        parameters.rowLimit = limit ?? 0
        parameters.startRow = skip
        parameters.includeDocuments = includeDocuments
        parameters.reduce = isReduced
        parameters.group = group
        parameters.groupLevel = groupLevel
        return parameters
    }

    private func printTable(of rows: [QueryResultRow], to output: Output) throws {
        let table = RowTable(
            keys: key.map(\.text), value: value?.text, reduce: isReduced ? reduce : nil,
            level: groupLevel > 0 ? Int(clamping: groupLevel) : nil, isGrouped: group)
        for line in table.lines(of: rows) { try output.line(line) }
        for row in rows {
            guard let document = row.document else { continue }
            try output.line()
            try output.line(DocumentText.heading(of: document))
            try output.line(JSONRendering.indented(DocumentText.value(of: document)))
        }
        if rows.isEmpty { try output.line("No rows.") }
    }
}
