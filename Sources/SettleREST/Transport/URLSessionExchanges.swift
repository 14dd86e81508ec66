import Foundation
import HTTPTypes
import HTTPTypesFoundation
import SettlePrimitives
import SettleSync
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Collects the responses of a session's tasks.
///
/// `open` is guarded by its lock; the session calls one method at a time.
final class URLSessionExchanges: NSObject, URLSessionDataDelegate, Sendable {
    typealias Outcome = Result<FullHTTPResponse, ReplicationError>

    private struct Exchange {
        var bodySizeMax: Int
        var body: [UInt8] = []
        var isTooLarge = false
        var isUnpinned = false
        /// The response of a server that asks for a password.
        var challenge: HTTPURLResponse?
        var continuation: CheckedContinuation<Outcome, Never>?
        var outcome: Outcome?
    }

    private let open = Lock<[Int: Exchange]>([:])
    let pins: PublicKeyPins?

    init(pins: PublicKeyPins?) {
        self.pins = pins
    }

    /// Gets ready for a task that has not been resumed and cannot have been cancelled yet.
    func begin(_ task: URLSessionTask, bodySizeMax: Int) {
        open.withLock { $0[task.taskIdentifier] = Exchange(bodySizeMax: bodySizeMax) }
    }

    /// Waits for the response to a task that has begun; called once.
    ///
    /// A task that is cancelled early may be over before anybody waits.
    func outcome(of task: URLSessionTask) async -> Outcome {
        await withCheckedContinuation { continuation in
            let outcome = open.withLock { open -> Outcome? in
                if let outcome = open[task.taskIdentifier]?.outcome {
                    open[task.taskIdentifier] = nil
                    return outcome
                }
                open[task.taskIdentifier]?.continuation = continuation
                return nil
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }

    /// Remembers the response of a server that asks for a password, which ends the exchange.
    func refuseChallenge(of task: URLSessionTask, by response: HTTPURLResponse?) {
        open.withLock { $0[task.taskIdentifier]?.challenge = response }
    }

    /// Remembers that a connection was given up for the key of the server.
    func refuseKey(of task: URLSessionTask) {
        open.withLock { $0[task.taskIdentifier]?.isUnpinned = true }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLarge = open.withLock { open in
            guard var exchange = open.removeValue(forKey: dataTask.taskIdentifier) else {
                return false
            }
            if data.count > exchange.bodySizeMax - exchange.body.count {
                exchange.isTooLarge = true
                exchange.body = []
            } else if !exchange.isTooLarge {
                exchange.body.append(contentsOf: data)
            }
            let isTooLarge = exchange.isTooLarge
            open[dataTask.taskIdentifier] = exchange
            return isTooLarge
        }
        if isTooLarge { dataTask.cancel() }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let ended = open.withLock { open -> (CheckedContinuation<Outcome, Never>, Outcome)? in
            guard var exchange = open.removeValue(forKey: task.taskIdentifier),
                exchange.outcome == nil
            else { return nil }
            let outcome = Self.outcome(exchange, task, error)
            if let continuation = exchange.continuation { return (continuation, outcome) }
            exchange.outcome = outcome
            open[task.taskIdentifier] = exchange
            return nil
        }
        ended?.0.resume(returning: ended?.1 ?? .failure(.cancelledRequest))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // A request carries a token and a document. Neither goes to another origin, and nothing
        // but a read is repeated elsewhere; the redirection itself becomes the response.
        let origin = HTTPOrigin(task.originalRequest?.url)
        let mayFollow =
            task.originalRequest?.httpMethod == "GET" && origin != nil
            && origin == HTTPOrigin(request.url) && request.url?.user == nil
            && request.url?.password == nil
        completionHandler(mayFollow ? request : nil)
    }

    private static func outcome(
        _ exchange: Exchange, _ task: URLSessionTask, _ error: (any Error)?
    ) -> Outcome {
        if exchange.isTooLarge { return .failure(.tooLarge(exchange.bodySizeMax)) }
        let host = task.originalRequest?.url?.host ?? ""
        if error != nil, let response = exchange.challenge?.httpResponse {
            return .success(FullHTTPResponse(head: response, body: exchange.body))
        }
        if let error {
            let reason = exchange.isUnpinned ? .unpinned : UnansweredReason(error)
            // A request that is sent again by the system may have got through before.
            return .failure(
                .noAnswer(
                    reason, host: host, mayBeSent: task.countOfBytesSent > 0, cause: error))
        }
        guard let response = (task.response as? HTTPURLResponse)?.httpResponse else {
            return .failure(
                ReplicationError(
                    .protocolViolation,
                    "The server '\(host)' answered with something that is no HTTP."))
        }
        return .success(FullHTTPResponse(head: response, body: exchange.body))
    }
}

extension UnansweredReason {
    /// What a failure of Foundation's URL loading means.
    fileprivate init(_ error: any Error) {
        switch (error as? URLError)?.code {
        case .cannotFindHost, .dnsLookupFailed: self = .unknownHost
        case .cannotConnectToHost: self = .refused
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff: self = .offline
        case .timedOut: self = .silent
        case .networkConnectionLost: self = .cut
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
            .clientCertificateRejected, .clientCertificateRequired:
            self = .untrusted
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData,
            .cannotDecodeContentData, .zeroByteResource:
            self = .garbled
        case .unknown where Self.isAboutTrust(error): self = .untrusted
        default: self = .other
        }
    }

    /// Linux has no code for a certificate that is not trusted, only the words of libcurl, which
    /// are English everywhere.
    private static func isAboutTrust(_ error: any Error) -> Bool {
        let words = error.localizedDescription
        return words.contains("SSL") || words.contains("TLS") || words.contains("certificate")
    }
}
