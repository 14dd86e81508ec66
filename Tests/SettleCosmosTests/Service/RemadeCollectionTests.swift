import CosmosModel
import Foundation
import HTTPTypes
import Settle
import SettleREST
import Synchronization
import TestSupport
import Testing

@testable import SettleCosmos

@Suite struct `A collection that somebody else has deleted and made anew` {
    private func remake(by client: Cosmos.Client, path: String = "/city") async throws {
        try await client.delete(collectionWithId: "people", fromDatabase: "crm")
        try await client.create(
            collectionWithId: "people", andPartitionKey: .init(paths: [path]), inDatabase: "crm")
    }

    private func item(_ id: String) -> Cosmos.DocumentProperties {
        Cosmos.DocumentProperties(["id": .string(id), "city": "Bern", "town": "Thun"])
    }

    @Test func `is read, whatever the session has seen of the old one`() async throws {
        let account = try await ModelAccount(clock: LeapingClock())
        for id in 1...5 { try await account.create(Person(id: "\(id)", city: "Bern")) }
        let other = try Cosmos.Client.stubbed(by: ModelTransport(service: account.service))
        try await remake(by: other)
        try await other.create(
            Person(id: "new", city: "Bern"), inCollection: "people", inDatabase: "crm")
        #expect(try await account.get("new", "Bern").id == "new")
        // What is seen of the new one counts from now on.
        try await account.create(Person(id: "newer", city: "Bern"))
        account.service.clearLog()
        #expect(try await account.get("newer", "Bern").id == "newer")
        let tokens = account.service.log.map { $0.request.headers["x-ms-session-token"] }
        #expect(tokens == ["0:-1#2"])
    }

    @Test func `is written to, which the session then sees`() async throws {
        let account = try await ModelAccount(clock: LeapingClock())
        for id in 1...5 { try await account.create(Person(id: "\(id)", city: "Bern")) }
        try await remake(by: .stubbed(by: ModelTransport(service: account.service)))
        try await account.create(Person(id: "1", city: "Bern"))
        account.service.clearLog()
        #expect(try await account.get("1", "Bern").id == "1")
        #expect(account.service.log.count == 1)
    }

    @Test func `is told apart from a replica that lags behind, whose session holds`() async throws {
        let rid = "1KtjAImkcgw="
        let answers = Mutex([200, 404, 404, 404, 404, 200])
        let transport = StubTransport { sent, _ in
            let headers = ["x-ms-content-path": rid, "x-ms-alt-content-path": "dbs/d/colls/c"]
            if sent.request.path == "/dbs/d/colls/c" {
                return FullHTTPResponse(
                    200,
                    [
                        "id": "c", "_rid": .string(rid),
                        "_self": .string("dbs/1KtjAA==/colls/\(rid)/"),
                    ])
            }
            let status = answers.withLock { $0.removeFirst() }
            return FullHTTPResponse(
                status, ["id": "1", "city": "Bern", "name": "Ada"],
                headers.merging(
                    status == 404
                        ? ["x-ms-substatus": "1002"] : ["x-ms-session-token": "0:-1#7"]
                ) { $1 })
        }
        let client = try Cosmos.Client.stubbed(by: transport, clock: LeapingClock())
        func read() async throws {
            _ = try await client.get(
                documentWithId: "1", as: Person.self, inCollection: "c", withPartitionKey: "Bern",
                inDatabase: "d")
        }
        try await read()
        await #expect {
            try await read()
        } throws: { ($0 as? Cosmos.ClientError)?.subStatus == 1002 }
        try await read()
        #expect(transport.sent.last?.header("x-ms-session-token") == "0:-1#7")
    }

    @Test func `is written to by the partition key that it has now`() async throws {
        let account = try await ModelAccount()
        let client = account.client
        try await client.create(item("1"), inCollection: "people", inDatabase: "crm")
        try await remake(
            by: .stubbed(by: ModelTransport(service: account.service)), path: "/town")
        var made = try await client.create(
            item("2"), inCollection: "people", inDatabase: "crm"
        ).resource
        made.content["name"] = "Ada"
        try await client.replace(made)
        let read = try await client.get(
            documentWithId: "2", as: Cosmos.DocumentProperties.self, inCollection: "people",
            withPartitionKey: "Thun", inDatabase: "crm")
        #expect(read.resource.content["name"] == "Ada")
        // A key that was wrong by itself is refused as ever.
        await #expect {
            try await client.create(
                item("3"), inCollection: "people", inDatabase: "crm", withPartitionKey: "Bern")
        } throws: { isError(.badRequest)($0) }
    }

    @Test func `is written to offline by the partition key that it has now`() async throws {
        let account = try await OfflineAccount()
        let client = account.client
        try await client.create(item("1"), inCollection: "people", inDatabase: "crm")
        try await remake(by: account.otherClient(), path: "/town")
        try await client.create(item("2"), inCollection: "people", inDatabase: "crm")
        account.goOffline()
        #expect(
            try await client.create(
                item("3"), inCollection: "people", inDatabase: "crm", withPartitionKey: "Thun"
            ).fromCache)
        try await account.goOnline()
        #expect(
            try await account.otherClient().get(
                documentWithId: "3", as: Cosmos.DocumentProperties.self, inCollection: "people",
                withPartitionKey: "Thun", inDatabase: "crm"
            ).resource.id == "3")
        try await account.close()
    }
}
