import ArgumentParser
import Settle

/// Which rows of an index are asked for, and in which order.
struct QueryOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Sum up the rows whose keys begin with the same N members.", valueName: "n"),
        transform: CountArgument.natural(parsing:))
    var groupLevel = CountArgument(0)

    @Flag(help: "Sum up the rows of each key by themselves.")
    var group = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The first key, as JSON.", valueName: "json"),
        transform: JSONArgument.init(parsing:))
    var from: JSONArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The last key, as JSON; it is included.", valueName: "json"),
        transform: JSONArgument.init(parsing:))
    var to: JSONArgument?

    @Flag(help: "Leave out the rows with the key of --from itself.")
    var exclusiveStart = false

    @Flag(help: "Leave out the rows with the key of --to itself.")
    var exclusiveEnd = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Of the rows with the key of --from, begin with this document's.", valueName: "id"))
    var startId: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Of the rows with the key of --to, end with this document's.", valueName: "id"))
    var endId: String?

    @Option(
        help: ArgumentHelp(
            "Only keys that begin so, as JSON: a text, or the first members of an array.",
            valueName: "json"),
        transform: JSONArgument.init(parsing:))
    var prefix: JSONArgument?

    @Option(
        help: ArgumentHelp("Only these keys, as a JSON array of keys.", valueName: "json"),
        transform: JSONArgument.init(parsing:))
    var keys: JSONArgument?

    @Flag(help: "From the last key to the first.")
    var descending = false

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Show at most so many rows.", valueName: "n"),
        transform: CountArgument.positive(parsing:))
    var limit: CountArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Pass over so many rows first.", valueName: "n"),
        transform: CountArgument.natural(parsing:))
    var skip = CountArgument(0)

    @Flag(help: "Show the document of each row.")
    var includeDocuments = false

    /// Whether rows are to be summed up by groups.
    var isGrouped: Bool { group || groupLevel.count > 0 }

    /// Whether nothing was given.
    var isEmpty: Bool {
        !isGrouped && [from, to, prefix, keys].allSatisfy { $0 == nil } && startId == nil
            && endId == nil && limit == nil && skip.count == 0
            && ![exclusiveStart, exclusiveEnd, descending, includeDocuments].contains(true)
    }

    func validate() throws {
        if keys != nil, from != nil || to != nil {
            throw ValidationError("--keys goes without --from and --to.")
        }
        if let keys, keys.value.arrayValue == nil {
            throw ValidationError("--keys takes an array of keys: --keys '[\"FR\",\"IT\"]'.")
        }
        if let prefix {
            if from != nil || to != nil || keys != nil {
                throw ValidationError("--prefix goes without --from, --to and --keys.")
            }
            guard prefix.value.stringValue != nil || prefix.value.arrayValue?.isEmpty == false
            else {
                throw ValidationError(
                    "--prefix takes a text or an array: --prefix '\"Mon\"', "
                        + "--prefix '[\"EU\",\"FR\"]'.")
            }
        }
        if from == nil, exclusiveStart || startId != nil {
            throw ValidationError("--exclusive-start and --start-id go with --from.")
        }
        if to == nil, exclusiveEnd || endId != nil {
            throw ValidationError("--exclusive-end and --end-id go with --to.")
        }
    }

    /// The question they put.
    ///
    /// - Parameters:
    ///   - isReduced: Whether the rows are summed up.
    ///   - freshness: Whether the index is brought up to date first.
    /// - Returns: The parameters.
    func parameters(isReduced: Bool, freshness: QueryFreshness) -> any QueryParameters {
        if let keys = keys?.value.arrayValue {
            var list = QueryByKeyList()
            list.keysJSON = keys
            return common(list, isReduced, freshness)
        }
        if let prefix {
            return common(QueryByKeyRange(prefix: prefix.value), isReduced, freshness)
        }
        var range = QueryByKeyRange()
        range.startKeyJSON = from?.value
        range.endKeyJSON = to?.value
        range.inclusiveStart = !exclusiveStart
        range.inclusiveEnd = !exclusiveEnd
        range.startDocumentId = startId
        range.endDocumentId = endId
        return common(range, isReduced, freshness)
    }

    private func common(
        _ parameters: some QueryParameters, _ isReduced: Bool, _ freshness: QueryFreshness
    ) -> any QueryParameters {
        var parameters = parameters
        parameters.sortOrder = descending ? .descending : .ascending
        parameters.rowLimit = UInt(limit?.count ?? 0)
        parameters.startRow = UInt(skip.count)
        parameters.includeDocuments = includeDocuments
        parameters.reduce = isReduced
        parameters.group = group
        parameters.groupLevel = UInt(groupLevel.count)
        parameters.freshness = freshness
        return parameters
    }
}
