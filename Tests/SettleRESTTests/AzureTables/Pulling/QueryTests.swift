import Dispatch
import Foundation
import Settle
import SettleSync
import TestSupport
import Testing

@testable import SettleREST

/// One-time pulls of queries, against a server that answers what it is told.
@Suite(.serialized) struct `Pull of a table's query` {
    private static func rows(_ ids: [String]) -> String {
        let rows = ids.map {
            #"{"id":"\#($0)","updatedAt":"2021-01-03T00:00:00.500Z","version":"MQ==","#
                + #""deleted":false,"n":1}"#
        }
        return "[" + rows.joined(separator: ",") + "]"
    }

    private static func page(
        _ ids: [String], dialect: AzureTablesBackend.Dialect, isLast: Bool = false
    ) -> FullHTTPResponse {
        guard dialect == .v3 else { return .json(200, rows(ids)) }
        let link = isLast ? "null" : "\"next\""
        return .json(200, #"{"items":\#(rows(ids)),"count":null,"nextLink":\#(link)}"#)
    }

    private struct Place {
        let scratch: ScratchDirectory
        let database: Database

        init() async throws {
            scratch = try ScratchDirectory("query")
            let configuration = Database.OpenDatabaseConfiguration(
                name: "db", fileLocation: scratch.url,
                completionQueue: DispatchQueue(label: "settle.tests.completion"))
            database = try #require(try await Database.open(with: configuration, create: true))
        }

        /// Pulls once, and says what was asked, without the path.
        func pull(
            _ query: TableQuery, queryId: String? = nil, _ answers: [FullHTTPResponse],
            dialect: AzureTablesBackend.Dialect = .v2,
            _ change: (inout ReplicationConfiguration) -> Void = { _ in }
        ) async throws -> (summary: ReplicationSummary, asked: [String]) {
            let transport = FakeTransport(answers)
            var configuration = ReplicationConfiguration(
                url: try #require(URL(string: "http://h/tables/t")),
                options: ["transport": transport, "dialect": dialect])
            configuration.pageSize = 3
            configuration.retryLimit = 0
            change(&configuration)
            let summary = try await database.pull(query, queryId: queryId, with: configuration)
            let asked = transport.lines.map { $0.replacing("GET /tables/t?", with: "") }
            return (summary, asked)
        }
    }

    @Test(arguments: [AzureTablesBackend.Dialect.v2, .v3])
    func `asks for its order, its limit and its offset, page by page`(
        dialect: AzureTablesBackend.Dialect
    ) async throws {
        let place = try await Place()
        let query = TableQuery(
            filter: .field("text").contains("x"),
            order: [.descending(.field("n")), .ascending(.field("text").lowercased)], limit: 5,
            offset: 2)
        let (summary, asked) = try await place.pull(
            query,
            [
                Self.page(["a", "b", "c"], dialect: dialect),
                Self.page(["d", "e"], dialect: dialect),
            ], dialect: dialect)
        #expect(summary.pulled == 5)
        let (condition, deleted) =
            dialect == .v3
            ? ("contains(text,'x')", "__includedeleted")
            : ("substringof('x',text)", "__includeDeleted")
        let order = "n%20desc,tolower(text),id"
        #expect(
            asked == [
                "$filter=\(condition)&$orderby=\(order)&$skip=2&$top=3&\(deleted)=true",
                "$filter=\(condition)&$orderby=\(order)&$skip=5&$top=2&\(deleted)=true",
            ])
        #expect(try await place.database.fetchDocument("e") != nil)
        #expect(try place.database.pendingOperations().isEmpty)
    }

    @Test func `goes on by the rows that came, and ends with an empty page`() async throws {
        let place = try await Place()
        let (summary, asked) = try await place.pull(
            TableQuery(order: [.ascending(.field("id"))]),
            [
                Self.page(["a", "b"], dialect: .v2), Self.page(["c"], dialect: .v2),
                Self.page([], dialect: .v2),
            ])
        #expect(summary.pulled == 3)
        #expect(
            asked == [
                "$orderby=id&$top=3&__includeDeleted=true",
                "$orderby=id&$skip=2&$top=3&__includeDeleted=true",
                "$orderby=id&$skip=3&$top=3&__includeDeleted=true",
            ])
    }

    @Test func `of nothing asks for nothing`() async throws {
        let place = try await Place()
        let (summary, asked) = try await place.pull(TableQuery(limit: 0), [])
        #expect(summary.received == 0 && asked.isEmpty)
    }

    @Test func `asks for everything again each time without an identifier`() async throws {
        let place = try await Place()
        for round in 0..<2 {
            let (summary, asked) = try await place.pull(
                TableQuery(filter: .field("n") == 1),
                [Self.page(["a", "b"], dialect: .v2), Self.page([], dialect: .v2)])
            #expect(summary.received == 2 && summary.pulled == (round == 0 ? 2 : 0))
            #expect(
                asked.first
                    == "$filter=n%20eq%201&$orderby=updatedAt,id&$top=3&$inlinecount=allpages"
                    + "&__includeDeleted=true")
        }
    }

    @Test func `goes on where it was with an identifier, as long as the query is the same`()
        async throws
    {
        let place = try await Place()
        let query = TableQuery(filter: .field("n") == 1)
        func isWhole(_ query: TableQuery, _ queryId: String) async throws -> Bool {
            let (_, asked) = try await place.pull(
                query, queryId: queryId,
                [Self.page(["a"], dialect: .v2), Self.page([], dialect: .v2)])
            return try #require(asked.first).contains("updatedAt") == true
                && !asked[0].contains("updatedAt%20g")
        }
        #expect(try await isWhole(query, "q"))
        #expect(try await !isWhole(query, "q"))
        #expect(try await isWhole(query, "other"))
        #expect(try await isWhole(TableQuery(filter: .field("n") == 2), "q"))
        #expect(
            try await isWhole(
                TableQuery(filter: .field("n") == 1, parameters: ["zone": "x"]), "q"))
        #expect(try await !isWhole(query, "q"))
        try await place.database.removePullCheckpoints(of: "http://h/tables/t", queryId: "q")
        #expect(try await isWhole(query, "q"))
    }

    @Test func `sends parameters of one's own with every page, encoded`() async throws {
        let place = try await Place()
        let (_, asked) = try await place.pull(
            TableQuery(
                order: [.ascending(.field("n"))], parameters: ["ten ant": "a&b=ü", "x": ""]),
            [
                Self.page(["a"], dialect: .v2), Self.page([], dialect: .v2),
            ]
        ) { $0.options["parameters"] = ["x": "1", "y": "2"] }
        #expect(asked.count == 2)
        for line in asked {
            #expect(line.hasSuffix("&__includeDeleted=true&ten%20ant=a%26b%3D%C3%BC&x=&y=2"))
        }
    }

    @Test(arguments: [
        TableQuery(limit: -1), TableQuery(offset: -1), TableQuery(parameters: ["$top": "1"]),
        TableQuery(parameters: ["__includeDeleted": "false"]), TableQuery(parameters: ["": "1"]),
        TableQuery(parameters: ["ZUMO-API-Version": "3.0.0"]),
        TableQuery(order: [.ascending(.field("n desc,x"))]),
        TableQuery(filter: .field("a b") == 1),
    ])
    func `is refused before anything is asked when it cannot be`(query: TableQuery) async throws {
        let place = try await Place()
        await #expect {
            _ = try await place.pull(query, [])
        } throws: {
            ($0 as? ReplicationError)?.code == .misconfigured
        }
    }

    @Test
    func `is refused incrementally with an order, a limit or an offset, and when only sending`()
        async throws
    {
        let place = try await Place()
        for query in [
            TableQuery(order: [.ascending(.field("n"))]), TableQuery(limit: 1),
            TableQuery(offset: 1),
        ] {
            await #expect {
                _ = try await place.pull(query, queryId: "q", [])
            } throws: {
                ($0 as? ReplicationError)?.code == .misconfigured
            }
        }
        await #expect {
            _ = try await place.pull(TableQuery(), []) { $0.direction = .clientToServer }
        } throws: {
            ($0 as? ReplicationError)?.code == .misconfigured
        }
    }

    /// A document of ours that waits to be sent.
    private func waiting() async throws -> Place {
        let place = try await Place()
        var document = Document(id: "a")
        document["n"] = 7
        try await place.database.save(document)
        return place
    }

    @Test func `leaves a document that waits as it is when nothing is to be sent`() async throws {
        let place = try await waiting()
        let (summary, _) = try await place.pull(
            TableQuery(limit: 1), [Self.page(["a"], dialect: .v2)]
        ) { $0.direction = .serverToClient }
        #expect(summary.pulled == 0)
        #expect(try await place.database.fetchDocument("a")?.integer("n") == 7)
    }

    @Test func `sends first what waits`() async throws {
        let place = try await waiting()
        let stored = FullHTTPResponse.json(
            201, #"{"id":"a","n":7,"version":"MQ=="}"#, tag: #""MQ==""#)
        let (summary, asked) = try await place.pull(
            TableQuery(limit: 1),
            // What the server offers; the insert; the row.
            [.json(200, "[]"), stored, Self.page(["b"], dialect: .v2)])
        #expect(summary.pushed == 1 && summary.pulled == 1)
        #expect(
            asked == [
                "$top=1&$select=id", #"POST /tables/t {"id":"a","n":7}"#,
                "$orderby=id&$top=1&__includeDeleted=true",
            ])
        #expect(try place.database.pendingOperations().isEmpty)
    }
}
