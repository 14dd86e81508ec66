import Hummingbird
import Logging
import NIOCore
import Settle

extension TableResponder {
    /// Whether the server can work: it is not stopping, has keys for tokens, and a store that
    /// takes writes.
    ///
    /// - Throws: ``Refusal`` 503 with what is missing.
    func readiness() async throws -> Response {
        guard !shutdown.isStopping else {
            throw Refusal(.serviceUnavailable, "The server is stopping.")
        }
        guard await authenticator.isReady else {
            throw Refusal(
                .serviceUnavailable,
                "The server does not have the keys that tokens are checked with yet.")
        }
        do {
            try await store.checkReadiness()
        } catch {
            logger.error("store", metadata: ["error": "\(type(of: error))"])
            throw Refusal(
                .serviceUnavailable, "The store cannot be reached, or takes no writes, just now.")
        }
        return Answer.json(["status": "ready"])
    }

    /// What the server counted, for Prometheus.
    ///
    /// - Throws: ``Refusal`` 404 when it is not served.
    func metricsAnswer() throws(Refusal) -> Response {
        guard let text = metricsText?.text else {
            throw Refusal(.notFound, "This server does not serve metrics.")
        }
        return Response(
            status: .ok,
            headers: [.contentType: MetricsText.contentType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
