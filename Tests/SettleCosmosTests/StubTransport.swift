import Foundation
import HTTPTypes
import Settle
import SettleREST
import SettleSync
import Synchronization

@testable import SettleCosmos

/// A transport that a test answers by a closure, and that keeps what was sent.
final class StubTransport: HTTPTransport {
    struct Sent: Sendable {
        var request: HTTPRequest
        var body: [UInt8]?

        func header(_ name: String) -> String? {
            HTTPField.Name(name).flatMap { request.headerFields[$0] }
        }
    }

    private let requests = Mutex<[Sent]>([])
    private let respond: @Sendable (Sent, Int) throws(ReplicationError) -> FullHTTPResponse

    /// - Parameter respond: Gets a request and its number, from 0 on.
    init(
        _ respond: @escaping @Sendable (Sent, Int) throws(ReplicationError) -> FullHTTPResponse
    ) {
        self.respond = respond
    }

    var sent: [Sent] { requests.withLock { $0 } }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        let sent = Sent(request: request, body: body)
        let number = requests.withLock { requests in
            requests.append(sent)
            return requests.count - 1
        }
        return try respond(sent, number)
    }
}

extension FullHTTPResponse {
    /// A response of the service.
    init(_ status: Int, _ json: JSONValue? = nil, _ headers: [String: String] = [:]) {
        var fields = HTTPFields()
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        self.init(
            head: HTTPResponse(status: .init(code: status), headerFields: fields),
            body: json.map { Array($0.jsonText.utf8) } ?? [])
    }
}

let emulatorKey =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="

extension Cosmos.Client {
    /// A client whose requests go to a stub.
    static func stubbed(
        by transport: any HTTPTransport, clock: any Clock<Duration> = ContinuousClock(),
        retries: Cosmos.RetryPolicy = .init(), credentials: Cosmos.Credentials? = nil,
        now: @escaping @Sendable () -> Date = { Date() }, cache: Cosmos.CacheConfiguration? = nil,
        isNetworkAvailable: Bool = true
    ) throws -> Cosmos.Client {
        let client = Cosmos.Client(
            settings: Settings(
                transport: transport, retries: retries, clock: clock, now: now, cache: cache))
        client.isNetworkAvailable = isNetworkAvailable
        client.configure(
            for: try Cosmos.Account(named: "contoso"),
            with: try credentials ?? .masterKey(Cosmos.MasterKey(emulatorKey)))
        return client
    }
}

struct Person: Cosmos.Document, Equatable {
    static var partitionKey: PartitionKey? { \.city }
    var id: String
    var city: String
    var name = "Ada"
    var age: Int?
    var born: Date?
}
