import HTTPTypes

/// What a path names.
enum RoutePath: Sendable, Equatable {
    case health
    case table(TableName)
    case item(TableName, id: String)
    case unknown

    /// Reads the path of a request, still percent-encoded.
    ///
    /// The path is cut before it is decoded, so that an id may hold a slash written `%2F`.
    /// One slash at the end of a table's path is overlooked.
    ///
    /// - Parameter path: The path without the query.
    /// - Throws: ``Refusal`` 400 for a name or an id that breaks its rules, or bad encoding.
    init(_ path: String) throws(Refusal) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2, parts[1] == "healthz" {
            self = .health
            return
        }
        guard (3...4).contains(parts.count), parts[1] == "tables" else {
            self = .unknown
            return
        }
        let table = try TableName(try Self.decoded(parts[2]))
        guard parts.count == 4, !parts[3].isEmpty else {
            self = .table(table)
            return
        }
        let id = try Self.decoded(parts[3])
        try ItemIdentifier.check(id)
        self = .item(table, id: id)
    }

    private static func decoded(_ part: Substring) throws(Refusal) -> String {
        guard let text = PercentEncoding.decoded(part) else {
            throw Refusal(.badRequest, "The path is not percent-encoded UTF-8.")
        }
        return text
    }

    /// The path without what is particular to a request, for the log.
    var template: String {
        switch self {
        case .health: "/healthz"
        case .table: "/tables/{table}"
        case .item: "/tables/{table}/{id}"
        case .unknown: "unknown"
        }
    }
}
