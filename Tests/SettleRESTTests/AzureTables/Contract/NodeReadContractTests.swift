import Foundation
import Settle
import SettleREST
import SettleSync
import Testing

/// Pulls, against what Azure Mobile Apps for node 4.0.3 was recorded to answer.
@Suite(.serialized) struct `Contract of pulls, node server of generation 2` {
    /// Ten rows as in the recording: one, seven with one time, two with another.
    private static let rows: [(id: String, time: String, isDeleted: Bool)] =
        [("r0", "2021-01-01T00:00:00.000Z", false)]
        + (1...7).map { ("r\($0)", "2021-01-02T00:00:00.123Z", false) }
        + [
            ("r8", "2021-01-03T00:00:00.500Z", true), ("r9", "2021-01-03T00:00:00.500Z", false),
        ]

    private static func json(_ range: Range<Int>) -> FullHTTPResponse {
        let items = rows[range].map { row in
            #"{"id":"\#(row.id)","createdAt":"\#(row.time)","updatedAt":"\#(row.time)","#
                + #""version":"MQ==","deleted":\#(row.isDeleted),"text":"x","n":8}"#
        }
        return .json(200, "[\(items.joined(separator: ","))]", tag: #"W/"2-x""#)
    }

    // Letter by letter the six requests of the recording, but for the way the first time is written.
    @Test func `skipping asks as the official clients do`() async throws {
        let node = try Transcript(
            .v2, paging: .skip, Self.json(0..<3), Self.json(1..<4), Self.json(4..<7),
            Self.json(7..<10), Self.json(8..<10), Self.json(0..<0))
        var token: PullToken?
        var ids: Set<String> = []
        for index in 0..<6 {
            let page = try await node.pull(after: token, isFirst: index == 0, pageSize: 3)
            ids.formUnion(page.items.map(\.id))
            token = page.token
            #expect(page.isLast == (index == 5))
        }
        #expect(ids.count == 10)
        let steps = [
            ("1970-01-01T00:00:00.000Z", 0), ("2021-01-02T00:00:00.123Z", 0),
            ("2021-01-02T00:00:00.123Z", 3), ("2021-01-02T00:00:00.123Z", 6),
            ("2021-01-03T00:00:00.500Z", 0), ("2021-01-03T00:00:00.500Z", 2),
        ]
        #expect(
            node.lines
                == steps.map { time, skip in
                    "GET /tables/todoitem2?$filter=updatedAt ge datetimeoffset'\(time)'"
                        + "&$orderby=updatedAt&$skip=\(skip)&$top=3&__includeDeleted=true"
                })
        #expect(
            node.wireLines[1]
                == "GET /tables/todoitem2?$filter=updatedAt%20ge%20datetimeoffset'2021-01-02T00"
                + "%3A00%3A00.123Z'&$orderby=updatedAt&$skip=0&$top=3&__includeDeleted=true")
        // The next pull begins with the last time, whatever was skipped.
        let next = try Transcript(.v2, paging: .skip, Self.json(8..<10))
        _ = try await next.pull(after: token, pageSize: 3)
        #expect(next.lines == [node.lines[4]])
    }

    @Test func `keyset paging takes each row once`() async throws {
        let node = try Transcript(
            .v2, Self.json(0..<3), Self.json(3..<6), Self.json(6..<9), Self.json(9..<10),
            Self.json(0..<0))
        var token: PullToken?
        var ids: [String] = []
        for index in 0..<5 {
            let page = try await node.pull(after: token, isFirst: index == 0, pageSize: 3)
            ids += page.items.map(\.id)
            token = page.token
            #expect(page.isLast == (index == 4))
        }
        #expect(ids == Self.rows.map(\.id))
        #expect(
            node.lines[0]
                == "GET /tables/todoitem2?$orderby=updatedAt,id&$top=3&$inlinecount=allpages"
                + "&__includeDeleted=true")
        let time = "datetimeoffset'2021-01-02T00:00:00.123Z'"
        #expect(
            node.lines[1]
                == "GET /tables/todoitem2?$filter=updatedAt gt \(time) or updatedAt eq \(time) "
                + "and id gt 'r2'&$orderby=updatedAt,id&$top=3&__includeDeleted=true")
    }

    @Test func `an empty table is one request`() async throws {
        let node = try Transcript(.v2, .json(200, #"{"results":[],"count":0}"#))
        let page = try await node.pull()
        #expect(page.isLast && page.items.isEmpty && page.token == nil)
    }

    @Test func `columns that the table has and a row has not come as null`() async throws {
        let row =
            #"{"id":"v","createdAt":"2024-01-01T00:00:00.002Z","updatedAt":"2024-01-01T00:00:00.002Z","#
            + #""version":"Wm05dg==","deleted":false,"text":"x","n":null,"flag":null}"#
        let node = try Transcript(.v2, .json(200, #"{"results":[\#(row)],"count":1}"#))
        let page = try await node.pull()
        #expect(page.isLast && page.itemCountRemaining == 1)
        #expect(page.items.first?.members == ["text": "x", "n": .null, "flag": .null])
        #expect(page.items.first?.version == "Wm05dg==")
        #expect(page.items.first?.created == Date(timeIntervalSince1970: 1_704_067_200.002))
    }

    @Test(arguments: [
        ("2021-01-02T03:04:05Z", 0.0), ("2021-01-02T03:04:05.5Z", 0.5),
        ("2021-01-02T04:04:05.25+01:00", 0.25), ("2021-01-02T03:04:05.1230000Z", 0.123),
    ])
    func `times of the .NET server have any number of digits and any offset`(
        text: String, fraction: Double
    ) async throws {
        let row = #"{"id":"v","updatedAt":"\#(text)","version":"AAAAAAAAB9E=","deleted":false}"#
        let server = try Transcript(.v2, .json(200, "[\(row)]"), .json(200, "[]"))
        let page = try await server.pull()
        let base = Date(timeIntervalSince1970: 1_609_556_645)
        #expect(
            abs(try #require(page.items.first?.updated).timeIntervalSince(base) - fraction) < 1e-6)
        _ = try await server.pull(after: page.token, isFirst: false)
        #expect(server.lines[1].contains("updatedAt gt datetimeoffset'\(text)'"))
        #expect(!server.wireLines[1].contains("+"))
    }

    @Test func `a row out of sight, and one that was deleted, come as announced`() async throws {
        let rows =
            #"[{"id":"a","updatedAt":"2021-01-01T00:00:00Z","version":"1","@removed":{"reason":"changed"}},"#
            + #"{"id":"b","updatedAt":"2021-01-01T00:00:00Z","version":"2","@removed":{"reason":"deleted"}}]"#
        let server = try Transcript(.v2, .json(200, rows))
        let page = try await server.pull()
        #expect(page.items.map(\.isOutOfScope) == [true, false])
        #expect(page.items.map(\.isDeleted) == [false, true])
        #expect(page.items.allSatisfy { $0.members.isEmpty })
    }
}
