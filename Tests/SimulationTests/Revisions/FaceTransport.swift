import Foundation
import HTTPTypes
import Settle
import SettleREST
import SettleSync
import Synchronization

@testable import SettleServer

/// Carries requests to a server of CouchDB's protocol in the same process, and loses some when it is told to.
final class FaceTransport: HTTPTransport {
    private struct State {
        var cuts: [Cut] = []
        var requestCount = 0
        var log: [String] = []
    }

    /// How a request is lost.
    enum Cut: Sendable {
        /// It does not arrive.
        case request
        /// It is carried out, and the answer is lost.
        case answer
    }

    private let responder: CouchResponder
    private let state = Mutex(State())

    init(_ databases: CouchDatabases) {
        responder = CouchResponder(databases)
    }

    /// The requests since this was last asked, as their methods and targets.
    func takeLog() -> [String] {
        state.withLock { state in
            defer { state.log = [] }
            return state.log
        }
    }

    /// Loses a request after some that get through.
    func cut(after count: Int, _ cut: Cut) {
        state.withLock { state in
            state.cuts = [cut]
            state.requestCount = -count
        }
    }

    /// Loses nothing from now on.
    func mend() {
        state.withLock { $0.cuts = [] }
    }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        let cut = state.withLock { state -> Cut? in
            state.log.append("\(request.method) \(request.path ?? "")")
            state.requestCount += 1
            return state.requestCount == 1 ? state.cuts.popLast() : nil
        }
        if case .request? = cut { throw ReplicationError(.unreachable, "The request was cut.") }
        var headers: [String: String] = [:]
        for field in request.headerFields { headers[field.name.canonicalName] = field.value }
        let response = await responder.respond(
            to: CouchRequest(
                request.method.rawValue, request.path ?? "/", headers: headers, body: body ?? []))
        if case .answer? = cut { throw ReplicationError(.unreachable, "The answer was cut.") }
        var fields = HTTPFields()
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        var bytes = response.bytes
        if case .stream(let pieces) = response.body {
            for await piece in pieces { bytes += piece }
        }
        return FullHTTPResponse(
            head: HTTPResponse(status: .init(code: response.status), headerFields: fields),
            body: bytes)
    }
}
