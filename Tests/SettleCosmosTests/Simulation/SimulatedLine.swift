import CosmosModel
import HTTPTypes
import Settle
import SettleDocuments
import SettleREST
import SettleSync
import Synchronization

@testable import SettleCosmos

/// The ways of several devices to the model, which break at random, and what came through.
final class SimulatedLine: HTTPTransport {
    /// What befalls one request.
    enum Fault: CaseIterable {
        case cutBefore, cutAfter, throttle, unavailable
    }

    /// What the service has written of one document.
    struct Written: Equatable {
        var id: String
        /// The text that only this write has; nil for a deletion.
        var token: String?
    }

    private struct State {
        var faults: [Fault] = []
        var isOffline = false
        var written: [[Written]] = []
    }

    private let service: ModelService
    private let sendsTwice: Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - service: The account.
    ///   - sendsTwice: Whether writes are sent a second time, to see that it is found.
    init(service: ModelService, sendsTwice: Bool) {
        self.service = service
        self.sendsTwice = sendsTwice
    }

    /// The writes that were carried out, in their order; several together of a batch.
    var written: [[Written]] { state.withLock { $0.written } }

    var isOffline: Bool {
        get { state.withLock { $0.isOffline } }
        set { state.withLock { $0.isOffline = newValue } }
    }

    /// Lets the next request meet a fault.
    func add(_ fault: Fault) { state.withLock { $0.faults.append(fault) } }

    func removeFaults() { state.withLock { $0.faults = [] } }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        let (isOffline, fault) = state.withLock { state in
            (state.isOffline, state.isOffline ? nil : state.faults.popLast())
        }
        if isOffline {
            throw .noAnswer(.offline, host: "contoso", cause: CancellationError())
        }
        switch fault {
        case .cutBefore: throw Self.cut
        case .throttle: return FullHTTPResponse(429, nil, ["x-ms-retry-after-ms": "1"])
        case .unavailable: return FullHTTPResponse(503)
        case .cutAfter, nil: break
        }
        var response = try await carryOut(request, body)
        if sendsTwice, request.method == .post || request.method == .put {
            response = try await carryOut(request, body)
        }
        if fault == .cutAfter { throw Self.cut }
        return response
    }

    private static var cut: ReplicationError {
        ReplicationError(.unreachable, "The connection was cut.")
    }

    private func carryOut(
        _ request: HTTPRequest, _ body: [UInt8]?
    ) async throws(ReplicationError) -> FullHTTPResponse {
        let response = try await ModelTransport(service: service)
            .send(request, body: body, bodySizeMax: 64 << 20)
        if (200..<207).contains(response.head.status.code) {
            let written = Self.writes(request, body)
            state.withLock { $0.written.append(written) }
        }
        return response
    }

    /// What a request writes: the ids of the documents and the texts that only this write has.
    private static func writes(_ request: HTTPRequest, _ body: [UInt8]?) -> [Written] {
        if request.method == .delete, let id = request.path?.split(separator: "/").last {
            return [Written(id: String(id))]
        }
        guard request.method == .post || request.method == .put || request.method == .patch,
            let body, let json = try? JSONText.value(from: body)
        else { return [] }
        if let steps = json.arrayValue {
            return steps.compactMap { step in
                written(step["resourceBody"])
                    ?? step["id"]?.stringValue.map { Written(id: $0) }
            }
        }
        if let operations = json["operations"]?.arrayValue,
            let token = operations.first?["value"]?.stringValue,
            let id = request.path?.split(separator: "/").last
        {
            return [Written(id: String(id), token: token)]
        }
        return [written(json)].compactMap { $0 }
    }

    private static func written(_ json: JSONValue?) -> Written? {
        guard let id = json?["id"]?.stringValue, let token = json?["name"]?.stringValue else {
            return nil
        }
        return Written(id: id, token: token)
    }
}
