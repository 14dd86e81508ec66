public import HTTPTypes
public import SettleSync

/// Carries one HTTP request to its server and the answer back.
///
/// Called from several tasks at once. A transport follows no redirect to another origin, because
/// the request carries credentials.
public protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the whole answer.
    ///
    /// - Parameters:
    ///   - request: The request, with scheme and authority.
    ///   - body: The bytes of its body; nil for none.
    ///   - bodySizeMax: The most bytes the answer's body may have.
    /// - Returns: The answer, whatever its status.
    /// - Throws: ``ReplicationError`` with `unreachable` when there is no connection, it breaks,
    ///   or nothing comes in time; `answerTooLarge` when the answer's body is larger than
    ///   allowed, in which case the rest is not read; `cancelled` when the task was cancelled.
    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> HTTPAnswer
}

/// What a server answered.
public struct HTTPAnswer: Sendable, Hashable {
    /// Status and headers.
    public var response: HTTPResponse
    /// The bytes of the body.
    public var body: [UInt8]

    /// An answer.
    public init(response: HTTPResponse, body: [UInt8] = []) {
        self.response = response
        self.body = body
    }
}
