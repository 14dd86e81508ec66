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
            try check(request, to: authority, at: context.localAddress)
            if let answer = try origins.preflight(request, methods: Self.methods) {
                return shared(answer, with: request)
            }
        } catch {
            return refusal(of: request, error)
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

    /// What a page may do with the protocol's paths.
    private static let methods: [HTTPRequest.Method] = [
        .get, .head, .post, .put, .delete, HTTPRequest.Method("COPY") ?? .put,
    ]

    /// Keeps pages in browsers out.
    ///
    /// A request with `Bearer` comes from whoever has the token. A name and a password a browser adds by itself to what any page
    /// asks for, once they were typed, and a cookie to what pages of the same site do; one that shows nothing, where tokens are
    /// asked for, gets nothing that depends on the name by which it calls the server. So of those only the page matters.
    private func check(
        _ request: Request, to authority: Authority, at localAddress: String?
    ) throws(Problem) {
        if responder.authorization.letsInWithoutToken(
            authorization: request.headers[.authorization], cookie: request.headers[.cookie])
        {
            try origins.check(request, to: authority, at: localAddress)
        } else if request.headers[.authorization]?.lowercased().hasPrefix("bearer ") != true {
            try origins.checkPage(request, at: authority)
        }
    }

    /// The answer to a request that is not looked at, as CouchDB words errors.
    private func refusal(of request: Request, _ problem: Problem) -> Response {
        let word =
            switch problem.status.code {
            case 400: "bad_request"
            case 421: "misdirected_request"
            default: "forbidden"
            }
        var answer = response(
            to: request, .failure(CouchError(problem.status.code, word, problem.message)))
        // Of one that is malformed nobody knows where the next begins.
        for field in problem.headers { answer.headers[field.name] = field.value }
        return answer
    }

    /// An answer that pages of other origins may read where they are let in.
    private func shared(_ answer: Response, with request: Request) -> Response {
        var answer = answer
        origins.share(&answer.headers, with: request)
        return answer
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
        return shared(
            request.method == .head ? response.createHeadResponse() : response, with: request)
    }
}
