import HTTPTypes
import Hummingbird
import Logging

/// One request from its coming to the beginning of its answer: what is counted and logged of it.
///
/// Nothing of a path, a query, a body or a token is; not even the subject of the token, which is a
/// person more often than not, while logs are kept longer and read by more people than the tables.
/// The id of the request, which the answer carries too, finds the line that somebody asks about.
struct RequestWatch {
    /// The template of the path, as soon as it is known.
    var template = "unknown"
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
        metrics.requestBegan()
    }

    /// Counts and logs the answer.
    ///
    /// - Returns: The answer as it is sent: with the id of the request, and without a body to HEAD.
    func end(_ response: Response, logger: Logger) -> Response {
        var response = response
        response.headers[.requestId] = id
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let bytesSent = method == .head ? 0 : response.body.contentLength ?? 0
        metrics.requestEnded(
            route: template, method: method, status: response.status.code, seconds: seconds,
            received: bytesReceived, sent: bytesSent)
        logger.info(
            "request",
            metadata: [
                "id": "\(id)", "method": "\(method.rawValue)", "route": "\(template)",
                "status": "\(response.status.code)",
                "milliseconds": "\((seconds * 1_000_000).rounded() / 1_000)",
                "received": "\(bytesReceived)", "sent": "\(bytesSent)",
            ])
        return method == .head ? response.createHeadResponse() : response
    }
}

extension HTTPField.Name {
    /// `X-Request-Id`: the id of the request, as the log has it.
    static let requestId = HTTPField.Name("X-Request-Id")!
}
