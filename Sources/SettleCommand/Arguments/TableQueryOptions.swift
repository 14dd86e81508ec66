import ArgumentParser
import SettleREST
import SettleSync

/// Which rows of a table are fetched.
struct TableQueryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Fetch only rows that fulfil a condition of OData: 'population gt 1000'.",
            valueName: "condition"),
        transform: ConditionArgument.init(parsing:))
    var filter: ConditionArgument?

    @Option(
        help: ArgumentHelp(
            "Fetch once, in the order of a column: 'population desc'; may be given often.",
            valueName: "column"),
        transform: OrderArgument.init(parsing:))
    var orderBy: [OrderArgument] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Fetch once, and at most so many rows.", valueName: "n"),
        transform: CountArgument.positive(parsing:))
    var limit: CountArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Fetch once, and pass by so many rows first.", valueName: "n"),
        transform: CountArgument.natural(parsing:))
    var offset: CountArgument?

    @Option(
        help: ArgumentHelp(
            "Send this parameter with each request for rows; may be given often.",
            valueName: "name=value"),
        transform: ParameterArgument.init(parsing:))
    var parameter: [ParameterArgument] = []

    @Option(
        help: ArgumentHelp(
            "Keep how far the fetching got apart from others, under this name.", valueName: "name"))
    var queryId: String?

    /// Whether rows are fetched once, and nothing is kept of how far that got.
    var isSelection: Bool { !orderBy.isEmpty || limit != nil || offset != nil }

    /// Whether nothing was given.
    var isEmpty: Bool {
        !isSelection && filter == nil && parameter.isEmpty && queryId == nil
    }

    /// What is fetched once; the filter and the parameters are options of the replication.
    var selection: TableQuery {
        TableQuery(order: orderBy.map(\.order), limit: limit?.count, offset: offset?.count ?? 0)
    }

    func validate() throws {
        if let queryId {
            guard (1...255).contains(queryId.utf8.count) else {
                throw ValidationError("The name of --query-id has 1 to 255 bytes.")
            }
            if isSelection {
                throw ValidationError(
                    "--query-id goes on where it got to, and --order-by, --limit and --offset count "
                        + "rows from the beginning; leave one away.")
            }
        }
        let names = parameter.map(\.name)
        if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
            throw ValidationError("The parameter '\(twice)' is given twice.")
        }
    }

    /// Adds the filter and the parameters to the options of a replication.
    func add(to options: inout [String: any Sendable]) {
        if let filter { options[AzureTablesBackend.OptionName.filter] = filter.predicate }
        guard !parameter.isEmpty else { return }
        options[AzureTablesBackend.OptionName.parameters] = parameter.reduce(
            into: [String: String]()
        ) { $0[$1.name] = $1.value }
    }
}
