import HTTPTypes
import HummingbirdTesting
import NIOCore

extension TestClient {
    /// Sends a request to `localhost`; the framework's own short forms name no host, as HTTP/1.1 must.
    ///
    /// - Throws: When the connection ends before the answer.
    func send(
        _ method: HTTPRequest.Method, _ path: String, headers: HTTPFields = [:],
        body: ByteBuffer? = nil
    ) async throws -> Response {
        try await execute(
            Request(path, method: method, authority: "localhost", headers: headers, body: body))
    }
}
