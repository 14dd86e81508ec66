import CosmosModel
import Foundation
import HTTPTypes
import Settle
import SettleREST
import SettleSync
import TestSupport
import Testing

@testable import SettleCosmos

@Suite struct `Replication with odd collections and services` {
    @Test func `goes with hierarchical keys, numbers, and documents without a key`() async throws {
        let scratch = try ScratchDirectory("odd")
        var configuration = AccountConfiguration()
        configuration.rangeCount = 2
        let service = ModelService(configuration: configuration)
        let client = try Cosmos.Client.stubbed(
            by: ModelTransport(service: service), clock: LeapingClock())
        try await client.create(databaseWithId: "crm")
        try await client.create(
            collectionWithId: "orders", andPartitionKey: .init(paths: ["/tenant", "/user/number"]),
            inDatabase: "crm")
        let first = try await ReplicaDevice("a", in: scratch)
        let second = try await ReplicaDevice("b", in: scratch)
        let backend = try CosmosBackend(client, collection: "orders", inDatabase: "crm")
        try await first.put("1", ["tenant": "ü \"x\"", "user": ["number": 1]])
        try await first.put("2", ["tenant": "ü \"x\"", "user": ["number": 1.5]])
        try await first.put("3", ["tenant": .null, "deleted": false])
        try await first.put("4", ["large": .integer(9_007_199_254_740_993)])
        #expect(try await first.replicate(backend).pushed == 4)
        try await second.replicate(backend)
        for id in ["1", "2", "3", "4"] {
            #expect(try await second.members(id) == first.members(id))
            try await second.delete(id)
        }
        #expect(try await second.replicate(backend).pushed == 4)
        #expect(try await first.replicate(backend).pulled == 4)
        try await first.put("3", ["tenant": .null, "deleted": false, "new": true])
        try await first.replicate(backend)
        try await second.replicate(backend) { configuration in
            configuration.limitToChannels = [
                CosmosBackend.channel(of: .init(components: [.null, .undefined]))
            ]
        }
        #expect(try await second.members("3")?["new"] == true)
        for device in [first, second] { await device.close() }
        withExtendedLifetime(scratch) {}
    }

    @Test func `is told of a service that makes no sense, and stores nothing`() async throws {
        let range: JSONValue = ["id": "0", "minInclusive": "", "maxExclusive": "FF", "parents": []]
        let ranges: JSONValue = ["_rid": "abc=", "PartitionKeyRanges": [range]]
        let gap: JSONValue = [
            "_rid": "abc=",
            "PartitionKeyRanges": [["id": "0", "minInclusive": "", "maxExclusive": "80"]],
        ]
        let collection: JSONValue = [
            "id": "c", "partitionKey": ["paths": ["/city"], "kind": "Hash"],
        ]
        let document: JSONValue = ["id": "1", "city": "Bern", "_etag": "x", "_ts": 1]
        for (list, page, code) in [
            (gap, FullHTTPResponse(304, nil, ["etag": "1"]), .serverFailed),
            (ranges, FullHTTPResponse(304), .protocolViolation),
            (ranges, FullHTTPResponse(200, ["Documents": [document]]), .protocolViolation),
            (ranges, FullHTTPResponse(200, ["Documents": 7], ["etag": "1"]), .protocolViolation),
            (ranges, FullHTTPResponse(200, ["hello": "world"], ["etag": "1"]), .protocolViolation),
            (
                ranges, FullHTTPResponse(410, nil, ["x-ms-substatus": "1002"]), .serverFailed
            ),
        ] as [(JSONValue, FullHTTPResponse, ReplicationError.Code)] {
            let transport = StubTransport { sent, _ in
                let path = sent.request.path ?? ""
                if path.hasSuffix("/docs") { return page }
                return FullHTTPResponse(200, path.hasSuffix("/pkranges") ? list : collection)
            }
            let client = try Cosmos.Client.stubbed(by: transport, clock: LeapingClock())
            let backend = try CosmosBackend(client, collection: "c", inDatabase: "d")
            do throws(ReplicationError) {
                _ = try await backend.pull(
                    PullQuery(), after: nil, itemCountMax: 10, isFirstPage: true)
                Issue.record("\(page) was taken.")
            } catch {
                #expect(error.code == code, "\(error)")
            }
        }
    }

    @Test func `takes documents with odd ids, and leaves their edits listed`() async throws {
        let scratch = try ScratchDirectory("odd")
        let account = try await ModelAccount()
        let device = try await ReplicaDevice("a", in: scratch)
        let long = String(repeating: "x", count: 200)
        let now = account.service.now
        try account.service.withState { state in
            try state.plant(
                ["id": "a/b ? c", "city": "Bern"], inCollectionAt: "dbs/crm/colls/people", at: now)
        }
        try await account.create(Person(id: long, city: "Bern"))
        try await account.create(Person(id: "1", city: "Bern"))
        #expect(try await device.replicate(account.backend()).pulled == 3)
        // The service has it under an odd id, shows it, and takes no change of it.
        try await device.put("a/b ? c", ["city": "Bern", "n": 1])
        #expect(try await device.replicate(account.backend()).pushed == 0)
        let rejected = try await device.database.rejectedOperations()
        #expect(rejected.map(\.documentId) == ["a/b ? c"])
        #expect(try await device.members("a/b ? c")?["n"] == 1)
        try await device.delete("a/b ? c")
        #expect(try await device.replicate(account.backend(.hard)).pushed == 1)
        #expect(try await account.documents().keys.sorted() == ["1", long])
        await device.close()
        withExtendedLifetime(scratch) {}
    }

    @Test func `goes with the permissions of a provider`() async throws {
        let scratch = try ScratchDirectory("odd")
        let account = try await ModelAccount(rangeCount: 2)
        let client = account.client
        try await client.create(userWithId: "ada", inDatabase: "crm")
        let user = try await client.get(userWithId: "ada", inDatabase: "crm").resource
        let people = try await client.get(collectionWithId: "people", inDatabase: "crm").resource
        let permission = try await client.create(
            permissionWithId: "all", mode: .all, in: people, forUser: user
        ).resource
        let provider = `Resources of the service`.Given(permission: permission)
        let guest = try Cosmos.Client.stubbed(
            by: ModelTransport(service: account.service), credentials: .permissions(provider))
        let device = try await ReplicaDevice("a", in: scratch)
        try await device.put("1", ["city": "Bern"])
        try await account.create(Person(id: "2", city: "Basel"))
        let backend = try CosmosBackend(guest, collection: "people", inDatabase: "crm")
        let summary = try await device.replicate(backend)
        #expect(summary.pushed == 1 && summary.pulled == 1)
        await device.close()
        withExtendedLifetime(scratch) {}
    }
}
