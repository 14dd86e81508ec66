public import HTTPTypes
public import SettleSync

/// Carries one HTTP request to its server and the response back.
///
/// Called from several tasks at once. A transport follows no redirect to another origin, because
/// the request carries credentials.
public protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the whole response.
    ///
    /// - Parameters:
    ///   - request: The request, with scheme and authority.
    ///   - body: The bytes of its body; nil for none.
    ///   - bodySizeMax: The most bytes the response's body may have.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``/SettleSync/ReplicationError`` with `unreachable` when there is no connection, it breaks,
    ///   or nothing comes in time; `responseTooLarge` when the response's body is larger than
    ///   allowed, in which case the rest is not read; `cancelled` when the task was cancelled.
    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse

    /// Sends a request whose body is made meanwhile, and waits for the whole response.
    ///
    /// Unless a transport has a better one, the body is made whole first.
    ///
    /// - Parameters:
    ///   - request: The request, with scheme and authority.
    ///   - body: The body.
    ///   - bodySizeMax: The most bytes the response's body may have.
    /// - Returns: The response, whatever its status.
    /// - Throws: As ``send(_:body:bodySizeMax:)``; ``/SettleSync/ReplicationError`` with `localFailure` when the body cannot be
    ///   made.
    func send(
        _ request: HTTPRequest, streaming body: HTTPBody, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse

    /// Whether the body of ``send(_:streaming:bodySizeMax:)`` is not whole in memory, so that it may be of any length; false
    /// unless a transport says otherwise.
    var streamsBodies: Bool { get }
}

/// What a server responds with: the head and the whole body.
public struct FullHTTPResponse: Sendable, Hashable {
    /// Status and headers.
    public var head: HTTPResponse
    /// The bytes of the body.
    public var body: [UInt8]

    /// A response.
    public init(head: HTTPResponse, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }
}
