import HTTPTypes
import SettleTableProtocol

/// What a path names.
enum RoutePath: Sendable, Equatable {
    case description
    case health
    case readiness
    case metrics
    case table(TableName)
    case batch(TableName)
    case changes(TableName)
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
    /// - Throws: ``Problem`` 400 for a name, an id or a digest that breaks its rules, or bad encoding.
    init(_ path: String) throws(Problem) {
        var parts = path.utf8.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
        ).dropFirst().map { String(Substring($0)) }
        if parts.first == "tables", (2...5).contains(parts.count) {
            for index in 1..<parts.count { parts[index] = try Self.decoded(parts[index]) }
            _ = try TableName(parts[1])
            if parts.count == 3, parts[2].isEmpty { parts.removeLast() }
        }
        guard let route = RouteTable.all.first(where: { $0.isFor(parts) }) else {
            self = .unknown
            return
        }
        self = try Self.path(route.kind, route.values(in: parts))
    }

    /// Whether what it holds is given to everybody, whatever their token; signs of life hold nothing.
    var isOfEverybody: Bool { self == .metrics || self == .description }

    /// The path of a kind with the values of its parameters, in their order.
    private static func path(
        _ kind: Route.Kind, _ values: [String]
    ) throws(Problem) -> RoutePath {
        switch kind {
        case .description: return .description
        case .health: return .health
        case .readiness: return .readiness
        case .metrics: return .metrics
        case .table: return .table(try TableName(values[0]))
        case .batch: return .batch(try TableName(values[0]))
        case .changes: return .changes(try TableName(values[0]))
        case .item:
            try ItemIdentifier.check(values[1])
            return .item(try TableName(values[0]), id: values[1])
        case .content:
            guard let digest = AttachmentDigest(values[1]) else {
                throw Problem(
                    .badRequest,
                    "The path must end with the SHA-256 of the content, 64 hexadecimal digits in "
                        + "lower case.")
            }
            return .content(try TableName(values[0]), digest)
        case .attachment:
            try ItemIdentifier.check(values[1])
            do {
                try AttachmentName.check(values[2])
            } catch {
                throw Problem(error)
            }
            return .attachment(try TableName(values[0]), id: values[1], name: values[2])
        }
    }

    private static func decoded(_ part: String) throws(Problem) -> String {
        guard let text = PercentEncoding.decoded(part[...]) else {
            throw Problem(.badRequest, "The path is not percent-encoded UTF-8.")
        }
        return text
    }

    /// The kind of the path; nil when there is nothing there.
    private var kind: Route.Kind? {
        switch self {
        case .description: .description
        case .health: .health
        case .readiness: .readiness
        case .metrics: .metrics
        case .table: .table
        case .batch: .batch
        case .changes: .changes
        case .item: .item
        case .content: .content
        case .attachment: .attachment
        case .unknown: nil
        }
    }

    /// What the table of routes says of the path; nil when there is nothing there.
    var route: Route? {
        kind.flatMap { kind in RouteTable.all.first { $0.kind == kind } }
    }

    /// The path without what is particular to a request, for the log.
    var template: String { route?.template ?? "unknown" }
}
