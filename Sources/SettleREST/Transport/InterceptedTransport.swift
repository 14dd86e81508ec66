public import HTTPTypes
public import SettleSync

/// A transport with interceptors before it.
///
/// A request passes the interceptors from the first to the last, so that one that signs stands last
/// and signs what is really sent; its response passes them in the other direction. Redirections within
/// an origin that the transport follows by itself do not pass them.
public struct InterceptedTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let interceptors: [any HTTPInterceptor]

    /// A transport with interceptors.
    ///
    /// - Parameters:
    ///   - base: What carries the requests.
    ///   - interceptors: Who sees them, the first the farthest from the network.
    public init(_ base: any HTTPTransport, interceptors: [any HTTPInterceptor]) {
        self.base = base
        self.interceptors = interceptors
    }

    /// Sends a request and waits for the whole response; see ``HTTPTransport``.
    ///
    /// - Throws: ``/SettleSync/ReplicationError`` as the transport does and as the interceptors want
    ///   it; `misconfigured` when one of them changed where the request goes.
    public func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        var sent = request
        var body = body
        for interceptor in interceptors {
            do {
                try await interceptor.prepare(&sent, body: &body)
            } catch {
                throw Self.failure("A request was not sent because an interceptor failed.", error)
            }
        }
        // A path without its slash would become a part of the server's name.
        guard sent.scheme == request.scheme, sent.authority == request.authority,
            sent.path?.hasPrefix("/") ?? false
        else {
            throw ReplicationError(
                .misconfigured,
                "An interceptor changed the server that a request goes to, which only the address "
                    + "of the replication may name.")
        }
        var response = try await base.send(sent, body: body, bodySizeMax: bodySizeMax)
        for interceptor in interceptors.reversed() {
            do {
                try await interceptor.received(&response, to: sent)
            } catch {
                throw Self.failure("A response was not used because an interceptor failed.", error)
            }
        }
        return response
    }

    private static func failure(_ sentence: String, _ error: any Error) -> ReplicationError {
        if let error = error as? ReplicationError { return error }
        if error is CancellationError {
            return ReplicationError(.cancelled, "The task was cancelled during a request.")
        }
        return ReplicationError(.misconfigured, sentence, cause: error)
    }
}
