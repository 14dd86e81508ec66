import HTTPTypes
import SettleTableProtocol

/// A kind of path, and what can be done there.
///
/// The router goes by it, and the description of the server is made from it.
struct Route: Sendable {
    /// The kinds of paths.
    enum Kind: Sendable, Equatable, CaseIterable {
        case description, health, readiness, metrics
        case table, batch, changes, item, content, attachment
    }

    let kind: Kind
    /// The path with its parameters in braces: `/tables/{table}/{id}`.
    let template: String
    let operations: [RouteOperation]
    /// The methods, HEAD after GET, in the order in which `Allow` names them.
    let methods: [HTTPRequest.Method]
    /// Whether the route is one of a table, which needs a version and a sender.
    let isOfTable: Bool
    /// The parts of the path; nil in place of a parameter.
    private let segments: [String?]

    init(kind: Kind, template: String, operations: [RouteOperation]) {
        self.kind = kind
        self.template = template
        self.operations = operations
        methods = operations.flatMap { $0.hasHead ? [$0.method, .head] : [$0.method] }
        isOfTable = template.hasPrefix("/tables/")
        segments = template.dropFirst().split(separator: "/").map {
            $0.hasPrefix("{") ? nil : String($0)
        }
    }

    /// Whether decoded parts of a path are one of this kind.
    ///
    /// A parameter takes any part, so routes with fixed names come first in the table.
    func isFor(_ parts: [String]) -> Bool {
        segments.count == parts.count
            && zip(segments, parts).allSatisfy { $0 == nil || $0 == $1 }
    }

    /// The values of the parameters in a path of this kind.
    func values(in parts: [String]) -> [String] {
        zip(segments, parts).compactMap { $0 == nil ? $1 : nil }
    }

    /// The names of the parameters.
    var parameterNames: [String] {
        template.split(separator: "/").filter { $0.hasPrefix("{") }
            .map { String($0.dropFirst().dropLast()) }
    }
}

/// What a method does at a route.
struct RouteOperation: Sendable {
    let method: HTTPRequest.Method
    /// A name for programs that are generated from the description.
    let name: String
    /// A line for people.
    let summary: String
    /// What may be in the query and the headers.
    let parameters: [TableParameter]
    let body: RouteBody?
    let answers: [RouteResponse]
    /// Whether HEAD does the same and answers without the body.
    let hasHead: Bool

    init(
        _ method: HTTPRequest.Method, _ name: String, _ summary: String,
        _ parameters: [TableParameter] = [], body: RouteBody? = nil, answers: [RouteResponse],
        hasHead: Bool? = nil
    ) {
        self.method = method
        self.name = name
        self.summary = summary
        self.parameters = parameters
        self.body = body
        self.answers = answers
        self.hasHead = hasHead ?? (method == .get)
    }
}

/// What a request carries.
enum RouteBody: Sendable {
    case item
    /// An item, or in version 3 a JSON patch.
    case change
    case batch
    case content
}

/// An answer that a route can give.
struct RouteResponse: Sendable, Equatable {
    /// What the body is.
    enum Body: Sendable, Equatable {
        case nothing
        case item
        /// An item, or problem details.
        case conflict
        case list
        case results
        case changes
        case status
        case description
        case text
        case content
        case problem
    }

    let status: Int
    let summary: String
    let body: Body
    /// Headers beyond those of every answer.
    let headers: [TableHeader]

    init(
        _ status: Int, _ summary: String, _ body: Body = .nothing, headers: [TableHeader] = []
    ) {
        self.status = status
        self.summary = summary
        self.body = body
        self.headers = headers
    }
}
