public import HTTPTypes

/// Looks at requests before they are sent and at the responses to them, and may change both.
///
/// Adds headers, signs, measures. A request that is sent once more, with a fresh token or by a
/// later attempt, passes again. Called from several tasks at once.
public protocol HTTPInterceptor: Sendable {
    /// Prepares a request.
    ///
    /// The token and all headers of the protocol are set already. Scheme and authority must stay:
    /// the token is not for others.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: The bytes of its body; nil for none.
    /// - Throws: Anything; the request is not sent. A ``/SettleSync/ReplicationError`` is handed on
    ///   as it is, so that its code says whether trying again may help; any other error becomes one
    ///   with `misconfigured`, and the cause.
    func prepare(_ request: inout HTTPRequest, body: inout [UInt8]?) async throws

    /// Looks at a response, whatever its status; not called when there was none.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: The request as it was sent.
    /// - Throws: As ``prepare(_:body:)`` does; the response is then not used.
    func received(_ response: inout FullHTTPResponse, to request: HTTPRequest) async throws
}

extension HTTPInterceptor {
    /// Leaves the request as it is.
    public func prepare(_ request: inout HTTPRequest, body: inout [UInt8]?) async throws {}

    /// Leaves the response as it is.
    public func received(_ response: inout FullHTTPResponse, to request: HTTPRequest) async throws {
    }
}
