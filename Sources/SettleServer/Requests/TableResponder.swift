import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import Settle
import SettleOData

/// Answers every request of a server.
///
/// The order of the questions: whether the request is HTTP as it must be, whether a page elsewhere is
/// behind it, what the path names, whether the method fits it, which version of the protocol, who asks and
/// whether they may write, how the body is coded; then the route itself. Whatever goes wrong on the way is answered in
/// JSON with a sentence.
struct TableResponder: HTTPResponder {
    typealias Context = TableContext

    let store: any TableStore
    let authenticator: Authenticator
    let origins: OriginPolicy
    let access: Access
    /// Nil when nobody is limited.
    let limiter: RateLimiter?
    let metrics: ServerMetrics
    /// Nil when metrics are not served.
    let metricsText: MetricsText?
    let shutdown: ShutdownWatch
    let liveReaders: LiveReaders
    let limits: PageLimits
    let versionWhenMissing: ProtocolVersion?
    let intake: BodyIntake
    let answers: LargeResponses
    let clients: Connections
    let attachmentMaxBytes: Int
    /// Nil when there are none.
    let mountedPages: MountedPages?
    let now: @Sendable () -> Date
    /// What waits are measured with.
    let clock: any Clock<Duration>
    let logger: Logger

    func respond(to request: Request, context: Context) async throws -> Response {
        var watch = RequestWatch(request, id: context.requestId, metrics: metrics)
        if let mountedPages, mountedPages.isFor(request.uri.path) {
            watch.template = mountedPages.path
            let response = await watch.span.run {
                await self.response(of: mountedPages, to: request)
            }
            return watch.end(response, logger: logger)
        }
        var response = await watch.span.run {
            await respond(to: request, context: context, template: &watch.template)
        }
        response.headers[.xContentTypeOptions] = "nosniff"
        if response.status == .contentTooLarge, request.headers[.contentEncoding] != nil {
            // The rest of it is not worth unpacking.
            response.headers[.connection] = "close"
        }
        origins.share(&response.headers, with: request)
        return watch.end(response, logger: logger)
    }

    /// The answer of pages that something else makes; what tables share with pages of other origins is not theirs.
    private func response(of pages: MountedPages, to request: Request) async -> Response {
        do {
            _ = try RequestHead.check(request)
        } catch {
            return TableResponse.problem(problem(for: error))
        }
        return await pages.respond(request) { [authenticator] token in
            await authenticator.grant(of: pages.claim, to: token)
        }
    }

    /// The answer to a request; `template` becomes that of its path, as soon as that is known.
    private func respond(
        to request: Request, context: Context, template: inout String
    ) async -> Response {
        do {
            let authority = try RequestHead.check(request)
            let isLetIn = authenticator.letsInWithoutToken(request.headers)
            if isLetIn { try origins.check(request, to: authority, at: context.localAddress) }
            let path = try RoutePath(request.uri.path)
            template = path.template
            if !isLetIn, path.isOfEverybody {
                // No token is looked at, so it may be any.
                try origins.check(request, to: authority, at: context.localAddress)
            }
            if let answer = try origins.preflight(request, methods: path.route?.methods ?? []) {
                return answer
            }
            return try await respond(
                request, at: path, from: context.address,
                over: clients.connection(of: context.channel))
        } catch {
            return TableResponse.problem(problem(for: error))
        }
    }

    /// The one table of errors and statuses.
    func problem(for error: any Error) -> Problem {
        switch error {
        case let problem as Problem: return problem
        case let error as ODataError:
            return Problem(.badRequest, "The list cannot be made: \(error)")
        case is HTTPParserError, is ChannelError, is IOError:
            // Of the connection: what a store throws is its own.
            return RequestHead.malformed(
                "The body of the request is malformed, or the connection ended before it was there."
            )
        case NIOHTTPDecompression.DecompressionError.limit:
            return Problem(
                .contentTooLarge, "The body unpacks to more than this server takes.",
                headers: [.connection: "close"])
        case is NIOHTTPDecompression.DecompressionError,
            is NIOHTTPDecompression.ExtraDecompressionError:
            return RequestHead.malformed(
                "The body cannot be unpacked: it is not what Content-Encoding says, or not all of it."
            )
        case is CancellationError:
            return Problem(.serviceUnavailable, "The request was given up; try again.")
        case let error as DatabaseError:
            switch error.code {
            case .documentTooLarge:
                return Problem(.contentTooLarge, "The item is too large to be stored.")
            case .invalidDocumentId: return Problem(.badRequest, "The id cannot be used.")
            case .databaseClosed:
                return Problem(.serviceUnavailable, "The server is stopping; try again later.")
            case .diskFull:
                logger.error("store", metadata: ["code": "\(error.code)"])
                return Problem(
                    HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
                    "The server's disk is full.")
            default:
                // The sentence of an error may name an item.
                logger.error("store", metadata: ["code": "\(error.code)"])
                return Self.fault
            }
        default:
            // The text of an unknown error could hold anything, so only its type is logged.
            logger.error("unexpected", metadata: ["error": "\(type(of: error))"])
            return Self.fault
        }
    }

    private static let fault = Problem(
        .internalServerError, "The server could not carry out the request; its log says more.")
}
