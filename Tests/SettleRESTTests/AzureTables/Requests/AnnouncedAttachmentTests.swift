import Foundation
import Settle
import SettleSync
import Testing

@testable import SettleREST

@Suite(.serialized) struct `Attachments of a table` {
    private func backend(
        _ answers: [FullHTTPResponse], carriesAttachments: Bool? = nil,
        dialect: AzureTablesBackend.Dialect? = .v2
    ) throws -> (AzureTablesBackend, FakeTransport) {
        let transport = FakeTransport(answers)
        let backend = try AzureTablesBackend(
            url: try #require(URL(string: "http://h/tables/t")), transport: transport,
            dialect: dialect, carriesAttachments: carriesAttachments)
        return (backend, transport)
    }

    @Test func `travel when the server announces that it has them, which costs a read at most`()
        async throws
    {
        let (backend, transport) = try backend([
            .json(200, "[]").offering("batch, changes, removed, attachments")
        ])
        #expect(!backend.carriesAttachments)
        try await backend.prepare()
        try await backend.prepare()
        #expect(backend.carriesAttachments)
        #expect(transport.lines.count == 1)
    }

    @Test func `do not travel where the server says nothing of them`() async throws {
        for answer in [
            FullHTTPResponse.json(200, "[]"), .json(200, "[]").offering("batch, changes"),
        ] {
            let (backend, transport) = try backend([answer])
            try await backend.prepare()
            try await backend.prepare()
            #expect(!backend.carriesAttachments)
            #expect(transport.lines.count == 1)
        }
    }

    @Test(arguments: [true, false])
    func `travel as they were told to, whatever is announced`(carries: Bool) async throws {
        let (backend, transport) = try backend(
            [.json(200, "[]").offering("attachments")], carriesAttachments: carries)
        try await backend.prepare()
        #expect(transport.lines.isEmpty)
        _ = try await backend.pull(
            PullQuery(), after: nil, itemCountMax: 5, isFirstPage: true)
        #expect(backend.carriesAttachments == carries)
    }

    @Test func `go without a word where an item has none, or the same`() async throws {
        let photo: JSONValue = ["photo": ["content_type": "a/b", "length": 1, "digest": "00"]]
        let stored = FullHTTPResponse.json(200, #"{"id":"a","version":"Mg=="}"#)
        let (backend, transport) = try backend(
            [stored, stored, stored, stored], carriesAttachments: true)
        let none: [String: JSONValue] = ["n": 1, "_attachments": [:]]
        _ = try await backend.send(
            RemoteOperation(kind: .insert, id: "a", baseVersion: nil, members: none))
        _ = try await backend.send(
            RemoteOperation(
                kind: .update, id: "a", baseVersion: "MQ==", members: none, changedNames: ["n"]))
        // Taken away, and put there.
        _ = try await backend.send(
            RemoteOperation(
                kind: .update, id: "a", baseVersion: "MQ==", members: none,
                changedNames: ["_attachments"]))
        _ = try await backend.send(
            RemoteOperation(
                kind: .insert, id: "a", baseVersion: nil, members: ["_attachments": photo]))
        let bodies = transport.asked.map { $0.body ?? "" }
        #expect(bodies[0] == #"{"id":"a","n":1}"#)
        #expect(bodies[1] == #"{"n":1}"#)
        #expect(bodies[2] == #"{"_attachments":{},"n":1}"#)
        #expect(bodies[3].contains(#""photo""#))
    }
}
