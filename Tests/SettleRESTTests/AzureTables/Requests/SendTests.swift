import Foundation
import HTTPTypes
import Settle
import SettleSync
import Testing

@testable import SettleREST
import SettleTableProtocol

/// The answers are those of Azure Mobile Apps for node 4.0.3, recorded, unless a test says
/// otherwise.
@Suite(.serialized) struct `Send to a table` {
    private func send(
        _ operation: RemoteOperation, _ answers: [FullHTTPResponse]
    ) async throws -> (outcome: RemoteOutcome, lines: [String]) {
        let transport = FakeTransport(answers)
        let backend = try AzureTablesBackend(
            url: try #require(URL(string: "http://h/tables/t")), transport: transport,
            dialect: .v2)
        return (try await backend.send(operation), transport.lines)
    }

    private static let server =
        #"{"id":"a","createdAt":"2021-01-01T00:00:00.000Z","updatedAt":"2021-01-02T00:00:00.000Z","#
        + #""version":"Mg==","deleted":false,"text":"two"}"#

    private static let dead =
        #"{"id":"a","createdAt":"2021-01-01T00:00:00.000Z","updatedAt":"2021-01-02T00:00:00.000Z","#
        + #""version":"Ng==","deleted":true,"text":"two"}"#

    private static func item(_ text: String) throws -> RemoteItem {
        try #require(
            RemoteItem(
                try WireJSON(Array(text.utf8), sizeMax: 1_000).row, .plain, storesJSON: false))
    }

    private let insert = RemoteOperation(
        kind: .insert, id: "a", baseVersion: nil, members: ["text": "one", "version": 3])
    private let update = RemoteOperation(
        kind: .update, id: "a", baseVersion: "MQ==", members: ["text": "two"],
        changedNames: ["text", "gone", "deleted"])
    private let delete = RemoteOperation(kind: .delete, id: "a", baseVersion: "Mg==")
    private let undelete = RemoteOperation(kind: .undelete, id: "a", baseVersion: "Ng==")

    @Test func `inserts by POST, members of the table's own names behind an underscore`()
        async throws
    {
        let answer =
            #"{"id":"a","createdAt":"2021-01-01T00:00:00.000Z","updatedAt":"#
            + #""2021-01-01T00:00:00.000Z","version":"MQ==","deleted":false,"text":"one","_version":3}"#
        let (outcome, lines) = try await send(insert, [.json(201, answer, tag: #""MQ==""#)])
        #expect(lines == [#"POST /tables/t {"_version":3,"id":"a","text":"one"}"#])
        #expect(outcome == .stored(try Self.item(answer)))
        guard case .stored(let item) = outcome else { return }
        #expect(item.members == insert.members)
        #expect(item.version == "MQ==")
    }

    @Test func `updates by PATCH with the base version, removed members as null`() async throws {
        let (outcome, lines) = try await send(
            update, [.json(200, Self.server, tag: #""Mg==""#)])
        #expect(
            lines == [
                #"PATCH /tables/t/a If-Match: "MQ==" {"_deleted":null,"gone":null,"text":"two"}"#
            ])
        #expect(outcome == .stored(try Self.item(Self.server)))
    }

    @Test func `deletes by DELETE, whatever of the item comes back`() async throws {
        let (whole, lines) = try await send(delete, [.json(200, Self.dead, tag: #""Ng==""#)])
        #expect(lines == [#"DELETE /tables/t/a If-Match: "Mg==""#])
        #expect(whole == .deleted(try Self.item(Self.dead)))
        let (tag, _) = try await send(delete, [.other(204, tag: #""Ng==""#)])
        #expect(
            tag == .deleted(RemoteItem(id: "a", version: "Ng==", isDeleted: true, members: [:])))
        let (nothing, _) = try await send(delete, [.other(204)])
        #expect(nothing == .deleted(nil))
    }

    @Test(arguments: [404, 410])
    func `takes an item that is gone for deleted`(status: Int) async throws {
        let answer = FullHTTPResponse.json(status, #"{"error":"The item does not exist"}"#)
        let (outcome, lines) = try await send(delete, [answer])
        #expect(outcome == .deleted(nil))
        #expect(lines.count == 1)
    }

    @Test func `undeletes by POST to the item without a body`() async throws {
        let (outcome, lines) = try await send(
            undelete, [.json(201, Self.server, tag: #""Nw==""#)])
        #expect(lines == [#"POST /tables/t/a If-Match: "Ng==""#])
        guard case .stored(let item) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(item.version == "Nw==")
    }

    @Test func `takes the server's item out of a 412`() async throws {
        let (outcome, lines) = try await send(
            update, [.json(412, Self.server, tag: #""Mg==""#)])
        #expect(outcome == .conflict(try Self.item(Self.server)))
        #expect(lines.count == 1)
    }

    @Test func `asks for the server's item when a 409 holds what was sent`() async throws {
        let (outcome, lines) = try await send(
            insert,
            [
                .json(409, #"{"id":"a","text":"one"}"#, tag: #"W/"1f-abc""#),
                .json(200, "[\(Self.server)]", tag: #"W/"2f-abc""#),
            ])
        #expect(outcome == .conflict(try Self.item(Self.server)))
        #expect(lines[1] == "GET /tables/t?$filter=id%20eq%20'a'&__includeDeleted=true")
    }

    @Test func `finds the deleted item behind the 404 of an update`() async throws {
        let missing = FullHTTPResponse.json(404, #"{"error":"The item does not exist"}"#)
        let (outcome, _) = try await send(update, [missing, .json(200, "[\(Self.dead)]")])
        #expect(outcome == .conflict(try Self.item(Self.dead)))
        let (none, _) = try await send(update, [missing, .json(200, "[]")])
        #expect(none == .conflict(nil))
    }

    @Test(arguments: [
        (400, #"{"error":"request entity too large"}"#, "request entity too large"),
        (403, #"{"message":"not yours"}"#, "not yours"), (413, "", "413"),
        (422, #""a sentence""#, "a sentence"),
        (405, "Method insert is not allowed", "Method insert is not allowed"),
    ])
    func `sets aside what the server refuses, with its words`(
        status: Int, body: String, words: String
    ) async throws {
        let isJSON = body.hasPrefix("{") || body.hasPrefix("\"")
        let answer = FullHTTPResponse.other(
            status, body, type: isJSON ? "application/json" : "text/plain")
        let (outcome, _) = try await send(insert, [answer])
        guard case .rejected(let rejection) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(rejection.reason.contains(words) && rejection.reason.contains("\(status)"))
        #expect(rejection.statusCode == status)
        #expect(rejection.body ?? Data() == Data(body.utf8))
    }

    @Test(arguments: [
        (FullHTTPResponse.json(500, #"{"error":"x"}"#), ReplicationError.Code.serverFailed),
        (.other(503, retryAfter: "3"), .busy), (.other(429), .busy), (.other(504), .unreachable),
        (.other(307), .misconfigured),
        (.other(201, "<p>Hello</p>", type: "text/html"), .protocolViolation),
        (.json(201, #"{"id":"a","text""#), .protocolViolation),
        (.json(201, #"{"id":"b"}"#), .protocolViolation),
        (.json(404, "{}"), .misconfigured),
    ])
    func `does not know the outcome of other answers`(
        answer: FullHTTPResponse, code: ReplicationError.Code
    ) async throws {
        do {
            let (outcome, _) = try await send(insert, [answer])
            Issue.record("\(outcome)")
        } catch let error as ReplicationError {
            #expect(error.code == code, "\(error)")
        }
    }

    // Swift writes UUIDs in capitals, and databases compare them without minding that.
    @Test(arguments: ["A", "\u{E9}", "a "])
    func `says which identifier the server takes for the same`(id: String) async throws {
        let other = ["A": "a", "\u{E9}": "e\u{301}", "a ": "a"][id] ?? ""
        var operation = insert
        operation.id = id
        let row = Self.server.replacing(#""id":"a""#, with: #""id":"\#(other)""#)
        let ways: [[FullHTTPResponse]] = [
            [.json(409, #"{"message":"It is there."}"#), .json(200, "[\(row)]")],
            [.json(409, row)], [.json(201, row)], [.other(204), .json(200, "[\(row)]")],
        ]
        for answers in ways {
            let (outcome, lines) = try await send(operation, answers)
            guard case .rejected(let rejection) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            let reason = rejection.reason
            #expect(reason.contains("'\(id)'") && reason.contains("'\(other)'"))
            #expect(lines.count == answers.count)
        }
    }

    @Test func `takes no other row for the one that it looks up`() async throws {
        let missing = FullHTTPResponse.json(409, #"{"message":"It is there."}"#)
        let row = Self.server.replacing(#""id":"a""#, with: #""id":"b""#)
        let (outcome, _) = try await send(insert, [missing, .json(200, "[\(row)]")])
        #expect(outcome == .conflict(nil))
    }

    @Test(arguments: [
        FullHTTPResponse.other(204), .json(200, "{}"), .json(201, "null"),
        .json(200, #"{"version":"Mg=="}"#),
    ])
    func `looks an item up that an answer says nothing of`(answer: FullHTTPResponse) async throws {
        let (outcome, lines) = try await send(insert, [answer, .json(200, "[\(Self.server)]")])
        #expect(lines.count == 2)
        #expect(outcome == .stored(try Self.item(Self.server)))
    }

    @Test func `looks items up with what may be a column, unless the server stores JSON`()
        async throws
    {
        let row = FullHTTPResponse.json(200, "[\(Self.server)]")
        for (answer, isColumn) in [(row, true), (row.offering(), false)] {
            let transport = FakeTransport([answer])
            let backend = try AzureTablesBackend(
                url: try #require(URL(string: "http://h/tables/t")), transport: transport,
                dialect: .v2)
            guard case .found(let item) = try await backend.lookUp("a") else {
                Issue.record("Nothing was found.")
                continue
            }
            #expect(
                transport.lines == [
                    "GET /tables/t?$filter=id%20eq%20'a'&__includeDeleted=true"
                ])
            #expect(item.nullMayMeanAbsent == isColumn)
        }
    }

    @Test(arguments: [".", ".."])
    func `never sends an identifier that an address would swallow`(id: String) async throws {
        let (outcome, lines) = try await send(
            RemoteOperation(kind: .delete, id: id, baseVersion: nil), [])
        guard case .rejected = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(lines.isEmpty)
    }

    @Test func `writes quotes in versions as the clients of the protocol do`() {
        #expect(EntityTag(version: #"a"b"#).text == #""a\"b""#)
        #expect(EntityTag.version(shownBy: #""a\"b""#) == #"a"b"#)
        #expect(EntityTag.version(shownBy: #"W/"a""#) == nil)
        #expect(EntityTag.version(shownBy: "a") == nil)
        #expect(EntityTag.version(shownBy: nil) == nil)
    }
}
