import Foundation
import HTTPTypes
import Settle
import SettleSync
import Testing

@testable import SettleREST

/// The answers are those of Azure Mobile Apps for node 4.0.3, recorded, unless a test says
/// otherwise.
@Suite(.serialized) struct `Pull from a table` {
    private func pull(
        _ answers: [FullHTTPResponse], channels: Set<String> = [], token: PullToken? = nil,
        isFirstPage: Bool = false
    ) async throws -> (page: PullPage, lines: [String]) {
        let transport = FakeTransport(answers)
        let backend = try AzureTablesBackend(
            url: try #require(URL(string: "http://h/tables/todoitem")), transport: transport,
            dialect: .v2)
        let page = try await backend.pull(
            PullQuery(channels: channels), after: token, itemCountMax: 50,
            isFirstPage: isFirstPage)
        return (page, transport.lines)
    }

    /// Behind `r9`, from a server that does not tell its time.
    private static let token = PullToken(
        "t2|v2|after|2021-01-03T00:00:00.500Z|r9|Mg%3D%3D|s||unknown||35db960e")

    private static let rows =
        #"[{"id":"r8","createdAt":"2021-01-03T00:00:00.500Z","updatedAt":"2021-01-03T00:00:00.500Z","#
        + #""version":"MQ==","deleted":true,"text":"x","n":8},"#
        + #"{"id":"r9","createdAt":"2021-01-03T00:00:00.500Z","updatedAt":"2021-01-03T00:00:00.500Z","#
        + #""version":"Mg==","deleted":false,"text":"x","n":9,"tags":["a"],"_version":"mine"}]"#

    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "1", "-1", "2.5", "\"x\""])
    func `takes a count that cannot be one for none`(count: String) async throws {
        let (page, _) = try await pull(
            [.json(200, #"{"results":\#(Self.rows),"count":\#(count)}"#)], isFirstPage: true)
        #expect(page.items.count == 2)
        #expect(page.itemCountRemaining == nil && !page.isLast)
    }

    @Test func `begins again when nothing is left of what it knew`() async throws {
        let (first, _) = try await pull([.json(200, Self.rows)], isFirstPage: true)
        let (page, lines) = try await pull(
            [.json(200, "[]"), .json(200, "[]"), .json(200, Self.rows)], token: first.token,
            isFirstPage: true)
        #expect(page.items.map(\.id) == ["r8", "r9"])
        #expect(lines.count == 3)
        #expect(lines[1] == "GET /tables/todoitem?$filter=id%20eq%20'r9'&__includeDeleted=true")
        #expect(!lines[2].contains("$filter"))
    }

    @Test func `begins without a filter, in the order of time and identifier`() async throws {
        let (page, lines) = try await pull(
            [.json(200, Self.rows, tag: #"W/"2-abc""#)], isFirstPage: true)
        #expect(
            lines == [
                "GET /tables/todoitem?$orderby=updatedAt,id&$top=50&$inlinecount=allpages"
                    + "&__includeDeleted=true"
            ])
        #expect(page.items.map(\.id) == ["r8", "r9"])
        #expect(page.items.map(\.isDeleted) == [true, false])
        #expect(page.items.map(\.version) == ["MQ==", "Mg=="])
        #expect(
            page.items[1].members
                == ["text": "x", "n": 9, "tags": ["a"], "version": "mine"])
        #expect(page.items[1].updated == Date(timeIntervalSince1970: 1_609_632_000.5))
        #expect(!page.isLast)
        #expect(page.token == Self.token)
    }

    @Test func `goes on after the last item within a pull, and ends with an empty page`()
        async throws
    {
        let token = Self.token
        let (page, lines) = try await pull([.json(200, "[]")], token: token)
        #expect(
            lines == [
                "GET /tables/todoitem?$filter=updatedAt%20gt%20datetimeoffset'2021-01-03T00%3A00"
                    + "%3A00.500Z'%20or%20updatedAt%20eq%20datetimeoffset'2021-01-03T00%3A00%3A00"
                    + ".500Z'%20and%20id%20gt%20'r9'&$orderby=updatedAt,id&$top=50"
                    + "&__includeDeleted=true"
            ])
        #expect(page.items.isEmpty)
        #expect(page.isLast)
        #expect(page.token == token)
    }

    // A row that was written twice in one millisecond, and read in between, was passed by.
    @Test func `begins the next pull with the last time once more`() async throws {
        let token = Self.token
        let (page, lines) = try await pull(
            [.json(200, #"{"results":\#(Self.rows),"count":2}"#)], token: token,
            isFirstPage: true)
        let filter = "$filter=updatedAt ge datetimeoffset'2021-01-03T00:00:00.500Z'&$orderby"
        #expect(lines[0].removingPercentEncoding?.contains(filter) == true)
        // The item that was the last then, unchanged, is no news; the one beside it may be.
        #expect(page.items.map(\.id) == ["r8"])
        #expect(page.itemCountRemaining == 1)
        #expect(page.isLast, "The count says that nothing follows.")
        #expect(page.token == token)
    }

    @Test func `costs one request when the last item is all there is`() async throws {
        let token = Self.token
        let last = Self.rows.replacingOccurrences(
            of: #"^.*?\},"#, with: "[", options: .regularExpression)
        let (page, _) = try await pull(
            [.json(200, #"{"results":\#(last),"count":1}"#)], token: token, isFirstPage: true)
        #expect(page.items.isEmpty)
        #expect(page.isLast)
        #expect(page.token == token)
    }

    // Passed by for its version, it stayed without what the first answer had left out.
    @Test func `reads the last item once more when it shows more in the same version`() async throws
    {
        let (first, _) = try await pull([.json(200, Self.rows)], isFirstPage: true)
        let more = Self.rows.replacingOccurrences(of: #""n":9"#, with: #""n":9,"y":"others'""#)
        let (page, _) = try await pull(
            [.json(200, #"{"results":\#(more),"count":2}"#)], token: first.token, isFirstPage: true)
        #expect(page.items.map(\.id) == ["r8", "r9"])
        #expect(page.items.last?.members["y"] == "others'")
        let (again, _) = try await pull(
            [.json(200, #"{"results":\#(more),"count":2}"#)], token: page.token, isFirstPage: true)
        #expect(again.items.map(\.id) == ["r8"])
        #expect(again.token == page.token)
    }

    @Test func `reads the last item of an earlier release's token once more, and then no more`()
        async throws
    {
        let old = PullToken("t1|v2|after|2021-01-03T00:00:00.500Z|r9|Mg%3D%3D|s||unknown|")
        let (page, _) = try await pull([.json(200, Self.rows)], token: old, isFirstPage: true)
        #expect(page.items.map(\.id) == ["r8", "r9"])
        #expect(page.token == Self.token)
    }

    @Test func `asks for smaller pages when they are too large`() async throws {
        let tooLarge = ReplicationError(.responseTooLarge, "Too large.")
        let transport = FakeTransport(
            results: [.failure(tooLarge), .failure(tooLarge), .success(.json(200, Self.rows))])
        let backend = try AzureTablesBackend(
            url: try #require(URL(string: "http://h/tables/t")), transport: transport)
        let page = try await backend.pull(
            PullQuery(), after: nil, itemCountMax: 50, isFirstPage: true)
        #expect(page.items.count == 2)
        let sizes = transport.lines.compactMap { $0.firstMatch(of: /top=([0-9]+)/)?.1 }
        #expect(sizes == ["50", "12", "3"])
    }

    @Test func `puts channels before the rest of the filter`() async throws {
        let (_, lines) = try await pull(
            [.json(200, "[]")], channels: ["b", "it's"],
            token: PullToken("t2|v2|after|2021-01-03T00:00:00.5Z|r||s||unknown||"))
        let filter =
            "channels/any(c: c eq 'b' or c eq 'it''s') and (updatedAt gt "
            + "datetimeoffset'2021-01-03T00:00:00.5Z' or updatedAt eq "
            + "datetimeoffset'2021-01-03T00:00:00.5Z' and id gt 'r')"
        #expect(lines[0].removingPercentEncoding?.contains("$filter=\(filter)&") == true)
    }

    @Test func `learns how many items there are when the server says so`() async throws {
        let (page, _) = try await pull(
            [.json(200, #"{"results":\#(Self.rows),"count":2501}"#)], isFirstPage: true)
        #expect(page.itemCountRemaining == 2501)
        #expect(page.items.count == 2)
    }

    @Test(arguments: [
        (
            FullHTTPResponse.other(200, "<html>Log in</html>", type: "text/html"),
            ReplicationError.Code.protocolViolation, "login page"
        ),
        (.json(200, #"[{"id":"a","upda"#), .protocolViolation, "not to its end"),
        (.json(200, "{}"), .protocolViolation, "no list"),
        (.json(200, #"[{"id":"a"}]"#), .protocolViolation, "updatedAt"),
        (.json(200, #"[{"id":"a","updatedAt":"' or 1 eq 1"}]"#), .protocolViolation, "updatedAt"),
        (
            .json(
                400,
                #"{"error":"An invalid API version was specified in the request"}"#),
            .misconfigured, "An invalid API version"
        ),
        (
            .other(404, "Cannot GET /tables/nope", type: "text/html"), .misconfigured,
            "no such table"
        ),
        (.json(500, #"{"error":"Expression expected (at index 8)"}"#), .serverFailed, "index 8"),
        (.json(403, "{}"), .unauthorized, "403"),
        (.other(302), .misconfigured, "elsewhere"),
        (.other(502, "Bad gateway", type: "text/plain"), .unreachable, "Bad gateway"),
        (.other(429, retryAfter: "7"), .busy, "busy"),
    ])
    func `fails with a sentence and takes nothing`(
        answer: FullHTTPResponse, code: ReplicationError.Code, words: String
    ) async throws {
        do {
            _ = try await pull([answer])
            Issue.record("The answer was taken.")
        } catch let error as ReplicationError {
            #expect(error.code == code)
            #expect(error.message.contains(words), "\(error.message)")
        }
    }

    @Test(arguments: [
        ("7", Duration.seconds(7)), ("-3", .zero), ("1e99", .seconds(86_400)),
        ("Sat, 01 Jan 2000 00:00:00 GMT", .zero),
    ])
    func `leaves a busy server alone for as long as it asks`(
        field: String, expected: Duration
    ) async throws {
        do {
            _ = try await pull([.other(503, retryAfter: field)])
            Issue.record("The answer was taken.")
        } catch let error as ReplicationError {
            #expect(error.code == .busy)
            #expect(error.retryAfter == expected)
        }
    }
}
