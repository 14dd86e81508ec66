import HTTPTypes

/// What a path names.
enum RoutePath: Sendable, Equatable {
    case health
    case table(TableName)
    case item(TableName, id: String)
    case content(TableName, AttachmentDigest)
    case attachment(TableName, id: String, name: String)
    case unknown

    /// Reads the path of a request, still percent-encoded.
    ///
    /// The path is cut before it is decoded, so that an id or a name may hold a slash written `%2F`.
    /// One slash at the end of a table's path is overlooked.
    ///
    /// - Parameter path: The path without the query.
    /// - Throws: ``Refusal`` 400 for a name, an id or a digest that breaks its rules, or bad encoding.
    init(_ path: String) throws(Refusal) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2, parts[1] == "healthz" {
            self = .health
            return
        }
        guard (3...6).contains(parts.count), parts[1] == "tables" else {
            self = .unknown
            return
        }
        let table = try TableName(try Self.decoded(parts[2]))
        if parts.count > 4 {
            self = try Self.belowItem(table, parts[3...])
            return
        }
        guard parts.count == 4, !parts[3].isEmpty else {
            self = .table(table)
            return
        }
        let id = try Self.decoded(parts[3])
        try ItemIdentifier.check(id)
        self = .item(table, id: id)
    }

    /// What the parts behind the name of a table name, when there is more than one.
    private static func belowItem(
        _ table: TableName, _ parts: ArraySlice<Substring>
    ) throws(Refusal) -> RoutePath {
        let first = try decoded(parts[3])
        let second = try decoded(parts[4])
        guard parts.count == 3 else {
            guard first == attachments else { return .unknown }
            guard let digest = AttachmentDigest(second) else {
                throw Refusal(
                    .badRequest,
                    "The path must end with the SHA-256 of the content, 64 hexadecimal digits in "
                        + "lower case.")
            }
            return .content(table, digest)
        }
        guard second == attachments else { return .unknown }
        try ItemIdentifier.check(first)
        let name = try decoded(parts[5])
        try AttachmentName.check(name)
        return .attachment(table, id: first, name: name)
    }

    private static let attachments = "attachments"

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
        case .content: "/tables/{table}/attachments/{digest}"
        case .attachment: "/tables/{table}/{id}/attachments/{name}"
        case .unknown: "unknown"
        }
    }
}
