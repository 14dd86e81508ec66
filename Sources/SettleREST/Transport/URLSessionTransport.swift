public import Foundation
public import HTTPTypes
import HTTPTypesFoundation
public import SettleSync

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// HTTP by Foundation's URL loading, which every Apple platform and Linux have.
///
/// Connections are kept open between requests. No cookies, caches or stored credentials are used.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let exchanges: URLSessionExchanges

    /// A transport of its own, with connections of its own.
    ///
    /// - Parameters:
    ///   - timeoutSeconds: How long nothing may come before a request counts as unanswered; this
    ///     is how a connection is noticed that only looks open.
    ///   - connectionCountMax: The most connections to one host.
    public init(timeoutSeconds: TimeInterval = 60, connectionCountMax: Int = 8) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeoutSeconds
        configuration.httpMaximumConnectionsPerHost = connectionCountMax
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        exchanges = URLSessionExchanges()
        session = URLSession(
            configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit {
        // Lets the session give up the delegate and its connections.
        session.finishTasksAndInvalidate()
    }

    /// Sends a request and waits for the whole answer; see ``HTTPTransport``.
    public func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> HTTPAnswer {
        guard var urlRequest = URLRequest(httpRequest: request) else {
            throw ReplicationError(
                .misconfigured, "The address of a request cannot be written as a URL.")
        }
        if let body { urlRequest.httpBody = Data(body) }
        let task = session.dataTask(with: urlRequest)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchanges.begin(task, bodySizeMax: bodySizeMax, continuation)
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
        if Task.isCancelled {
            throw ReplicationError(.cancelled, "The task was cancelled during a request.")
        }
        return try result.get()
    }
}
