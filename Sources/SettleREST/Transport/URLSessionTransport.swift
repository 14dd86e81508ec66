public import Foundation
public import HTTPTypes
import HTTPTypesFoundation
public import SettleSync

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// HTTP by Foundation's URL loading, which every Apple platform and Linux have.
///
/// Connections are kept open between requests, and answers may come compressed. No cookies, caches
/// or stored credentials are used. A request is not held back until there is a network: it fails,
/// and who sent it decides when to try again.
///
/// On Linux, Foundation ends the process when a response ends within its head, or has header fields
/// behind its last chunk ("Transfer completed, but there's no response"). Where a process must
/// outlive that, use `AsyncHTTPClientTransport` of the product `SettleHosting`.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let exchanges: URLSessionExchanges

    /// A transport of its own, with connections of its own.
    ///
    /// - Parameters:
    ///   - timeoutSeconds: How long nothing may come before a request counts as unanswered; this
    ///     is how a connection is noticed that only looks open. A response that keeps coming may
    ///     take as long as it likes.
    ///   - connectionCountMax: The most connections to one host.
    public convenience init(timeoutSeconds: TimeInterval = 60, connectionCountMax: Int = 8) {
        self.init(timeoutSeconds, connectionCountMax, nil)
    }

    /// A transport that talks to some hosts only when they have a key that is known.
    ///
    /// Apple's platforms ask before they trust a server. Linux does not: Foundation has no such
    /// question there, and pins would do nothing. `AsyncHTTPClientTransport` of the product
    /// `SettleHosting` keeps to pins on every platform.
    ///
    /// - Parameters:
    ///   - timeoutSeconds: How long nothing may come before a request counts as unanswered.
    ///   - connectionCountMax: The most connections to one host.
    ///   - pins: The keys.
    /// - Throws: ``/SettleSync/ReplicationError`` with `misconfigured` on platforms where pins could
    ///   not be kept to.
    public convenience init(
        timeoutSeconds: TimeInterval = 60, connectionCountMax: Int = 8, pins: PublicKeyPins
    ) throws(ReplicationError) {
        #if canImport(Security)
            self.init(timeoutSeconds, connectionCountMax, pins)
        #else
            throw ReplicationError(
                .misconfigured,
                "URLSessionTransport cannot keep to pinned keys on this platform, where Foundation "
                    + "does not ask whether a server is trusted. Use AsyncHTTPClientTransport of "
                    + "SettleHosting.")
        #endif
    }

    private init(_ timeoutSeconds: TimeInterval, _ connectionCountMax: Int, _ pins: PublicKeyPins?)
    {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeoutSeconds
        configuration.httpMaximumConnectionsPerHost = connectionCountMax
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        exchanges = URLSessionExchanges(pins: pins)
        session = URLSession(
            configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit {
        // Lets the session give up the delegate and its connections.
        session.finishTasksAndInvalidate()
    }

    /// Sends a request and waits for the whole response; see ``HTTPTransport``.
    public func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        guard var urlRequest = URLRequest(httpRequest: request) else {
            throw ReplicationError(
                .misconfigured, "The address of a request cannot be written as a URL.")
        }
        try exchanges.pins?.requireEncryption(
            scheme: urlRequest.url?.scheme, host: urlRequest.url?.host ?? "")
        if Task.isCancelled { throw .cancelledRequest }
        if let body { urlRequest.httpBody = Data(body) }
        let task = session.dataTask(with: urlRequest)
        exchanges.begin(task, bodySizeMax: bodySizeMax)
        let result = await withTaskCancellationHandler {
            task.resume()
            return await exchanges.outcome(of: task)
        } onCancel: {
            task.cancel()
        }
        if Task.isCancelled { throw .cancelledRequest }
        return try result.get()
    }
}
