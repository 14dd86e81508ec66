import Foundation
import HTTPTypes
import Settle
import SettleREST
import SettleSync
import TestSupport
import Testing

@testable import SettleCosmos

@Suite struct `Requests` {
    private let person: JSONValue = ["id": "1", "city": "Bern", "name": "Ada"]

    private func read(_ client: Cosmos.Client) async throws
        -> Cosmos.Response<
            Cosmos.DocumentResource<Person>
        >
    {
        try await client.get(
            documentWithId: "1", as: Person.self, inCollection: "c", withPartitionKey: "Bern",
            inDatabase: "d")
    }

    @Test func `carry what the service asks of them`() async throws {
        let transport = StubTransport { [person] _, _ in FullHTTPResponse(201, person) }
        let client = try Cosmos.Client.stubbed(
            by: transport, now: { Date(timeIntervalSince1970: 784_111_777) })
        var options = Cosmos.RequestOptions()
        options.indexingDirective = .exclude
        options.consistencyLevel = .eventual
        options.preTriggers = ["a", "b"]
        options.postTriggers = ["c"]
        try await client.createOrReplace(
            Person(id: "1", city: "Zürich"), inCollection: "my people", inDatabase: "d",
            options: options)
        let sent = try #require(transport.sent.first)
        #expect(sent.request.method == .post)
        #expect(sent.request.path == "/dbs/d/colls/my%20people/docs")
        #expect(sent.header("x-ms-date") == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(sent.header("x-ms-version") == "2020-07-15")
        #expect(sent.header("x-ms-documentdb-is-upsert") == "true")
        #expect(sent.header("x-ms-documentdb-partitionkey") == #"["Z\u00fcrich"]"#)
        #expect(sent.header("x-ms-indexing-directive") == "Exclude")
        #expect(sent.header("x-ms-consistency-level") == "Eventual")
        #expect(sent.header("x-ms-documentdb-pre-trigger-include") == "a,b")
        #expect(sent.header("x-ms-documentdb-post-trigger-include") == "c")
        #expect(sent.header("if-match") == nil)
        #expect(sent.header("content-type") == "application/json")
        #expect(sent.header("authorization")?.hasPrefix("type%3Dmaster") == true)
    }

    @Test func `give back what the response says about itself`() async throws {
        let transport = StubTransport { [person] _, _ in
            FullHTTPResponse(
                200, person,
                [
                    "x-ms-request-charge": "2.83", "x-ms-activity-id": "abc", "etag": "\"1\"",
                    "x-ms-session-token": "0:-1#7", "x-ms-resource-quota": "documentSize=10;x=y",
                    "x-ms-resource-usage": "documentSize=3;documentsCount=12;",
                    "x-ms-schemaversion": "1.12", "x-ms-serviceversion": "2.14",
                    "x-ms-alt-content-path": "dbs/d/colls/c", "x-ms-retry-after-ms": "12.5",
                    "x-ms-item-count": "1", "date": "Sun, 06 Nov 1994 08:49:37 GMT",
                    "content-type": "application/json",
                ])
        }
        let response = try await read(.stubbed(by: transport))
        let metadata = response.metadata
        #expect(metadata.requestCharge == 2.83 && metadata.activityId == "abc")
        #expect(metadata.etag == "\"1\"" && metadata.sessionToken == "0:-1#7")
        #expect(
            metadata.resourceQuota?["documentSize"] == 10 && metadata.resourceQuota?["x"] == nil)
        #expect(metadata.resourceUsage?["documentsCount"] == 12)
        #expect(metadata.schemaVersion == "1.12" && metadata.serviceVersion == "2.14")
        #expect(metadata.retryAfter == .milliseconds(12.5) && metadata.itemCount == 1)
        #expect(metadata.date == Date(timeIntervalSince1970: 784_111_777))
        #expect(metadata.contentType == "application/json")
        #expect(response.resource.altLink == "dbs/d/colls/c/docs/1")
        #expect(!response.fromCache && response.statusCode == 200)
        #expect(response.resource.name == "Ada")
    }

    @Test func `wait as long as a throttled service says, and then go on`() async throws {
        let clock = ManualClock()
        let transport = StubTransport { [person] _, number in
            number < 2
                ? FullHTTPResponse(number == 0 ? 429 : 449, nil, ["x-ms-retry-after-ms": "1500"])
                : FullHTTPResponse(200, person)
        }
        let client = try Cosmos.Client.stubbed(by: transport, clock: clock)
        async let response = read(client)
        for _ in 0..<2 {
            await clock.sleepers(reach: 1)
            clock.advance(by: .milliseconds(1_500))
        }
        #expect(try await response.statusCode == 200)
        #expect(transport.sent.count == 3)
    }

    @Test(arguments: [429, 449])
    func `wait for one operation of a batch that was throttled, and send it again`(
        status: Int64
    ) async throws {
        let clock = ManualClock()
        let transport = StubTransport { [person] _, number in
            number < 2
                ? FullHTTPResponse(
                    207,
                    [
                        ["statusCode": 424],
                        ["statusCode": .integer(status), "retryAfterMilliseconds": 1500],
                    ])
                : FullHTTPResponse(
                    200,
                    [
                        ["statusCode": 201, "resourceBody": person],
                        ["statusCode": 201, "resourceBody": person],
                    ])
        }
        let client = try Cosmos.Client.stubbed(by: transport, clock: clock)
        var batch = Cosmos.Batch()
        for id in 1...2 { try batch.create(Person(id: "\(id)", city: "Bern")) }
        let sent = batch
        async let response = client.perform(
            sent, inCollection: "c", withPartitionKey: "Bern", inDatabase: "d")
        for _ in 0..<2 {
            await clock.sleepers(reach: 1)
            clock.advance(by: .milliseconds(1_500))
        }
        #expect(try await response.resource.count == 2)
        #expect(transport.sent.count == 3)
        let never = try Cosmos.Client.stubbed(
            by: StubTransport { _, _ in
                FullHTTPResponse(
                    207, [["statusCode": 424], ["statusCode": .integer(status)]])
            }, retries: .never)
        await #expect {
            try await never.perform(
                sent, inCollection: "c", withPartitionKey: "Bern", inDatabase: "d")
        } throws: {
            let error = $0 as? Cosmos.ClientError
            return error?.statusCode == Int(status)
                && error?.message.contains("operation 2 of a batch of 2") == true
        }
    }

    @Test func `throw when a throttled service asks for more than is allowed`() async throws {
        let transport = StubTransport { _, _ in
            FullHTTPResponse(
                429, ["message": "Request rate is large"],
                ["x-ms-retry-after-ms": "31000", "x-ms-substatus": "3200"])
        }
        let client = try Cosmos.Client.stubbed(by: transport)
        await #expect {
            try await read(client)
        } throws: {
            let error = $0 as? Cosmos.ClientError
            return error?.kind == .tooManyRequests && error?.retryAfter == .seconds(31)
                && error?.subStatus == 3200 && error?.statusCode == 429
        }
        #expect(transport.sent.count == 1)
    }

    @Test(arguments: [500, 503, 408]) func `are sent again after a failure when they only read`(
        status: Int
    ) async throws {
        let clock = ManualClock()
        let transport = StubTransport { [person] _, number in
            number < 3 ? FullHTTPResponse(status) : FullHTTPResponse(200, person)
        }
        let client = try Cosmos.Client.stubbed(by: transport, clock: clock)
        async let response = read(client)
        for wait in [250, 500, 1_000] {
            await clock.sleepers(reach: 1)
            clock.advance(by: .milliseconds(wait))
        }
        #expect(try await response.statusCode == 200)
    }

    @Test func `are not sent again after a failure when that could do something twice`()
        async throws
    {
        let transport = StubTransport { _, _ throws(ReplicationError) in
            throw ReplicationError(.unreachable, "The line was cut.")
        }
        let client = try Cosmos.Client.stubbed(by: transport)
        await #expect {
            try await client.create(
                Person(id: "1", city: "Bern"), inCollection: "c", inDatabase: "d")
        } throws: { ($0 as? Cosmos.ClientError)?.isOffline == true }
        #expect(transport.sent.count == 1)
    }

    @Test func `fail with the kind that a status stands for`() async throws {
        let kinds: [(Int, Int?, Cosmos.ClientError.Kind)] = [
            (400, nil, .badRequest), (401, nil, .unauthorized), (403, nil, .forbidden),
            (403, 1014, .entityTooLarge), (404, nil, .notFound), (408, nil, .requestTimeout),
            (409, nil, .conflict), (410, 1002, .gone), (412, nil, .preconditionFailed),
            (413, nil, .entityTooLarge), (429, nil, .tooManyRequests), (449, nil, .retryWith),
            (500, nil, .internalServerError), (503, nil, .serviceUnavailable),
            (418, nil, .unknownError),
        ]
        for (status, subStatus, kind) in kinds {
            let transport = StubTransport { _, _ in
                FullHTTPResponse(
                    status, ["code": "x", "message": "First line.\nActivityId: secret"],
                    subStatus.map { ["x-ms-substatus": "\($0)"] } ?? [:])
            }
            let client = try Cosmos.Client.stubbed(by: transport, retries: .never)
            await #expect {
                try await read(client)
            } throws: {
                guard let error = $0 as? Cosmos.ClientError else { return false }
                return error.kind == kind && error.subStatus == subStatus
                    && error.message.contains("First line.") && !error.message.contains("secret")
                    && error.message.contains("dbs/d/colls/c/docs/1")
            }
        }
    }

    @Test func `with a response that is none fail usefully`() async throws {
        for body in ["<html>", "[]", "{\"id\":", "7"] {
            let transport = StubTransport { _, _ in
                FullHTTPResponse(head: HTTPResponse(status: .ok), body: Array(body.utf8))
            }
            await #expect {
                try await read(.stubbed(by: transport))
            } throws: { ($0 as? Cosmos.ClientError)?.kind == .unreadableResponse }
        }
    }

    @Test(arguments: ["", ".", ".."]) func `never go to another resource for an odd id`(id: String)
        async throws
    {
        let transport = StubTransport { _, _ in FullHTTPResponse(204) }
        let client = try Cosmos.Client.stubbed(by: transport)
        await #expect {
            try await client.delete(collectionWithId: id, fromDatabase: "d")
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .invalidId }
        #expect(transport.sent.isEmpty)
    }

    @Test func `create nothing with an id that none may have, but read what is there`() async throws
    {
        let transport = StubTransport { _, _ in
            FullHTTPResponse(200, ["id": "a b", "city": "Bern", "name": "x"])
        }
        let client = try Cosmos.Client.stubbed(by: transport)
        await #expect {
            try await client.create(
                Person(id: "a b", city: "Bern"), inCollection: "c", inDatabase: "d")
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .invalidId }
        await #expect {
            try await client.create(databaseWithId: "a/b")
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .invalidId }
        #expect(transport.sent.isEmpty)
        let response = try await client.get(
            documentWithId: "a b", as: Person.self, inCollection: "c", withPartitionKey: "Bern",
            inDatabase: "d")
        #expect(response.resource.id == "a b")
        #expect(transport.sent.first?.request.path == "/dbs/d/colls/c/docs/a%20b")
    }

    @Test func `hand in what the session has seen, the newest of each range`() async throws {
        let tokens = ["0:-1#5", "1:-1#2", "0:-1#4", "0:2#1"]
        let transport = StubTransport { [person] _, number in
            FullHTTPResponse(
                200, person, number < tokens.count ? ["x-ms-session-token": tokens[number]] : [:])
        }
        let client = try Cosmos.Client.stubbed(by: transport)
        for _ in 0...tokens.count { _ = try await read(client) }
        #expect(
            transport.sent.map { $0.header("x-ms-session-token") } == [
                nil, "0:-1#5", "0:-1#5,1:-1#2", "0:-1#5,1:-1#2", "0:2#1,1:-1#2",
            ])
        var options = Cosmos.RequestOptions()
        options.consistencyLevel = .eventual
        _ = try await client.get(
            documentWithId: "1", as: Person.self, inCollection: "c", withPartitionKey: "Bern",
            inDatabase: "d", options: options)
        #expect(transport.sent.last?.header("x-ms-session-token") == nil)
    }

    @Test func `for a split of ranges keep a token for each`() {
        let tokens = Cosmos.SessionTokens()
        let link = Cosmos.Link.collection("c", inDatabase: "d")
        tokens.keep("1:-1#5,2:-1#6", for: [link])
        #expect(tokens.token(for: link) == "1:-1#5,2:-1#6")
        tokens.forget(.database("d"))
        #expect(tokens.token(for: link) == nil)
    }
}
