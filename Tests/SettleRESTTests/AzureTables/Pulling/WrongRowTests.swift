import Foundation
import HTTPTypes
import Settle
import SettleSync
import Testing

@testable import SettleREST

/// Rows of a table that cannot be documents.
@Suite(.serialized) struct `Wrong rows` {
    private func backend(_ answers: [FullHTTPResponse]) throws -> (
        AzureTablesBackend, FakeTransport
    ) {
        let transport = FakeTransport(answers)
        let backend = try AzureTablesBackend(
            url: try #require(URL(string: "http://h/tables/t")), transport: transport,
            dialect: .v2)
        return (backend, transport)
    }

    private func pull(
        _ answers: [FullHTTPResponse], after token: PullToken? = nil, isFirstPage: Bool = true
    ) async throws -> (page: PullPage, lines: [String]) {
        let (backend, transport) = try backend(answers)
        let page = try await backend.pull(
            PullQuery(), after: token, itemCountMax: 50, isFirstPage: isFirstPage)
        return (page, transport.lines)
    }

    /// A row with these columns beside the table's own, but for `id`.
    private func row(_ columns: String, second: Int = 3) -> String {
        #"{"updatedAt":"2021-01-03T00:00:0\#(second).500Z","version":"MQ==","deleted":false,\#(columns)}"#
    }

    @Test(arguments: [
        ("1e400", "double"), ("NaN", "value"), (#""\ud800""#, "surrogate"),
        (#"{"x":1,"x":2}"#, "name"),
        (String(repeating: "[", count: 600) + String(repeating: "]", count: 600), "deeper"),
    ])
    func `are items with a fault that names the member, and the others are as they were`(
        text: String, words: String
    ) async throws {
        let rows = [row(#""id":"a","n":1"#), row(#""id":"b","n":\#(text)"#), row(#""id":"c""#)]
        for page in [
            "[\(rows.joined(separator: ","))]",
            #"{"results":[\#(rows.joined(separator: ","))],"count":3}"#,
        ] {
            let (page, _) = try await pull([.json(200, page)])
            #expect(page.items.map(\.id) == ["a", "b", "c"])
            #expect(page.items.map { $0.fault == nil } == [true, false, true])
            #expect(page.items[0].members == ["n": 1])
            #expect(page.items[1].version == "MQ==")
            let fault = try #require(page.items[1].fault)
            #expect(fault.member == "n")
            #expect(fault.reason.contains(words), "\(fault)")
            #expect(page.token?.text.contains("|c|") == true)
        }
    }

    @Test func `without an identifier are named by their place, and the pull goes on`() async throws
    {
        let page = "[\(row(#""id":7"#)),\(row(#""id":"b""#)),5,null,\(row(#""n":1"#))]"
        let (first, _) = try await pull([.json(200, page)])
        #expect(first.items.map(\.id) == ["", "b", "", "", ""])
        let places = first.items.compactMap { $0.fault?.place }
        #expect(Set(places).count == 4)
        #expect(places[0].contains("2021-01-03T00:00:03.500Z"))
        let (again, _) = try await pull([.json(200, page)])
        #expect(again.items == first.items)
        #expect(first.token?.text.contains("|b|") == true)
    }

    @Test func `without an identifier that fill a page are passed by within their unit of time`()
        async throws
    {
        let nameless = "[\(row(#""id":null"#))]"
        let (first, _) = try await pull([.json(200, nameless)])
        #expect(!first.isLast)
        let (second, lines) = try await pull(
            [.json(200, "[\(row(#""id":"a""#))]")], after: first.token, isFirstPage: false)
        #expect(second.items.map(\.id) == ["a"])
        #expect(lines[0].contains("id%20gt%20'%20'"), "\(lines)")
        #expect(lines[0].contains("$orderby=id"))
        let (third, _) = try await pull(
            [.json(200, "[]")], after: second.token, isFirstPage: false)
        let (last, next) = try await pull(
            [.json(200, "[]")], after: third.token, isFirstPage: false)
        #expect(last.isLast)
        #expect(next[0].contains("ge%20datetimeoffset'2021-01-03T00%3A00%3A03.501Z'"))
    }

    @Test func `without an identifier hide nothing that comes into their unit of time later`()
        async throws
    {
        func answer(_ text: String, at date: String) -> FullHTTPResponse {
            var answer = FullHTTPResponse.json(200, text)
            // Its times follow its commits, so that pulls need no safety window.
            answer.head.headerFields[.serverVersion] = "settle-1.0"
            answer.head.headerFields[.date] = "Sun, 03 Jan 2021 00:00:\(date) GMT"
            return answer
        }
        // One digit of three is shown of the time, so its unit is a tenth of a second.
        let nameless = #"[{"id":null,"updatedAt":"2021-01-03T00:00:03.5Z","version":"MQ=="}]"#
        for (date, start) in [("03", "03.5"), ("04", "03.6")] {
            var page = try await pull([answer(nameless, at: date)]).page
            while !page.isLast {
                page = try await pull(
                    [answer("[]", at: date)], after: page.token, isFirstPage: false
                ).page
            }
            let (_, lines) = try await pull([answer("[]", at: "09")], after: page.token)
            #expect(lines[0].contains("T00%3A00%3A\(start)"), "\(date): \(lines)")
        }
    }

    @Test func `without a time are documents, as long as another row has one`() async throws {
        let (page, _) = try await pull(
            [.json(200, #"[{"id":"a","n":1},\#(row(#""id":"b""#)),{"id":"c","updatedAt":5}]"#)])
        #expect(page.items.map(\.id) == ["a", "b", "c"])
        #expect(page.items.allSatisfy { $0.fault == nil })
        #expect(page.token?.text.contains("|b|") == true)
    }

    @Test func `in a listing do not end it`() async throws {
        let rows = [row(#""id":null"#), row(#""id":"a","n":1e999"#), row(#""id":"b""#)]
        let (backend, transport) = try backend([
            .json(200, "[\(rows[0])]"), .json(200, "[\(rows[1]),\(rows[2])]"), .json(200, "[]"),
        ])
        let first = try #require(try await backend.list(PullQuery(), after: nil, itemCountMax: 1))
        #expect(first.items.map(\.id) == [""] && !first.isLast)
        let second = try #require(
            try await backend.list(PullQuery(), after: first.token, itemCountMax: 1))
        #expect(second.items.map(\.id) == ["a", "b"])
        #expect(second.items[0].fault?.member == "n")
        let third = try #require(
            try await backend.list(PullQuery(), after: second.token, itemCountMax: 1))
        #expect(third.isLast)
        #expect(transport.lines[2].contains("id%20gt%20'b'"))
    }

    @Test func `in a first answer do not hide what the server speaks`() async throws {
        let transport = FakeTransport([
            .json(200, #"{"items":[\#(row(#""id":"a","n":1e999"#))]}"#),
            .json(200, #"{"items":[\#(row(#""id":"a","n":1e999"#))]}"#),
        ])
        let backend = try AzureTablesBackend(
            url: try #require(URL(string: "http://h/tables/t")), transport: transport)
        let page = try await backend.pull(
            PullQuery(), after: nil, itemCountMax: 5, isFirstPage: true)
        #expect(page.items.map(\.id) == ["a"])
        #expect(transport.lines[1].contains("__includedeleted"))
    }

    @Test func `in answers to operations come with their fault`() async throws {
        let update = RemoteOperation(kind: .update, id: "a", baseVersion: "MQ==", members: ["n": 1])
        let wrong = row(#""id":"a","n":1e999"#)
        for (status, text) in [(200, wrong), (412, wrong)] {
            let (backend, _) = try backend([.json(status, text)])
            let outcome = try await backend.send(update)
            switch outcome {
            case .stored(let item), .conflict(let item?):
                #expect(item.fault?.member == "n" && item.version == "MQ==")
            default: Issue.record("\(outcome)")
            }
        }
        // A deletion needs nothing of what the item held.
        let (backend, _) = try backend([.json(200, wrong)])
        let outcome = try await backend.send(
            RemoteOperation(kind: .delete, id: "a", baseVersion: "MQ=="))
        guard case .deleted(let item?) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(item.isDeleted && item.version == "MQ==")
    }

    @Test func `in the answer to a batch leave the other results as they are`() async throws {
        let operations = ["a", "b"].map {
            RemoteOperation(kind: .insert, id: $0, baseVersion: nil, members: ["n": 1])
        }
        let results =
            #"{"results":[{"status":201,"item":\#(row(#""id":"a","n":1e999"#))},"#
            + #"{"status":201,"item":\#(row(#""id":"b","n":1"#))}]}"#
        let (backend, transport) = try backend([
            FullHTTPResponse.json(200, "[]").offering(),
            FullHTTPResponse.json(200, results).offering(),
        ])
        #expect(try await backend.batchCountMax() > 1)
        let outcomes = try await backend.send(operations)
        #expect(transport.lines.count == 2)
        let faults = outcomes.map { outcome -> ItemFault?? in
            if case .success(.stored(let item)) = outcome { item.fault } else { nil }
        }
        #expect(faults[0]??.member == "n")
        #expect(faults[1] == .some(nil))
    }

    @Test func `are still whole pages that are wrong when the page itself is`() async throws {
        for text in ["[\(row(#""id":"a""#))", #"{"results":5}"#, #"[{"id":"a"}"#] {
            await #expect { try await pull([.json(200, text)]) } throws: {
                ($0 as? ReplicationError)?.code == .protocolViolation
            }
        }
    }
}
