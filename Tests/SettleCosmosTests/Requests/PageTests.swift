import Settle
import Testing

@testable import SettleCosmos

@Suite struct `Pages` {
    private func client(_ pages: [(ids: [String], next: String?)]) throws -> (
        Cosmos.Client, StubTransport
    ) {
        let transport = StubTransport { _, number in
            let page = pages[number]
            return .init(
                200,
                [
                    "_rid": "r",
                    "Databases": .array(page.ids.map { ["id": .string($0)] }),
                    "_count": .integer(Int64(page.ids.count)),
                ],
                ["x-ms-request-charge": "1.5"].merging(
                    page.next.map { ["x-ms-continuation": $0] } ?? [:]
                ) { $1 })
        }
        return (try .stubbed(by: transport), transport)
    }

    @Test func `are followed to the end, and empty ones are passed over`() async throws {
        let (client, transport) = try client([
            ([], "a"), (["1", "2"], "b"), ([], "c"), ([], "d"), (["3"], nil),
        ])
        var pages: [[String]] = []
        var charges: [Double?] = []
        for try await page in client.databases(maxPerPage: 2) {
            pages.append(page.resource.items.map(\.id))
            charges.append(page.metadata.requestCharge)
        }
        #expect(pages == [["1", "2"], ["3"]])
        #expect(charges == [3, 4.5])
        #expect(
            transport.sent.map { $0.header("x-ms-continuation") } == [nil, "a", "b", "c", "d"])
        #expect(transport.sent.allSatisfy { $0.header("x-ms-max-item-count") == "2" })
    }

    @Test func `are fetched one by one, and there is none after the last`() async throws {
        let (client, transport) = try client([(["1"], "a"), (["2"], nil)])
        let first = try await client.databases().first()
        #expect(first.hasMoreResults && first.resource.count == 1)
        #expect(transport.sent.count == 1)
        let second = try await first.next()
        #expect(!second.hasMoreResults && second.resource.items.map(\.id) == ["2"])
        await #expect {
            try await second.next()
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .noMoreResultsError }
        #expect(transport.sent.count == 2)
    }

    @Test func `begin where another ended, and have items one by one`() async throws {
        let (client, transport) = try client([(["2"], "b"), (["3"], nil)])
        var ids: [String] = []
        for try await database in client.databases(continuation: "a").items {
            ids.append(database.id)
        }
        #expect(ids == ["2", "3"])
        #expect(transport.sent.first?.header("x-ms-continuation") == "a")
    }

    @Test(arguments: [-1, 0, 1_001, Int.max]) func `have 1 to 1000 items`(count: Int) async throws {
        let (client, transport) = try client([])
        await #expect {
            try await client.databases(maxPerPage: count).first()
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .resourceRequestError }
        #expect(transport.sent.isEmpty)
    }

    @Test func `that are empty are asked for again where the service repeats a continuation`()
        async throws
    {
        let (client, transport) = try client([(["1"], "a"), ([], "a"), ([], "a"), (["2"], nil)])
        #expect(try await client.databases().all().map(\.id) == ["1", "2"])
        #expect(transport.sent.count == 4)
    }

    @Test(arguments: [[], ["1"]]) func `that never end are an error, and nothing is left out`(
        ids: [String]
    ) async throws {
        let (client, transport) = try client(
            Array(repeating: (ids: ids, next: "a"), count: 200))
        await #expect {
            try await client.databases().all()
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .unreadableResponse }
        #expect(transport.sent.count <= 102)
    }

    @Test func `that are empty and go round in a circle are an error`() async throws {
        let (client, transport) = try client(
            (0..<400).map { (ids: [], next: $0.isMultiple(of: 2) ? "a" : "b") })
        await #expect {
            try await client.databases().all()
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .unreadableResponse }
        #expect(transport.sent.count <= 204)
    }

    @Test func `that are empty are passed over, however many there are`() async throws {
        let (client, _) = try client(
            (0..<1_000).map { (ids: [], next: "c\($0)") } + [(ids: ["1"], next: nil)])
        #expect(try await client.databases().all().map(\.id) == ["1"])
    }
}
