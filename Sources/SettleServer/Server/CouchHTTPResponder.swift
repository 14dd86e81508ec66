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
    let attachmentMaxBytes: Int

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
        var headers: [String: String] = [:]
        for field in request.headers { headers[field.name.canonicalName] = field.value }
        headers["host"] = request.head.authority
        var asked = CouchRequest(
            request.method.rawValue, request.uri.string, headers: headers)
        asked.address = context.address
        if asked.bringsContents {
            asked.coming = CouchUpload(
                request.body.map { Array($0.readableBytesView)[...] },
                contentBytesMax: attachmentMaxBytes, textBytesMax: bodyMaxBytes)
        } else {
            do {
                let body = try await request.body.collect(upTo: bodyMaxBytes)
                asked.body = Array(body.readableBytesView)
            } catch {
                return response(to: request, .failure(CouchError.tooLarge))
            }
        }
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
