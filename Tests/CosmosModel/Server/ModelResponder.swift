import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Hands requests on to the account, and closes connections when a fault says so.
struct ModelResponder: HTTPResponder {
    let service: ModelService

    /// The most bytes of a request.
    private static let bodySizeMax = 64 << 20

    func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        var headers: [String: String] = [:]
        for field in request.headers {
            let name = field.name.canonicalName
            headers[name] = headers[name].map { "\($0), \(field.value)" } ?? field.value
        }
        headers["host"] = request.head.authority
        let body = try await request.body.collect(upTo: Self.bodySizeMax)
        let segments = request.uri.path.split(separator: "/").map {
            $0.removingPercentEncoding ?? String($0)
        }
        let asked = ServiceRequest(
            method: request.method.rawValue, segments: segments, headers: headers,
            body: Array(buffer: body))
        switch await service.respond(to: asked) {
        case .response(let response): return Self.response(response, to: asked)
        case .cut:
            try await context.channel.close()
            throw CancellationError()
        }
    }

    private static func response(
        _ response: ServiceResponse, to request: ServiceRequest
    ) -> Response {
        var fields = HTTPFields()
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        let hasBody = ![204, 304].contains(response.status) && request.method != "HEAD"
        return Response(
            status: .init(code: response.status), headers: fields,
            body: hasBody
                ? ResponseBody(byteBuffer: ByteBuffer(bytes: response.body)) : ResponseBody())
    }
}

/// A request's context that knows its connection.
struct ConnectionContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
