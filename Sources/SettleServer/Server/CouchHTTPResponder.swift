import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SettlePrimitives
import Synchronization

/// Brings requests to the face of CouchDB's protocol, and its answers back.
struct CouchHTTPResponder: HTTPResponder {
    typealias Context = TableContext

    let responder: CouchResponder
    let origins: OriginPolicy
    let feeds: CouchFeeds
    let bodyMaxBytes: Int

    func respond(to request: Request, context: Context) async throws -> Response {
        do {
            let authority = try RequestHead.check(request)
            try origins.check(request, to: authority, at: context.localAddress)
        } catch {
            return response(
                to: request,
                .failure(
                    CouchError(403, "forbidden", "This server is not for pages from elsewhere.")))
        }
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: bodyMaxBytes)
        } catch {
            return response(
                to: request,
                .failure(CouchError(413, "too_large", "the request entity is too large")))
        }
        var headers: [String: String] = [:]
        for field in request.headers { headers[field.name.canonicalName] = field.value }
        let asked = CouchRequest(
            request.method.rawValue, request.uri.string, headers: headers,
            body: Array(body.readableBytesView))
        return response(to: request, await responder.respond(to: asked))
    }

    private func response(to request: Request, _ answer: CouchResponse) -> Response {
        var headers = HTTPFields()
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        headers[.cacheControl] = "must-revalidate"
        headers[.server] = "Settle (CouchDB protocol)"
        let body: ResponseBody
        switch answer.body {
        case .bytes(let bytes): body = ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        case .stream(let stream):
            let feed = feeds.begin(stream)
            body = ResponseBody { writer in
                for await piece in feed { try await writer.write(ByteBuffer(bytes: piece)) }
                try await writer.finish(nil)
            }
        }
        let response = Response(
            status: HTTPResponse.Status(code: answer.status), headers: headers, body: body)
        return request.method == .head ? response.createHeadResponse() : response
    }
}

/// The feeds that do not end by themselves, so that a server that stops can end them.
final class CouchFeeds: Sendable {
    private struct State {
        var tasks: [Int: Task<Void, Never>] = [:]
        var count = 0
        var hasEnded = false
    }
    private let state = Lock(State())

    /// Passes a stream on until it ends, its reader goes, or all feeds are ended.
    func begin(_ stream: AsyncStream<[UInt8]>) -> AsyncStream<[UInt8]> {
        let (passed, continuation) = AsyncStream<[UInt8]>.makeStream()
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        let task = Task {
            for await piece in stream { continuation.yield(piece) }
            continuation.finish()
        }
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.tasks[number] = task }
            return state.hasEnded
        }
        if hasEnded { task.cancel() }
        continuation.onTermination = { [weak self] _ in
            task.cancel()
            _ = self?.state.withLock { $0.tasks.removeValue(forKey: number) }
        }
        return passed
    }

    /// Ends all of them.
    func end() {
        let tasks = state.withLock { state in
            state.hasEnded = true
            defer { state.tasks = [:] }
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }
}
