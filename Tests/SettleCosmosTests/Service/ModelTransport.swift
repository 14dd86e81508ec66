import CosmosModel
import Foundation
import HTTPTypes
import SettleREST
import SettleSync

@testable import SettleCosmos

/// The way to the model of the service without a connection.
struct ModelTransport: HTTPTransport {
    let service: ModelService
    var line = TestLine()

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        try line.checkConnection()
        var headers: [String: String] = [:]
        for field in request.headerFields { headers[field.name.canonicalName] = field.value }
        let segments = (request.path ?? "").split(separator: "/").map {
            $0.removingPercentEncoding ?? String($0)
        }
        let asked = ServiceRequest(
            method: request.method.rawValue, segments: segments, headers: headers, body: body ?? [])
        switch await service.respond(to: asked) {
        case .cut: throw ReplicationError(.unreachable, "The connection was cut.")
        case .response(let response):
            var fields = HTTPFields()
            for (name, value) in response.headers {
                if let name = HTTPField.Name(name) { fields[name] = value }
            }
            let whole = FullHTTPResponse(
                head: HTTPResponse(status: .init(code: response.status), headerFields: fields),
                body: response.body)
            return line.changed(whole, to: request)
        }
    }
}

/// An account of the model with a database and a collection, and a client of it.
struct ModelAccount {
    let service: ModelService
    let client: Cosmos.Client

    init(
        rangeCount: Int = 1, clock: any Clock<Duration> = ContinuousClock(), path: String = "/city"
    ) async throws {
        var configuration = AccountConfiguration()
        configuration.rangeCount = rangeCount
        service = ModelService(configuration: configuration)
        client = try .stubbed(by: ModelTransport(service: service), clock: clock)
        try await client.create(databaseWithId: "crm")
        try await client.create(
            collectionWithId: "people", andPartitionKey: .init(paths: [path]), inDatabase: "crm")
    }

    @discardableResult
    func create(_ person: Person) async throws -> Cosmos.DocumentResource<Person> {
        try await client.create(person, inCollection: "people", inDatabase: "crm").resource
    }

    func get(_ id: String, _ city: String) async throws -> Cosmos.DocumentResource<Person> {
        try await client.get(
            documentWithId: id, as: Person.self, inCollection: "people",
            withPartitionKey: .init(city), inDatabase: "crm"
        ).resource
    }
}
