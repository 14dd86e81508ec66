import HTTPTypes
import Hummingbird
import Logging
import Settle

/// One request from its coming to the beginning of its answer: what is counted and logged of it.
///
/// Nothing of a path, a query, a body or a token is; not even the subject of the token, which is a
/// person more often than not, while logs are kept longer and read by more people than the tables.
/// The id of the request, which the answer carries too, finds the line that somebody asks about.
struct RequestWatch {
    /// The template of the path, as soon as it is known.
    var template = "unknown" {
        didSet {
            // No route is known: the method alone is the name.
            guard template != "unknown" else { return }
            span.rename("\(spanMethod) \(template)")
            span.set("http.route", to: template)
        }
    }
    /// The span of the request, from its coming to the beginning of its answer.
    let span: TraceSpan
    private let id: String
    private let method: HTTPRequest.Method
    private let bytesReceived: Int
    private let start = ContinuousClock.now
    private let metrics: ServerMetrics

    /// Begins to watch.
    init(_ request: Request, id: String, metrics: ServerMetrics) {
        self.id = id
        self.metrics = metrics
        method = request.method
        bytesReceived = max(0, request.headers[.contentLength].flatMap(Int.init) ?? 0)
        let headers = request.headers
        span = TraceSpan(serving: Self.spanMethod(of: request.method)) { name in
            HTTPField.Name(name).flatMap { headers[$0] }
        }
        span.set("http.request.method", to: Self.attribute(of: request.method))
        metrics.requestBegan()
    }

    // As the conventions of OpenTelemetry have it; what a sender may make up is not among them.
    private var spanMethod: String { Self.spanMethod(of: method) }

    private static func spanMethod(of method: HTTPRequest.Method) -> String {
        ServerMetrics.isKnown(method) ? method.rawValue : "HTTP"
    }

    private static func attribute(of method: HTTPRequest.Method) -> String {
        ServerMetrics.isKnown(method) ? method.rawValue : "_OTHER"
    }

    /// Counts and logs the answer.
    ///
    /// - Returns: The answer as it is sent: with the id of the request, and without a body to HEAD.
    func end(_ response: Response, logger: Logger) -> Response {
        var response = response
        response.headers[.requestId] = id
        let duration = ContinuousClock.now - start
        let bytesSent = method == .head ? 0 : response.body.contentLength ?? 0
        metrics.requestEnded(
            route: template, method: method, status: response.status.code, duration: duration,
            received: bytesReceived, sent: bytesSent)
        span.set("http.response.status_code", to: response.status.code)
        if response.status.code >= 500 { span.fail("\(response.status.code)") }
        span.end()
        logger.info(
            "request",
            metadata: [
                "id": "\(id)", "method": "\(method.rawValue)", "route": "\(template)",
                "status": "\(response.status.code)",
                "milliseconds": "\((duration / .microseconds(1)).rounded() / 1_000)",
                "received": "\(bytesReceived)", "sent": "\(bytesSent)",
            ])
        return method == .head ? response.createHeadResponse() : response
    }
}

extension HTTPField.Name {
    /// `X-Request-Id`: the id of the request, as the log has it.
    static let requestId = HTTPField.Name("X-Request-Id")!
}
