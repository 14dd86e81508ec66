import HTTPTypes
import Hummingbird
import Settle
import SettleTableProtocol

extension TableResponder {
    /// Answers a request at a path; what every table route has in common is done here.
    ///
    /// Every answer of a table route says which server this is and what it can do beyond the
    /// protocol, those that say no too.
    ///
    /// - Throws: Whatever goes wrong outside the tables.
    func respond(
        _ request: Request, at path: RoutePath, from address: String?, over connection: Connection?
    ) async throws -> Response {
        guard let route = path.route else { throw Self.unknownPath }
        guard route.isOfTable else {
            try Self.checkMethod(of: request, at: route)
            return try await respond(at: path)
        }
        var dialect = TableDialect.version2
        var response: Response
        do {
            try Self.checkMethod(of: request, at: route)
            let query = try RequestQuery(request.uri.query)
            let version = try RequestedVersion(
                headers: request.headers, query: query, versionWhenMissing: versionWhenMissing)
            dialect = TableDialect(version.version)
            let tableRequest = TableRequest(
                request: request, query: query, dialect: dialect, isVersionNamed: version.isNamed,
                identity: try await identity(of: request, at: path, from: address),
                connection: connection, responder: self)
            response = try await tableRequest.respond(at: path)
        } catch {
            response = try await respond(
                problem(for: error), in: dialect,
                for: SenderKey(subject: nil, address: address), over: connection)
        }
        response.headers[.zumoServerVersion] = ServerIdentity.header
        response.headers[.settleFeatures] = ServerFeatures.all.header
        return response
    }

    /// The response for a problem, which may be a large item.
    private func respond(
        _ problem: Problem, in dialect: TableDialect, for sender: SenderKey,
        over connection: Connection?
    ) async throws -> Response {
        let worded = dialect.wording(problem)
        guard let item = worded.item, item.isLarge else {
            return TableResponse.problem(problem, in: dialect)
        }
        return try await answers.item(
            item, in: dialect, status: worded.status, headers: worded.headers, for: sender,
            to: connection)
    }

    /// Answers at a path that is no table's.
    private func respond(at path: RoutePath) async throws -> Response {
        switch path {
        case .health: return TableResponse.json(["status": "ok"])
        case .readiness: return try await readiness()
        case .metrics: return try metricsResponse()
        case .description:
            return TableResponse.json(
                versionWhenMissing == nil
                    ? OpenAPIDescription.json : OpenAPIDescription.jsonWithoutVersion)
        default: throw Self.unknownPath
        }
    }

    private static func checkMethod(of request: Request, at route: Route) throws(Problem) {
        let allowed = route.methods
        guard !allowed.contains(request.method) else { return }
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        throw Problem(
            .methodNotAllowed,
            "The method \(request.method.rawValue) is not for this path; it takes \(names).",
            headers: [.allow: names])
    }

    private static let unknownPath = Problem(
        .notFound,
        "There is nothing at this path; tables are at /tables/NAME and /tables/NAME/ID, "
            + "with the id percent-encoded.")
}

extension TableRequest {
    /// Answers at a path of a table, with a method that it takes.
    fileprivate func respond(at path: RoutePath) async throws -> Response {
        switch (path, request.method) {
        case (.table(let table), .post): return try await insert(into: table)
        case (.table(let table), _): return try await list(table)
        case (.item(let table, let id), .patch): return try await update(id, in: table)
        case (.item(let table, let id), .put): return try await replace(id, in: table)
        case (.item(let table, let id), .delete): return try await delete(id, in: table)
        case (.item(let table, let id), .post): return try await undelete(id, in: table)
        case (.item(let table, let id), _): return try await read(id, in: table)
        case (.content(let table, let digest), .put):
            return try await storeContent(digest, in: table)
        case (.content(let table, let digest), _): return try await findContent(digest, in: table)
        case (.attachment(let table, let id, let name), _):
            return try await readAttachment(name, of: id, in: table)
        case (.batch(let table), _): return try await batch(in: table)
        case (.changes(let table), _): return try await changes(of: table)
        case (.description, _), (.health, _), (.readiness, _), (.metrics, _), (.unknown, _):
            preconditionFailure("Only the paths of tables come here.")
        }
    }
}
