import SettleOData
import SettleSync

/// Which rows of a table to fetch once, and in which order.
///
/// ```swift
/// let largest = TableQuery(
///     filter: .field("country") == "DE", order: [.descending(.field("population"))],
///     limit: 100, parameters: ["units": "metric"])
/// try await database.pull(largest, with: configuration)
/// ```
///
/// > Source: `MSQuery` of Azure Mobile Apps: `predicate`, `orderBy`, `fetchLimit`, `fetchOffset`,
/// > `parameters`.
public struct TableQuery: Sendable, Hashable {
    /// A condition on the rows; nil for none.
    public var filter: ODataPredicate?
    /// By what the rows are sorted, the most important first; rows that are equal in all of it are
    /// sorted by their identifiers.
    public var order: [ODataOrder]
    /// The most rows to fetch, deleted ones included; nil for all.
    public var limit: Int?
    /// How many rows to pass by at the beginning.
    public var offset: Int
    /// What else stands in the query of each request, for servers with parameters of their own.
    ///
    /// Names and values are sent as they are given, encoded for a URL. Names that begin with `$` or
    /// `__` and `zumo-api-version` are the protocol's.
    public var parameters: [String: String]

    /// A query; all rows unless something is given.
    public init(
        filter: ODataPredicate? = nil, order: [ODataOrder] = [], limit: Int? = nil,
        offset: Int = 0, parameters: [String: String] = [:]
    ) {
        self.filter = filter
        self.order = order
        self.limit = limit
        self.offset = offset
        self.parameters = parameters
    }

    /// Whether rows are counted off, so that a place in the table does not say where to go on.
    var isSelection: Bool { !order.isEmpty || limit != nil || offset != 0 }

    /// The sorting of a request.
    func orderText(for version: ODataVersion) throws(ReplicationError) -> String {
        var texts: [String] = []
        for part in order { texts.append(try part.text(for: version)) }
        // Pages of rows in no certain order would pass by some and show others twice.
        if !order.contains(where: { $0.key.expression == .path([TableColumns.id]) }) {
            texts.append(TableColumns.id)
        }
        return texts.joined(separator: ",")
    }

    /// Refuses what cannot be asked.
    ///
    /// - Throws: `ReplicationError` with `misconfigured`.
    func check() throws(ReplicationError) {
        guard limit ?? 0 >= 0, offset >= 0 else {
            throw ReplicationError(
                .misconfigured, "The limit and the offset of a query have to be 0 or more.")
        }
        for part in order { _ = try part.text(for: .v4) }
        try Self.check(parameters)
    }

    /// Refuses names of parameters that are the protocol's.
    ///
    /// - Throws: `ReplicationError` with `misconfigured`.
    static func check(_ parameters: [String: String]) throws(ReplicationError) {
        for name in parameters.keys.sorted() {
            let isReserved =
                name.isEmpty || name.hasPrefix("$") || name.hasPrefix("__")
                || name.lowercased() == "zumo-api-version"
            if isReserved {
                throw ReplicationError(
                    .misconfigured,
                    "A query cannot have a parameter '\(name)': names that are empty or begin with "
                        + "'$' or '__', and 'zumo-api-version', are the protocol's. Conditions, order "
                        + "and limits have values of their own.")
            }
        }
    }

    /// Parameters as they stand in a URL, in a fixed order.
    static func text(of parameters: [String: String]) -> String {
        parameters.sorted { $0.key < $1.key }
            .map { QueryParameter($0.key, $0.value).text }.joined(separator: "&")
    }
}
