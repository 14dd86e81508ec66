import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Settle

/// Answers every request of a server.
///
/// The order of the questions: what the path names, whether the method fits it, which version of
/// the protocol, who asks; then the route itself. Whatever goes wrong on the way is answered in
/// JSON with a sentence.
struct TableResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    let tables: Tables
    let authenticator: Authenticator
    let limits: PageLimits
    let bodyMaxBytes: Int
    let attachmentMaxBytes: Int
    let now: @Sendable () -> Date
    let logger: Logger

    func respond(to request: Request, context: Context) async throws -> Response {
        let start = ContinuousClock.now
        var template = "unknown"
        let response: Response
        do {
            let path = try RoutePath(request.uri.path)
            template = path.template
            response = try await answer(request, at: path)
        } catch {
            response = Answer.refusal(refusal(for: error))
        }
        let duration = (ContinuousClock.now - start) / .milliseconds(1)
        logger.info(
            "request",
            metadata: [
                "method": "\(request.method.rawValue)", "route": "\(template)",
                "status": "\(response.status.code)",
                "milliseconds": "\((duration * 1000).rounded() / 1000)",
            ])
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answer(_ request: Request, at path: RoutePath) async throws -> Response {
        try checkMethod(of: request, at: path)
        if path == .health { return Answer.json(["status": "ok"]) }
        let query = try RequestQuery(request.uri.query)
        try ProtocolVersion.check(headers: request.headers, query: query)
        let call = TableCall(
            request: request, query: query,
            identity: try await authenticator.identity(of: request.headers), responder: self)
        switch path {
        case .table(let table):
            return request.method == .post
                ? try await call.insert(into: table) : try await call.list(table)
        case .item(let table, let id):
            switch request.method {
            case .patch: return try await call.update(id, in: table)
            case .delete: return try await call.delete(id, in: table)
            case .post: return try await call.undelete(id, in: table)
            default: return try await call.read(id, in: table)
            }
        case .content(let table, let digest):
            return request.method == .put
                ? try await call.storeContent(digest, in: table)
                : try await call.findContent(digest, in: table)
        case .attachment(let table, let id, let name):
            return try await call.readAttachment(name, of: id, in: table)
        case .health, .unknown: throw Self.unknownPath
        }
    }

    private func checkMethod(of request: Request, at path: RoutePath) throws(Refusal) {
        let allowed: [HTTPRequest.Method] =
            switch path {
            case .health: [.get, .head]
            case .table: [.get, .head, .post]
            case .item: [.get, .head, .patch, .post, .delete]
            case .content: [.head, .put]
            case .attachment: [.get, .head]
            case .unknown: throw Self.unknownPath
            }
        guard !allowed.contains(request.method) else { return }
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        throw Refusal(
            .methodNotAllowed,
            "The method \(request.method.rawValue) is not for this path; it takes \(names).",
            headers: [.allow: names])
    }

    private static let unknownPath = Refusal(
        .notFound,
        "There is nothing at this path; tables are at /tables/NAME and /tables/NAME/ID, "
            + "with the id percent-encoded.")

    /// The one table of errors and statuses.
    private func refusal(for error: any Error) -> Refusal {
        switch error {
        case let refusal as Refusal: return refusal
        case let error as ODataError:
            return Refusal(.badRequest, "The list cannot be made: \(error)")
        case is CancellationError:
            return Refusal(.serviceUnavailable, "The request was given up; try again.")
        case let error as DatabaseError:
            switch error.code {
            case .documentTooLarge:
                return Refusal(.contentTooLarge, "The item is too large to be stored.")
            case .invalidDocumentId: return Refusal(.badRequest, "The id cannot be used.")
            case .databaseClosed:
                return Refusal(.serviceUnavailable, "The server is stopping; try again later.")
            case .diskFull:
                logger.error("store", metadata: ["error": "\(error)"])
                return Refusal(
                    HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
                    "The server's disk is full.")
            default:
                logger.error("store", metadata: ["error": "\(error)"])
                return Self.fault
            }
        default:
            // The text of an unknown error could hold anything, so only its type is logged.
            logger.error("unexpected", metadata: ["error": "\(type(of: error))"])
            return Self.fault
        }
    }

    private static let fault = Refusal(
        .internalServerError, "The server could not carry out the request; its log says more.")
}
