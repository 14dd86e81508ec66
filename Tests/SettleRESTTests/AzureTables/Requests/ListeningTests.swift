import Foundation
import HTTPTypes
import Settle
import SettleSync
import Testing

@testable import SettleREST

@Suite(.serialized) struct `Listening to a table` {
    private static let rows =
        #"[{"id":"r9","updatedAt":"2021-01-03T00:00:00.500123Z","version":"2","#
        + #""deleted":false,"text":"x"}]"#

    private func backend(
        _ answers: [FullHTTPResponse], filter: ODataPredicate? = nil
    ) throws -> (backend: AzureTablesBackend, transport: FakeTransport) {
        let transport = FakeTransport(answers)
        let backend = try AzureTablesBackend(
            url: try #require(URL(string: "http://h/tables/t")), transport: transport,
            filter: filter, dialect: .v2)
        return (backend, transport)
    }

    private func changes(_ items: String, _ token: String) -> FullHTTPResponse {
        FullHTTPResponse.json(200, #"{"items":\#(items),"token":"\#(token)"}"#).offering()
    }

    private func lines(_ transport: FakeTransport) -> [String] {
        transport.lines.map { $0.removingPercentEncoding ?? $0 }
    }

    private func pull(_ backend: AzureTablesBackend) async throws -> PullToken? {
        try await backend.pull(PullQuery(), after: nil, itemCountMax: 9, isFirstPage: true).token
    }

    @Test func `is not offered by a server that does not announce it`() async throws {
        let (backend, transport) = try backend([
            FullHTTPResponse.json(200, Self.rows).offering("batch")
        ])
        let before = try await backend.awaitChange(PullQuery(), after: nil, since: nil)
        #expect(before == nil)
        let token = try await pull(backend)
        let after = try await backend.awaitChange(PullQuery(), after: token, since: nil)
        #expect(after == nil)
        #expect(transport.lines.count == 1)
    }

    @Test func `begins behind the last row, and goes on where it heard the last`() async throws {
        let (backend, transport) = try backend([
            FullHTTPResponse.json(200, Self.rows).offering(), changes("[]", "17"),
            changes("[{}]", "18"),
            changes("[]", "19"),
        ])
        let token = try await pull(backend)
        let first = try await backend.awaitChange(PullQuery(), after: token, since: nil)
        #expect(first?.isChanged == false)
        let second = try await backend.awaitChange(
            PullQuery(), after: token, since: first?.cursor)
        #expect(second?.isChanged == true)
        // No pull showed it; it is not reported again.
        _ = try await backend.awaitChange(PullQuery(), after: token, since: second?.cursor)
        let path = "GET /tables/t/changes?since="
        #expect(
            lines(transport).dropFirst() == [
                path + "2021-01-03T00:00:00.500123Z&wait=25&$top=1", path + "17&wait=25&$top=1",
                path + "18&wait=25&$top=1",
            ])
        let prefer = try #require(HTTPField.Name("Prefer"))
        #expect(
            transport.asked.allSatisfy { $0.request.headerFields[prefer] == "settle.removed" })
    }

    @Test func `begins behind the last row again when a pull went on`() async throws {
        let later = Self.rows.replacingOccurrences(of: "500123", with: "600123")
        let (backend, transport) = try backend([
            FullHTTPResponse.json(200, Self.rows).offering(), changes("[{}]", "17"),
            FullHTTPResponse.json(200, later).offering(), changes("[]", "18"),
        ])
        let token = try await pull(backend)
        let first = try await backend.awaitChange(PullQuery(), after: token, since: nil)
        let next = try await backend.pull(
            PullQuery(), after: token, itemCountMax: 9, isFirstPage: true)
        _ = try await backend.awaitChange(PullQuery(), after: next.token, since: first?.cursor)
        #expect(
            lines(transport).last
                == "GET /tables/t/changes?since=2021-01-03T00:00:00.600123Z&wait=25&$top=1")
    }

    @Test func `asks for what the pull asks for, and from the beginning where nothing was pulled`()
        async throws
    {
        let (backend, transport) = try backend(
            [FullHTTPResponse.json(200, "[]").offering(), changes("[]", "0")],
            filter: .field("done") == false)
        _ = try await pull(backend)
        _ = try await backend.awaitChange(
            PullQuery(channels: ["b", "a"]), after: nil, since: nil)
        #expect(
            lines(transport).last == "GET /tables/t/changes?since=0&wait=25&$top=1"
                + "&$filter=done eq false and channels/any(c: c eq 'a' or c eq 'b')")
    }

    @Test(arguments: [400, 404, 405, 501])
    func `is given up for good where the server does not know it after all`(
        status: Int
    ) async throws {
        let (backend, transport) = try backend([
            FullHTTPResponse.json(200, "[]").offering(),
            FullHTTPResponse.json(status, #"{"error":"What?"}"#).offering(),
        ])
        _ = try await pull(backend)
        for _ in 0..<3 {
            let answer = try await backend.awaitChange(PullQuery(), after: nil, since: nil)
            #expect(answer == nil)
        }
        #expect(transport.lines.count == 2)
    }

    @Test(arguments: [FullHTTPResponse.other(502), .json(200, "[]"), .json(200, #"{"items":[]}"#)])
    func `fails, and may be tried again, when the answer is none`(answer: FullHTTPResponse)
        async throws
    {
        let (backend, _) = try backend([
            FullHTTPResponse.json(200, "[]").offering(), answer.offering(), changes("[]", "5"),
        ])
        _ = try await pull(backend)
        await #expect(throws: ReplicationError.self) {
            try await backend.awaitChange(PullQuery(), after: nil, since: nil)
        }
        let again = try await backend.awaitChange(PullQuery(), after: nil, since: nil)
        #expect(again?.isChanged == false)
    }

    @Test(
        arguments: [
            (429, nil, nil), (503, nil, nil), (429, "7", .seconds(7)), (503, "7", .seconds(7)),
        ] as [(Int, String?, Duration?)])
    func `leaves the server alone only for as long as it asks when it has no free place`(
        status: Int, field: String?, pause: Duration?
    ) async throws {
        let (backend, _) = try backend([
            FullHTTPResponse.json(200, "[]").offering(),
            FullHTTPResponse.other(status, retryAfter: field).offering(), changes("[]", "5"),
        ])
        _ = try await pull(backend)
        let error = await #expect(throws: ReplicationError.self) {
            try await backend.awaitChange(PullQuery(), after: nil, since: nil)
        }
        #expect(error?.code == .busy)
        #expect(error?.retryAfter == pause)
        let again = try await backend.awaitChange(PullQuery(), after: nil, since: nil)
        #expect(again?.isChanged == false)
    }

    @Test(arguments: [(nil, 25), (60, 25), (20.0, 10), (1, 0)])
    func `waits no longer than half of what the transport does`(
        timeout: Double?, seconds: Int
    ) async throws {
        let transport = FakeTransport([
            FullHTTPResponse.json(200, "[]").offering(), changes("[]", "5"),
        ])
        var options: [String: any Sendable] = [
            "transport": transport as any HTTPTransport, "dialect": AzureTablesBackend.Dialect.v2,
        ]
        options["timeoutSeconds"] = timeout
        let backend = try AzureTablesBackend(
            ReplicationConfiguration(
                url: try #require(URL(string: "http://h/tables/t")), options: options))
        _ = try await pull(backend)
        _ = try await backend.awaitChange(PullQuery(), after: nil, since: nil)
        #expect(transport.lines.last?.contains("&wait=\(seconds)&") == true)
    }

    @Test func `needs no safety window, since times follow commits, whatever the clock does`()
        async throws
    {
        func page(_ rows: String, date: String) -> FullHTTPResponse {
            var answer = FullHTTPResponse.json(200, rows).offering()
            answer.head.headerFields[.date] = date
            return answer
        }
        // The server's clock lags behind the row that it gave a time.
        let (backend, transport) = try backend([
            page(Self.rows, date: "Sat, 02 Jan 2021 00:00:00 GMT"),
            page(Self.rows, date: "Fri, 01 Jan 2021 00:00:00 GMT"),
        ])
        let first = try await backend.pull(
            PullQuery(), after: nil, itemCountMax: 9, isFirstPage: true)
        #expect(first.token?.text.contains("|all|") == true)
        let second = try await backend.pull(
            PullQuery(), after: first.token, itemCountMax: 9, isFirstPage: true)
        #expect(second.items.isEmpty)
        #expect(second.token == first.token)
        #expect(transport.lines.count == 2)
    }

    @Test func `keeps a safety window that was given`() async throws {
        var answer = FullHTTPResponse.json(200, Self.rows).offering()
        answer.head.headerFields[.date] = "Sun, 03 Jan 2021 00:00:01 GMT"
        let backend = try AzureTablesBackend(
            url: try #require(URL(string: "http://h/tables/t")),
            transport: FakeTransport([answer]), dialect: .v2, safetyWindow: .seconds(30))
        let page = try await backend.pull(
            PullQuery(), after: nil, itemCountMax: 9, isFirstPage: true)
        #expect(page.token?.text.contains("|2021-01-02T23:59:3") == true)
    }
}
