/// A request that the service refuses: a status, a sub-status where one tells more, and a sentence.
package struct ServiceFailure: Error, Sendable {
    /// The HTTP status.
    package var status: Int
    /// Which of the reasons for this status it is; 0 for none in particular.
    package var subStatus = 0
    /// The word for the status in the body.
    package var code: String
    /// The sentence in the body.
    package var message: String
    /// Headers besides those of every response.
    package var headers: [String: String] = [:]

    /// A failure with the service's word for its status.
    package init(_ status: Int, subStatus: Int = 0, _ message: String) {
        self.status = status
        self.subStatus = subStatus
        code = Self.codes[status] ?? "InternalServerError"
        self.message = message
    }

    /// 400: the request makes no sense.
    package static func badRequest(_ message: String, subStatus: Int = 0) -> ServiceFailure {
        ServiceFailure(400, subStatus: subStatus, message)
    }

    /// 404: there is no such resource.
    package static func notFound(_ what: String) -> ServiceFailure {
        ServiceFailure(404, "There is no \(what).")
    }

    private static let codes = [
        400: "BadRequest", 401: "Unauthorized", 403: "Forbidden", 404: "NotFound",
        405: "MethodNotAllowed", 408: "RequestTimeout", 409: "Conflict", 410: "Gone",
        412: "PreconditionFailed", 413: "RequestEntityTooLarge", 424: "FailedDependency",
        429: "TooManyRequests", 449: "RetryWith", 500: "InternalServerError",
        503: "ServiceUnavailable",
    ]
}
