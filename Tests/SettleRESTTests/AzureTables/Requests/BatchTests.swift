import Foundation
import HTTPTypes
import Settle
import SettleSync
import Testing

@testable import SettleREST

@Suite(.serialized) struct `Batches for a table` {
    private static let list = FullHTTPResponse.json(200, "[]").offering()

    private func backend(
        _ answers: [FullHTTPResponse], dialect: AzureTablesBackend.Dialect? = .v2
    ) throws -> (backend: AzureTablesBackend, transport: FakeTransport) {
        let transport = FakeTransport(answers)
        let backend = try AzureTablesBackend(
            url: try #require(URL(string: "http://h/tables/t")), transport: transport,
            dialect: dialect)
        return (backend, transport)
    }

    private func insert(_ id: String, _ text: String = "x") -> RemoteOperation {
        RemoteOperation(kind: .insert, id: id, baseVersion: nil, members: ["text": .string(text)])
    }

    private static func item(_ id: String, version: String = "1") -> String {
        #"{"id":"\#(id)","updatedAt":"2021-01-01T00:00:00.000001Z","version":"\#(version)","#
            + #""deleted":false,"text":"x"}"#
    }

    private func results(_ results: String...) -> FullHTTPResponse {
        FullHTTPResponse.json(200, #"{"results":[\#(results.joined(separator: ","))]}"#).offering()
    }

    @Test func `are offered where an answer announces them, and no more when one does not`()
        async throws
    {
        let (backend, transport) = try backend([
            Self.list, .json(201, Self.item("a")), .json(200, "[]"),
        ])
        #expect(try await backend.batchCountMax() == 64)
        #expect(transport.lines == ["GET /tables/t?$top=1&$select=id"])
        _ = try await backend.send(insert("a"))
        #expect(try await backend.batchCountMax() == 1)
        #expect(transport.lines.count == 2)
    }

    @Test func `are not taken away by a failure that may be somebody else's`() async throws {
        let (backend, _) = try backend([Self.list, .other(502)])
        #expect(try await backend.batchCountMax() == 64)
        await #expect(throws: ReplicationError.self) { try await backend.send(insert("a")) }
        #expect(try await backend.batchCountMax() == 64)
    }

    @Test func `are not looked for where the first answer has told`() async throws {
        let (backend, transport) = try backend([.json(200, "[]")], dialect: nil)
        #expect(try await backend.batchCountMax() == 1)
        #expect(try await backend.batchCountMax() == 1)
        #expect(transport.lines.count == 1)
    }

    @Test func `carry every kind of operation, each with an outcome of its own`() async throws {
        let (backend, transport) = try backend([
            Self.list,
            results(
                #"{"status":201,"item":\#(Self.item("a"))}"#,
                #"{"status":200,"item":\#(Self.item("b", version: "2"))}"#,
                #"{"status":204,"version":"3"}"#,
                #"{"status":200,"item":\#(Self.item("d", version: "4"))}"#,
                #"{"status":412,"error":"No.","item":\#(Self.item("e", version: "9"))}"#,
                #"{"status":413,"error":"Too large."}"#, #"{"status":503,"error":"Later."}"#,
                #"{"status":404,"error":"Gone."}"#),
            FullHTTPResponse.json(413, #"{"error":"Too large."}"#).offering(),
        ])
        _ = try await backend.batchCountMax()
        let operations = [
            insert("a"),
            RemoteOperation(
                kind: .update, id: "b", baseVersion: "1", members: ["text": "x"],
                changedNames: ["gone"]),
            RemoteOperation(kind: .delete, id: "c", baseVersion: "2"),
            RemoteOperation(kind: .undelete, id: "d", baseVersion: "3"),
            RemoteOperation(kind: .update, id: "e", baseVersion: "1", members: ["text": "x"]),
            insert("f"), insert("g"),
            RemoteOperation(kind: .delete, id: "h", baseVersion: nil),
        ]
        let outcomes = try await backend.send(operations)
        #expect(transport.lines.count == 3)
        #expect(transport.lines.last == #"POST /tables/t {"id":"f","text":"x"}"#)
        #expect(
            transport.lines[1] == "POST /tables/t/operations/batch "
                + #"{"operations":[{"id":"a","item":{"id":"a","text":"x"},"op":"insert"},"#
                + #"{"id":"b","item":{"gone":null,"text":"x"},"op":"update","version":"1"},"#
                + #"{"id":"c","op":"delete","version":"2"},"#
                + #"{"id":"d","op":"undelete","version":"3"},"#
                + #"{"id":"e","item":{"text":"x"},"op":"update","version":"1"},"#
                + #"{"id":"f","item":{"id":"f","text":"x"},"op":"insert"},"#
                + #"{"id":"g","item":{"id":"g","text":"x"},"op":"insert"},"#
                + #"{"id":"h","op":"delete"}]}"#)
        try outcomes[0].get().expect("stored", version: "1")
        try outcomes[1].get().expect("stored", version: "2")
        try outcomes[2].get().expect("deleted", version: "3", isDeleted: true)
        try outcomes[3].get().expect("stored", version: "4")
        try outcomes[4].get().expect("conflict", version: "9")
        try outcomes[5].get().expect("rejected The server answered 413: Too large.")
        let busy = #expect(throws: ReplicationError.self) { try outcomes[6].get() }
        #expect(busy?.code == .busy)
        #expect(try outcomes[7].get() == .deleted(nil))
    }

    @Test func `replace whole items where the server speaks of the newest generation`()
        async throws
    {
        let (backend, transport) = try backend(
            [
                FullHTTPResponse.json(200, #"{"items":[]}"#).offering(),
                results(
                    #"{"status":200,"item":\#(Self.item("a"))}"#,
                    #"{"status":200,"item":\#(Self.item("b"))}"#),
            ], dialect: .v3)
        _ = try await backend.batchCountMax()
        _ = try await backend.send([
            RemoteOperation(
                kind: .update, id: "a", baseVersion: "1", members: ["text": "x"],
                changedNames: ["text"]),
            RemoteOperation(kind: .undelete, id: "b", baseVersion: "1"),
        ])
        #expect(
            transport.lines[1].hasSuffix(
                #"{"operations":[{"id":"a","item":{"id":"a","text":"x"},"op":"replace","#
                    + #""version":"1"},{"id":"b","op":"undelete","version":"1"}]}"#))
    }

    @Test func `leave out what is no request by itself`() async throws {
        let (backend, transport) = try backend([
            Self.list,
            .json(200, "[\(Self.item("b"))]").offering(),
            results(
                #"{"status":201,"item":\#(Self.item("a"))}"#,
                #"{"status":201,"item":\#(Self.item("d"))}"#),
        ])
        _ = try await backend.batchCountMax()
        var nothing = RemoteOperation(
            kind: .update, id: "b", baseVersion: "1", members: ["text": "x"], changedNames: [])
        nothing.sendsOnlyChanges = true
        let outcomes = try await backend.send([insert("a"), nothing, insert(".."), insert("d")])
        try outcomes[0].get().expect("stored", version: "1")
        try outcomes[1].get().expect("stored", version: "1")
        try outcomes[2].get().expect(
            "rejected The identifier '..' means a directory in an address.")
        try outcomes[3].get().expect("stored", version: "1")
        #expect(transport.lines.count == 3)
        #expect(!transport.lines[2].contains("\"..\""))
    }

    @Test func `are as large as one request may be, and what is larger goes alone`()
        async throws
    {
        let text = String(repeating: "x", count: 100_000)
        let huge = String(repeating: "x", count: 300_000)
        let (backend, transport) = try backend([
            Self.list, FullHTTPResponse.json(201, Self.item("e")).offering(),
            results(
                #"{"status":201,"item":\#(Self.item("a"))}"#,
                #"{"status":201,"item":\#(Self.item("b"))}"#),
            FullHTTPResponse.json(201, Self.item("c")).offering(),
        ])
        _ = try await backend.batchCountMax()
        let outcomes = try await backend.send([
            insert("a", text), insert("b", text), insert("e", huge), insert("c", text),
        ])
        for outcome in outcomes { try outcome.get().expect("stored", version: "1") }
        let sizes = transport.asked.dropFirst().map { $0.body?.utf8.count ?? 0 }
        #expect(sizes.count == 3)
        #expect(sizes[1] > 200_000 && sizes[1] < 256 << 10)
    }

    @Test(arguments: [
        FullHTTPResponse.json(404, #"{"error":"What?"}"#), .other(405), .other(501),
        .json(400, #"{"error":"What?"}"#), .other(403, "<html>", type: "text/html"),
        .json(200, #"{"results":[{"status":201}]}"#), .json(200, #"{"results":[{},{}]}"#),
        .json(200, "[]"),
    ])
    func `are given up for good when one is not understood`(answer: FullHTTPResponse) async throws {
        let (backend, _) = try backend([
            Self.list, answer.offering(), FullHTTPResponse.json(201, Self.item("a")).offering(),
        ])
        #expect(try await backend.batchCountMax() == 64)
        for result in try await backend.send([insert("a"), insert("b")]) {
            let error = #expect(throws: ReplicationError.self) { try result.get() }
            #expect(error?.code == .protocolViolation)
        }
        _ = try await backend.send(insert("a"))
        #expect(try await backend.batchCountMax() == 1)
    }

    @Test(arguments: [(500, ReplicationError.Code.serverFailed), (503, .busy), (504, .unreachable)])
    func `fail as a whole when the server fails, and are sent again another time`(
        status: Int, code: ReplicationError.Code
    ) async throws {
        let (backend, transport) = try backend([
            Self.list, FullHTTPResponse.json(status, #"{"error":"It broke."}"#).offering(),
        ])
        _ = try await backend.batchCountMax()
        for result in try await backend.send([insert("a"), insert("b")]) {
            let error = #expect(throws: ReplicationError.self) { try result.get() }
            #expect(error?.code == code)
        }
        #expect(transport.lines.count == 2)
        #expect(try await backend.batchCountMax() == 64)
    }

    @Test func `ask after no more items when the server limits the rate`() async throws {
        let (backend, transport) = try backend([
            Self.list,
            results(
                #"{"status":409}"#, #"{"status":409}"#,
                #"{"status":201,"item":\#(Self.item("c"))}"#),
            FullHTTPResponse.other(503, retryAfter: "7").offering(),
        ])
        _ = try await backend.batchCountMax()
        let results = try await backend.send(["a", "b", "c"].map { insert($0) })
        #expect(transport.lines.count == 3)
        for result in results.prefix(2) {
            let error = #expect(throws: ReplicationError.self) { try result.get() }
            #expect(error?.code == .busy)
        }
        try results[2].get().expect("stored", version: "1")
    }

    @Test func `are followed by no other when the server cannot be reached`() async throws {
        let text = String(repeating: "x", count: 100_000)
        let (backend, transport) = try backend([Self.list, .other(502)])
        _ = try await backend.batchCountMax()
        let results = try await backend.send(
            ["a", "b", "c", "d", "e", "f"].map { insert($0, text) })
        #expect(transport.lines.count == 2)
        for result in results {
            let error = #expect(throws: ReplicationError.self) { try result.get() }
            #expect(error?.code == .unreachable)
        }
    }
}
