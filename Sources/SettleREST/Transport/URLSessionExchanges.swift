import Foundation
import HTTPTypes
import HTTPTypesFoundation
import SettleSync
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Collects the answers of a session's tasks.
///
/// `open` is guarded by its lock; the session calls one method at a time.
final class URLSessionExchanges: NSObject, URLSessionDataDelegate, Sendable {
    typealias Outcome = Result<HTTPAnswer, ReplicationError>

    private struct Exchange {
        var continuation: CheckedContinuation<Outcome, Never>
        var bodySizeMax: Int
        var body: [UInt8] = []
        var isTooLarge = false
    }

    private let open = Mutex<[Int: Exchange]>([:])

    /// Waits for the answer to a task; `continuation` is resumed once.
    func begin(
        _ task: URLSessionTask, bodySizeMax: Int,
        _ continuation: CheckedContinuation<Outcome, Never>
    ) {
        open.withLock {
            $0[task.taskIdentifier] = Exchange(
                continuation: continuation, bodySizeMax: bodySizeMax)
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLarge = open.withLock { open in
            guard var exchange = open.removeValue(forKey: dataTask.taskIdentifier) else {
                return false
            }
            if exchange.body.count + data.count > exchange.bodySizeMax {
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
        guard let exchange = open.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else {
            return
        }
        exchange.continuation.resume(returning: Self.outcome(exchange, task.response, error))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // A request carries a token and a document. Neither goes to another origin, and nothing
        // but a read is repeated elsewhere; the redirection itself becomes the answer.
        let mayFollow =
            task.originalRequest?.httpMethod == "GET"
            && Origin(task.originalRequest?.url) == Origin(request.url)
        completionHandler(mayFollow ? request : nil)
    }

    /// Scheme, host and port: who gets a request.
    private struct Origin: Equatable {
        var scheme: String?
        var host: String?
        var port: Int?

        init(_ url: URL?) {
            scheme = url?.scheme?.lowercased()
            host = url?.host?.lowercased()
            port = url?.port ?? (scheme == "https" ? 443 : 80)
        }
    }

    private static func outcome(
        _ exchange: Exchange, _ response: URLResponse?, _ error: (any Error)?
    ) -> Outcome {
        if exchange.isTooLarge {
            return .failure(
                ReplicationError(
                    .answerTooLarge,
                    "The server's answer is larger than \(exchange.bodySizeMax) bytes, and the "
                        + "rest was not read."))
        }
        if let error {
            return .failure(
                ReplicationError(
                    .unreachable,
                    "The server gave no answer: \(error.localizedDescription)", cause: error))
        }
        guard let response = (response as? HTTPURLResponse)?.httpResponse else {
            return .failure(
                ReplicationError(.protocolViolation, "The server's answer is not HTTP."))
        }
        return .success(HTTPAnswer(response: response, body: exchange.body))
    }
}
