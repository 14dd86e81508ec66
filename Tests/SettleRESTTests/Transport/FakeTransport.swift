import HTTPTypes
import SettleREST
import SettleSync
import Synchronization

/// A server that answers as a test tells it, and remembers what it was asked.
final class FakeTransport: HTTPTransport {
    /// A request as a test wants to look at it.
    struct Asked: Sendable, CustomStringConvertible {
        var request: HTTPRequest
        var body: String?

        var description: String {
            let line = "\(request.method.rawValue) \(request.path ?? "")"
            let match = request.headerFields[.ifMatch].map { " If-Match: \($0)" } ?? ""
            return line + match + (body.map { " \($0)" } ?? "")
        }
    }

    private struct State {
        var answers: [Result<FullHTTPResponse, ReplicationError>]
        var asked: [Asked] = []
    }

    private let state: Mutex<State>

    init(_ answers: [FullHTTPResponse]) {
        state = Mutex(State(answers: answers.map { .success($0) }))
    }

    init(results: [Result<FullHTTPResponse, ReplicationError>]) {
        state = Mutex(State(answers: results))
    }

    var asked: [Asked] { state.withLock { $0.asked } }
    var lines: [String] { asked.map(\.description) }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        let answer = state.withLock { state -> Result<FullHTTPResponse, ReplicationError> in
            state.asked.append(
                Asked(request: request, body: body.map { String(decoding: $0, as: UTF8.self) }))
            guard !state.answers.isEmpty else {
                return .failure(ReplicationError(.unreachable, "The test has no more answers."))
            }
            return state.answers.removeFirst()
        }
        return try answer.get()
    }
}

extension FullHTTPResponse {
    /// An answer with JSON, as the servers send it.
    static func json(_ status: Int, _ text: String, tag: String? = nil) -> FullHTTPResponse {
        var fields: HTTPFields = [.contentType: "application/json; charset=utf-8"]
        fields[.eTag] = tag
        return FullHTTPResponse(
            head: HTTPResponse(status: .init(code: status), headerFields: fields),
            body: Array(text.utf8))
    }

    /// An answer of another kind.
    static func other(
        _ status: Int, _ text: String = "", type: String? = nil, retryAfter: String? = nil,
        tag: String? = nil
    ) -> FullHTTPResponse {
        var fields: HTTPFields = [:]
        fields[.contentType] = type
        fields[.eTag] = tag
        if let name = HTTPField.Name("Retry-After") { fields[name] = retryAfter }
        return FullHTTPResponse(
            head: HTTPResponse(status: .init(code: status), headerFields: fields),
            body: Array(text.utf8))
    }

    /// The answer as `settle serve` gives it, with what it offers.
    func offering(_ features: String = "batch, changes, removed") -> FullHTTPResponse {
        var answer = self
        for (name, value) in [
            ("x-zumo-server-version", "settle-1"), ("Settle-Features", features),
        ] {
            if let name = HTTPField.Name(name) { answer.head.headerFields[name] = value }
        }
        return answer
    }
}
