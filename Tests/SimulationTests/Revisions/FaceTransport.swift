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
        var sentSizes: [Int] = []
        var refusedIds: Set<String> = []
        var replaced: (text: String, by: String)?
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

    /// How long the bodies of the requests were since this was last asked.
    func takeSentSizes() -> [Int] {
        state.withLock { state in
            defer { state.sentSizes = [] }
            return state.sentSizes
        }
    }

    /// Refuses to store these documents from now on, as a function that validates them does.
    func refuse(_ ids: Set<String>) {
        state.withLock { $0.refusedIds = ids }
    }

    /// Has a text stand in the place of another in documents that are sent; nil for none.
    func replace(_ text: String?, by other: String = "") {
        state.withLock { $0.replaced = text.map { ($0, other) } }
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
            state.sentSizes.append(body?.count ?? 0)
            state.requestCount += 1
            return state.requestCount == 1 ? state.cuts.popLast() : nil
        }
        if case .request? = cut { throw ReplicationError(.unreachable, "The request was cut.") }
        var headers: [String: String] = [:]
        for field in request.headerFields { headers[field.name.canonicalName] = field.value }
        let (sent, refusals) = refusing(
            CouchRequest(
                request.method.rawValue, request.path ?? "/", headers: headers,
                body: try Self.unpacked(body ?? [], request)))
        guard let sent else {
            return FullHTTPResponse(
                head: HTTPResponse(
                    status: .forbidden, headerFields: [.contentType: "application/json"]),
                body: JSONText.text(of: Self.refusal("")))
        }
        let response = await responder.respond(to: sent)
        if case .answer? = cut { throw ReplicationError(.unreachable, "The answer was cut.") }
        var fields = HTTPFields()
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        var bytes = response.bytes
        switch response.body {
        case .stream(let pieces): for await piece in pieces { bytes += piece }
        case .parts(let parts):
            do {
                try await parts.forEach { bytes += $0 }
            } catch {
                throw ReplicationError(.unreachable, "The answer broke off.", cause: error)
            }
        default: break
        }
        if !refusals.isEmpty {
            let others = (try? JSONText.value(from: bytes))?.arrayValue ?? []
            bytes = JSONText.text(of: .array(others + refusals))
        }
        if let (text, other) = state.withLock({ $0.replaced }),
            request.path?.contains("_bulk_get") == true
        {
            bytes = Array(String(decoding: bytes, as: UTF8.self).replacing(text, with: other).utf8)
        }
        return FullHTTPResponse(
            head: HTTPResponse(status: .init(code: response.status), headerFields: fields),
            body: bytes)
    }

    /// The body as the server's connections hand it on.
    private static func unpacked(
        _ body: [UInt8], _ request: HTTPRequest
    ) throws(ReplicationError) -> [UInt8] {
        guard request.headerFields[.contentEncoding] == "gzip" else { return body }
        do {
            return try Inflate.gunzip(body, bytesMax: 64 << 20)
        } catch {
            throw ReplicationError(.unreachable, "The body is not packed.", cause: error)
        }
    }

    /// A request without what is refused of it, nil when that is all, and what is said of it.
    private func refusing(_ request: CouchRequest) -> (
        request: CouchRequest?, refusals: [JSONValue]
    ) {
        let ids = state.withLock { $0.refusedIds }
        if ids.isEmpty { return (request, []) }
        if request.method == "PUT", let last = request.path.last, ids.contains(last) {
            return (nil, [])
        }
        guard request.path.last == "_bulk_docs",
            case .object(var members)? = try? JSONText.value(from: request.body),
            let documents = members["docs"]?.arrayValue
        else { return (request, []) }
        func isRefused(_ document: JSONValue) -> Bool {
            document["_id"]?.stringValue.map(ids.contains) ?? false
        }
        members["docs"] = .array(documents.filter { !isRefused($0) })
        var request = request
        request.body = JSONText.text(of: .object(members))
        return (
            request,
            documents.filter(isRefused).map { Self.refusal($0["_id"]?.stringValue ?? "") }
        )
    }

    private static func refusal(_ id: String) -> JSONValue {
        ["id": .string(id), "error": "forbidden", "reason": "only on Fridays"]
    }
}
