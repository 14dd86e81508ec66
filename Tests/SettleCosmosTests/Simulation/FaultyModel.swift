import CosmosModel
import HTTPTypes
import SettleREST
import SettleSync
import Synchronization
import TestSupport

/// The way to the model on which requests and responses get lost, at random.
final class FaultyModel: HTTPTransport {
    private struct State {
        var random: SeededGenerator
        var isCalm = false
    }

    private let state: Mutex<State>
    private let model: ModelTransport
    /// Called before each request with a number that says what may happen meanwhile.
    private let meanwhile: @Sendable (UInt64) async -> Void
    /// What is done to each request on its way: nothing, but where a test breaks the client.
    private let alter: @Sendable (inout HTTPRequest) -> Void

    init(
        _ service: ModelService, seed: UInt64,
        alter: @escaping @Sendable (inout HTTPRequest) -> Void = { _ in },
        meanwhile: @escaping @Sendable (UInt64) async -> Void
    ) {
        state = Mutex(State(random: SeededGenerator(seed: seed)))
        model = ModelTransport(service: service)
        self.alter = alter
        self.meanwhile = meanwhile
    }

    /// From now on nothing is lost.
    func calmDown() { state.withLock { $0.isCalm = true } }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        let (draw, event, isCalm) = state.withLock { state in
            (Int.random(in: 0..<24, using: &state.random), state.random.next(), state.isCalm)
        }
        var request = request
        alter(&request)
        if isCalm { return try await model.send(request, body: body, bodySizeMax: bodySizeMax) }
        await meanwhile(event)
        switch draw {
        case 0: throw ReplicationError(.unreachable, "The request was lost.")
        case 1, 2:
            _ = try await model.send(request, body: body, bodySizeMax: bodySizeMax)
            throw ReplicationError(.unreachable, "The response was lost.")
        case 3:
            let response = try await model.send(request, body: body, bodySizeMax: bodySizeMax)
            _ = try await model.send(request, body: body, bodySizeMax: bodySizeMax)
            return response
        case 4: return FullHTTPResponse(429, nil, ["x-ms-retry-after-ms": "20"])
        case 5: return FullHTTPResponse(503)
        case 6 where request.headerFields[.partitionKeyRange] != nil:
            return FullHTTPResponse(410, nil, ["x-ms-substatus": "1007"])
        default: return try await model.send(request, body: body, bodySizeMax: bodySizeMax)
        }
    }
}

extension HTTPField.Name {
    /// Names the range that a request is about.
    fileprivate static var partitionKeyRange: HTTPField.Name {
        guard let name = HTTPField.Name("x-ms-documentdb-partitionkeyrangeid") else {
            preconditionFailure("It is a name that a header may have.")
        }
        return name
    }

    /// Says which version a write depends on.
    static var dependsOnVersion: HTTPField.Name { .ifMatch }
}
