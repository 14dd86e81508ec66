import Hummingbird
import Logging
import NIOCore
import Settle

extension TableResponder {
    /// Whether the server can work: it is not stopping, has keys for tokens, and a store that
    /// takes writes.
    ///
    /// - Throws: ``Problem`` 503 with what is missing.
    func readiness() async throws -> Response {
        guard !shutdown.isStopping else {
            throw Problem(.serviceUnavailable, "The server is stopping.")
        }
        guard await authenticator.isReady else {
            throw Problem(
                .serviceUnavailable,
                "The server does not have the keys that tokens are checked with yet.")
        }
        do {
            try await store.checkReadiness()
        } catch {
            logger.error("store", metadata: ["error": "\(type(of: error))"])
            throw Problem(
                .serviceUnavailable, "The store cannot be reached, or takes no writes, just now.")
        }
        return TableResponse.json(["status": "ready"])
    }

    /// What the server counted, for Prometheus.
    ///
    /// - Throws: ``Problem`` 404 when it is not served.
    func metricsResponse() throws(Problem) -> Response {
        guard let text = metricsText?.text else {
            throw Problem(.notFound, "This server does not serve metrics.")
        }
        return Response(
            status: .ok,
            headers: [.contentType: MetricsText.contentType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
