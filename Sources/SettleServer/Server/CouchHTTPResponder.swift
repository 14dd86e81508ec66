import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Brings requests to the face of CouchDB's protocol, and its answers back.
struct CouchHTTPResponder: HTTPResponder {
    typealias Context = TableContext

    let responder: CouchResponder
    let origins: OriginPolicy
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
        headers["host"] = request.head.authority
        var asked = CouchRequest(
            request.method.rawValue, request.uri.string, headers: headers,
            body: Array(body.readableBytesView))
        asked.address = context.address
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
        case .parts(let parts):
            body = ResponseBody(contentLength: parts.length) { writer in
                try await parts.forEach { try await writer.write(ByteBuffer(bytes: $0)) }
                try await writer.finish(nil)
            }
        case .stream(let stream):
            body = ResponseBody { writer in
                for await piece in stream { try await writer.write(ByteBuffer(bytes: piece)) }
                try await writer.finish(nil)
            }
        }
        let response = Response(
            status: HTTPResponse.Status(code: answer.status), headers: headers, body: body)
        return request.method == .head ? response.createHeadResponse() : response
    }
}
