import CosmosModel
import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleCosmos

/// Queries across partitions, which the model wants to be put together here; the same query over one partition, which the
/// model answers by itself, is the oracle.
@Suite struct `Queries across partitions` {
    private static let path = "dbs/crm/colls/people"

    /// The same documents spread over several ranges, and all in one partition.
    private struct Twins {
        let spread: Cosmos.Client
        let together: Cosmos.Client
        let service: ModelService

        private static let mixed: [JSONValue?] = [
            nil, .null, true, false, 3, .double(2.5), "text", "Text", "",
        ]

        init(seed: UInt64, count: Int = 60, rangeCount: Int = 3) async throws {
            var random = SeededGenerator(seed: seed)
            var configuration = AccountConfiguration()
            configuration.rangeCount = rangeCount
            configuration.needsCompositeIndexes = false
            configuration.pageSize = 7
            service = ModelService(configuration: configuration)
            configuration.rangeCount = 1
            let single = ModelService(configuration: configuration)
            spread = try .stubbed(by: ModelTransport(service: service), clock: LeapingClock())
            together = try .stubbed(by: ModelTransport(service: single))
            for client in [spread, together] {
                try await client.create(databaseWithId: "crm")
                try await client.create(
                    collectionWithId: "people", andPartitionKey: .init(paths: ["/key"]),
                    inDatabase: "crm")
            }
            for number in 0..<count {
                var members: [String: JSONValue] = ["id": .string("\(number)")]
                members["key"] = .string("k\(number % 11)")
                members["n"] = .integer(Int64.random(in: 0..<20, using: &random))
                members["group"] = .string("g\(Int.random(in: 0..<4, using: &random))")
                // Some have no such member.
                members["mixed"] = Self.mixed.randomElement(using: &random) ?? nil
                try await spread.create(
                    Cosmos.DocumentProperties(members), inCollection: "people", inDatabase: "crm")
                members["key"] = "one"
                try await together.create(
                    Cosmos.DocumentProperties(members), inCollection: "people", inDatabase: "crm")
            }
        }

        func merged(
            _ text: String, maxPerPage: Int? = nil, continuation: String? = nil
        ) -> Cosmos.Pages<Cosmos.DocumentProperties> {
            spread.query(
                documentPropertiesAcrossAllPartitionsIn: "people", inDatabase: "crm",
                with: Cosmos.Query(text), maxPerPage: maxPerPage, continuation: continuation)
        }

        func expected(_ text: String) async throws -> [JSONValue] {
            try await together.query(
                documentPropertiesIn: "people", inDatabase: "crm", with: Cosmos.Query(text),
                andPartitionKey: "one"
            ).all().map(\.value)
        }
    }

    /// Texts of values, in an order of their own where the query has none.
    private func texts(_ values: [JSONValue], isOrdered: Bool) -> [String] {
        let texts = values.map { Cosmos.ResultOrder.canonicalText(of: $0) }
        return isOrdered ? texts : texts.sorted()
    }

    @Test func `give each its own results though their continuations are the same`() async throws {
        let twins = try await Twins(seed: 7)
        func query(_ condition: String) -> String {
            "SELECT c.group, COUNT(1) AS count FROM c WHERE \(condition) GROUP BY c.group"
        }
        // The continuation says how many groups were given, and not of what.
        _ = try await twins.merged(query("c.n < 10"), maxPerPage: 2).first()
        let text = query("c.n >= 10")
        let found = try await twins.merged(text, maxPerPage: 2).all().map(\.value)
        #expect(
            try await texts(found, isOrdered: false)
                == texts(twins.expected(text), isOrdered: false))
    }

    @Test func `take a place behind all results for their end`() async throws {
        let twins = try await Twins(seed: 7)
        let continuation = #"q1:{"given":9223372036854775807,"parts":[{"range":"0"}]}"#
        let query = "SELECT c.group, COUNT(1) AS count FROM c GROUP BY c.group"
        let page = try? await twins.merged(query, continuation: continuation).first()
        #expect(page?.resource.items.isEmpty ?? true)
    }

    private static let ordered = [
        "SELECT VALUE [c.n, c.id] FROM c ORDER BY c.n, c.id",
        "SELECT c.id FROM c WHERE c.n > 5 ORDER BY c.n DESC, c.id ASC",
        "SELECT c.id, c.mixed FROM c ORDER BY c.mixed, c.id",
        "SELECT c.id, c.mixed FROM c ORDER BY c.mixed DESC, c.id DESC",
        "SELECT TOP 7 c.id FROM c ORDER BY c.id",
        "SELECT c.id FROM c ORDER BY c.id OFFSET 9 LIMIT 13",
        "SELECT DISTINCT VALUE c.n FROM c ORDER BY c.n", "SELECT TOP 0 c.id FROM c ORDER BY c.id",
        "SELECT VALUE c.n FROM c WHERE c.n > 100 ORDER BY c.n",
        "SELECT VALUE COUNT(1) FROM c", "SELECT VALUE SUM(c.n) FROM c",
        "SELECT VALUE MIN(c.n) FROM c", "SELECT VALUE MAX(c.mixed) FROM c",
        "SELECT VALUE AVG(c.n) FROM c", "SELECT VALUE SUM(c.mixed) FROM c",
        "SELECT VALUE AVG(c.n) FROM c WHERE c.n > 100", "SELECT VALUE COUNT(c.mixed) FROM c",
        "SELECT COUNT(1) AS count, MAX(c.n) AS most, AVG(c.n) AS mean FROM c WHERE c.n < 15",
    ]

    private static let unordered = [
        "SELECT DISTINCT VALUE c.group FROM c", "SELECT DISTINCT c.group, c.n FROM c",
        "SELECT DISTINCT VALUE c.mixed FROM c",
        "SELECT c.group, COUNT(1) AS count, SUM(c.n) AS sum, AVG(c.n) AS mean FROM c GROUP BY c.group",
        "SELECT c.mixed, MIN(c.n) AS least FROM c GROUP BY c.mixed",
        "SELECT VALUE COUNT(1) FROM c GROUP BY c.group",
        "SELECT c.group, c.n FROM c GROUP BY c.group, c.n",
        "SELECT VALUE c.id FROM c",
    ]

    @Test(arguments: ordered + unordered)
    func `have the results of one partition`(query: String) async throws {
        for seed in 1...3 {
            let twins = try await Twins(seed: UInt64(seed))
            let isOrdered = Self.ordered.contains(query)
            let expected = texts(try await twins.expected(query), isOrdered: isOrdered)
            for size in [nil, 1, 4, 1_000] {
                let found = try await twins.merged(query, maxPerPage: size).all().map(\.value)
                #expect(
                    texts(found, isOrdered: isOrdered) == expected,
                    "seed \(seed), pages of \(size ?? 0)")
            }
        }
    }

    @Test(arguments: ordered + unordered)
    func `go on from the text of a continuation, in another client, after splits`(query: String)
        async throws
    {
        let twins = try await Twins(seed: 5)
        let isOrdered = Self.ordered.contains(query)
        let expected = texts(try await twins.expected(query), isOrdered: isOrdered)
        var found: [JSONValue] = []
        var continuation: String?
        for round in 0... {
            // Another client has kept nothing of the page before.
            let client = try Cosmos.Client.stubbed(
                by: ModelTransport(service: twins.service), clock: LeapingClock())
            let page = try await client.query(
                documentPropertiesAcrossAllPartitionsIn: "people", inDatabase: "crm",
                with: Cosmos.Query(query), maxPerPage: 5, continuation: continuation
            ).first()
            #expect(page.resource.count <= 5)
            found += page.resource.items.map(\.value)
            continuation = page.metadata.continuation
            if continuation == nil { break }
            if round == 1 {
                _ = twins.service.withState { state in
                    state.splitRange("0", ofCollectionAt: Self.path)
                        .map { state.splitRange($0, ofCollectionAt: Self.path) }
                }
            }
        }
        #expect(texts(found, isOrdered: isOrdered) == expected)
    }

    @Test(arguments: ordered + unordered)
    func `get over splits between pages`(query: String) async throws {
        let twins = try await Twins(seed: 9, rangeCount: 2)
        let isOrdered = Self.ordered.contains(query)
        let expected = texts(try await twins.expected(query), isOrdered: isOrdered)
        var found: [JSONValue] = []
        var splits = ["0", "1", "2", "3"][...]
        for try await page in twins.merged(query, maxPerPage: 3) {
            found += page.resource.items.map(\.value)
            if let id = splits.popFirst() {
                _ = twins.service.withState { $0.splitRange(id, ofCollectionAt: Self.path) }
            }
        }
        #expect(texts(found, isOrdered: isOrdered) == expected)
    }

    @Test func `are asked range by range only when the service wants it`() async throws {
        let twins = try await Twins(seed: 1)
        twins.service.clearLog()
        _ = try await twins.merged("SELECT * FROM c", maxPerPage: 1_000).all()
        #expect(twins.service.log.allSatisfy { $0.status == 200 })
        #expect(
            !twins.service.log.contains {
                $0.request.headers["x-ms-cosmos-is-query-plan-request"] != nil
            })
        twins.service.clearLog()
        let page = try await twins.merged(
            "SELECT VALUE c.n FROM c ORDER BY c.n", maxPerPage: 1_000
        ).first()
        // The refusal, the plan, the ranges, and each of them.
        #expect(twins.service.log.count == 6)
        #expect(page.metadata.requestCharge ?? 0 > 0 && page.metadata.itemCount == 60)
        #expect(!page.hasMoreResults)
    }

    @Test func `read no result twice as long as their pages follow each other`() async throws {
        let twins = try await Twins(seed: 1)
        twins.service.clearLog()
        let all = try await twins.merged("SELECT VALUE c.n FROM c ORDER BY c.n", maxPerPage: 10)
            .all()
        #expect(all.count == 60)
        let queries = twins.service.log.filter {
            $0.request.headers["x-ms-documentdb-partitionkeyrangeid"] != nil
        }
        #expect(queries.count <= 9)
    }

    @Test(arguments: ordered + unordered)
    func `go on after a failure, and pass over empty pages`(query: String) async throws {
        let twins = try await Twins(seed: 3)
        let client = try Cosmos.Client.stubbed(
            by: ModelTransport(service: twins.service), retries: .never)
        let isOrdered = Self.ordered.contains(query)
        let expected = texts(try await twins.expected(query), isOrdered: isOrdered)
        twins.service.withState { $0.emptyPages = 4 }
        var page = try await client.query(
            documentPropertiesAcrossAllPartitionsIn: "people", inDatabase: "crm",
            with: Cosmos.Query(query), maxPerPage: 4
        ).first()
        var found = page.resource.items.map(\.value)
        while page.hasMoreResults {
            twins.service.add(FaultRule(.fail(status: 503)) { $0.method == "POST" })
            do {
                page = try await page.next()
                // The page was made of what the one before had read.
                twins.service.removeFaults()
            } catch {
                #expect(error.kind == .serviceUnavailable)
                page = try await page.next()
            }
            found += page.resource.items.map(\.value)
        }
        #expect(texts(found, isOrdered: isOrdered) == expected)
    }

    @Test func `are refused where they cannot be put together, and with a wrong continuation`()
        async throws
    {
        let twins = try await Twins(seed: 1, count: 1)
        for query in [
            "SELECT c.group, COUNT(1) AS n FROM c GROUP BY c.group ORDER BY c.group",
            "SELECT VALUE 1 + COUNT(1) FROM c", "SELECT * FROM c ORDER BY",
        ] {
            await #expect {
                try await twins.merged(query).first()
            } throws: { ($0 as? Cosmos.ClientError)?.kind == .badRequest }
        }
        for text in ["q1:", "q1:{}", "q1:{\"parts\":[{}]}"] {
            await #expect {
                try await twins.merged(
                    "SELECT * FROM c ORDER BY c.n", continuation: text
                ).first()
            } throws: { ($0 as? Cosmos.ClientError)?.kind == .resourceRequestError }
        }
    }

    @Test func `are sent again when the gateway met a split`() async throws {
        let twins = try await Twins(seed: 1)
        twins.service.add(FaultRule(.fail(status: 410, subStatus: 1002), count: 2))
        #expect(try await twins.merged("SELECT VALUE c.id FROM c").all().count == 60)
        twins.service.add(FaultRule(.fail(status: 410, subStatus: 1002), count: 2))
        let read = try await twins.spread.get(
            documentWithId: "7", as: Cosmos.DocumentProperties.self, inCollection: "people",
            withPartitionKey: "k7", inDatabase: "crm"
        ).resource
        #expect(read.id == "7")
    }

    @Test func `have documents of the app's types, with links`() async throws {
        let account = try await ModelAccount(rangeCount: 3)
        for number in 0..<9 {
            try await account.create(
                Person(id: "\(number)", city: "c\(number)", age: 9 - number))
        }
        let people = try await account.client.query(
            documentsAcrossAllPartitionsIn: "people", as: Person.self, inDatabase: "crm",
            with: Cosmos.Query().where("age", isGreaterThan: 2).orderBy("age")
        ).all()
        #expect(people.map(\.id) == ["6", "5", "4", "3", "2", "1", "0"])
        #expect(people[0].altLink == "dbs/crm/colls/people/docs/6")
        var first = people[0]
        first.name = "Grace"
        #expect(try await account.client.replace(first).resource.name == "Grace")
    }
}
