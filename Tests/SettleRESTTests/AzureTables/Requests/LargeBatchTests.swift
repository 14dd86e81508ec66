import Foundation
import HTTPTypes
import Settle
import SettleSync
import Testing

@testable import SettleREST

/// What becomes of a batch when it, an operation of it or the answer to it is too large.
@Suite(.serialized) struct `Batches that are too large` {
    private static let list = FullHTTPResponse.json(200, "[]").offering()
    private static let full =
        #"{"status":413,"error":"There is no room left; send this in another batch."}"#
    private static let table = "/tables/t"
    private static let batch = "/tables/t/operations/batch"

    /// A back-end that knows already that the server takes batches.
    private func backend(
        _ answers: [Result<FullHTTPResponse, ReplicationError>]
    ) async throws -> (backend: AzureTablesBackend, transport: FakeTransport) {
        let transport = FakeTransport(results: [.success(Self.list)] + answers)
        let backend = try AzureTablesBackend(
            url: try #require(URL(string: "http://h/tables/t")), transport: transport,
            dialect: .v2)
        #expect(try await backend.batchCountMax() == 64)
        return (backend, transport)
    }

    private func paths(_ transport: FakeTransport) -> [String] {
        transport.asked.dropFirst().map { $0.request.path ?? "" }
    }

    private func insert(_ id: String) -> RemoteOperation {
        RemoteOperation(kind: .insert, id: id, baseVersion: nil, members: ["text": "x"])
    }

    private static func item(_ id: String, text: String = "x") -> String {
        #"{"id":"\#(id)","updatedAt":"2021-01-01T00:00:00.000001Z","version":"1","#
            + #""deleted":false,"text":"\#(text)"}"#
    }

    private static func stored(_ id: String) -> String {
        #"{"status":201,"item":\#(item(id))}"#
    }

    private static func taken(_ id: String, text: String = "x") -> String {
        #"{"status":409,"error":"It is there.","item":\#(item(id, text: text))}"#
    }

    private static func answer(
        _ status: Int, _ text: String
    ) -> Result<FullHTTPResponse, ReplicationError> {
        .success(FullHTTPResponse.json(status, text).offering())
    }

    private static func results(
        _ results: String...
    ) -> Result<FullHTTPResponse, ReplicationError> {
        answer(200, #"{"results":[\#(results.joined(separator: ","))]}"#)
    }

    private static let tooLarge = answer(413, #"{"error":"Too large."}"#)
    private static let unread = Result<FullHTTPResponse, ReplicationError>.failure(.tooLarge(64))

    @Test func `are halved as often as the server finds them too large`() async throws {
        let (backend, transport) = try await backend([
            Self.tooLarge, Self.tooLarge, Self.answer(201, Self.item("a")),
            Self.answer(201, Self.item("b")), Self.results(Self.stored("c"), Self.stored("d")),
        ])
        let outcomes = try await backend.send(["a", "b", "c", "d"].map { insert($0) })
        for outcome in outcomes { try outcome.get().expect("stored", version: "1") }
        #expect(
            paths(transport) == [Self.batch, Self.batch, Self.table, Self.table, Self.batch])
        #expect(try await backend.batchCountMax() == 64)
    }

    @Test func `send alone what found no room, and only what is too large alone is refused`()
        async throws
    {
        let (backend, transport) = try await backend([
            Self.results(Self.stored("a"), Self.full, Self.stored("c"), Self.full),
            Self.answer(201, Self.item("b")), Self.tooLarge,
        ])
        let outcomes = try await backend.send(["a", "b", "c", "d"].map { insert($0) })
        for outcome in outcomes.prefix(3) { try outcome.get().expect("stored", version: "1") }
        try outcomes[3].get().expect("rejected The server answered 413: Too large.")
        #expect(paths(transport) == [Self.batch, Self.table, Self.table])
        #expect(
            transport.asked.suffix(2).map { $0.body ?? "" } == [
                #"{"id":"b","text":"x"}"#, #"{"id":"d","text":"x"}"#,
            ])
        #expect(try await backend.batchCountMax() == 64)
    }

    @Test func `send nothing alone when the server limits the rate`() async throws {
        let (backend, transport) = try await backend([
            Self.results(Self.full, Self.stored("b"), Self.full),
            .success(FullHTTPResponse.other(503, retryAfter: "7").offering()),
        ])
        let outcomes = try await backend.send(["a", "b", "c"].map { insert($0) })
        #expect(paths(transport) == [Self.batch, Self.table])
        for outcome in [outcomes[0], outcomes[2]] {
            let error = #expect(throws: ReplicationError.self) { try outcome.get() }
            #expect(error?.code == .busy && error?.retryAfter == .seconds(7))
        }
        try outcomes[1].get().expect("stored", version: "1")
    }

    @Test func `are halved when the answer is too large, and show what was carried out`()
        async throws
    {
        let (backend, transport) = try await backend([
            Self.unread, Self.results(Self.taken("a"), Self.taken("b")), Self.unread,
            Self.answer(409, Self.item("c")), Self.answer(201, Self.item("d")),
        ])
        let outcomes = try await backend.send(["a", "b", "c", "d"].map { insert($0) })
        for outcome in outcomes.prefix(3) { try outcome.get().expect("conflict", version: "1") }
        try outcomes[3].get().expect("stored", version: "1")
        #expect(
            paths(transport) == [Self.batch, Self.batch, Self.batch, Self.table, Self.table])
        #expect(try await backend.batchCountMax() == 64)
    }

    @Test func `leave it to the replicator when somebody changed what may have been carried out`()
        async throws
    {
        let (backend, transport) = try await backend([
            Self.unread, Self.answer(409, Self.item("a", text: "theirs")),
            Self.results(Self.taken("b"), Self.taken("c", text: "theirs")),
        ])
        let outcomes = try await backend.send(["a", "b", "c"].map { insert($0) })
        #expect(paths(transport) == [Self.batch, Self.table, Self.batch])
        try outcomes[1].get().expect("conflict", version: "1")
        for outcome in [outcomes[0], outcomes[2]] {
            let error = #expect(throws: ReplicationError.self) { try outcome.get() }
            #expect(error?.code == .responseTooLarge)
        }
    }

    @Test func `are conflicts at once when the server had carried out nothing`() async throws {
        let (backend, _) = try await backend([
            Self.tooLarge, Self.answer(409, Self.item("a", text: "theirs")),
            Self.answer(409, Self.item("b", text: "theirs")),
        ])
        for outcome in try await backend.send(["a", "b"].map { insert($0) }) {
            try outcome.get().expect("conflict", version: "1")
        }
    }

    @Test func `fail for a single operation whose own answer is too large`() async throws {
        let (backend, transport) = try await backend([
            Self.unread, Self.unread, Self.answer(409, Self.item("b")),
        ])
        let outcomes = try await backend.send(["a", "b"].map { insert($0) })
        let error = #expect(throws: ReplicationError.self) { try outcomes[0].get() }
        #expect(error?.code == .responseTooLarge)
        try outcomes[1].get().expect("conflict", version: "1")
        #expect(paths(transport) == [Self.batch, Self.table, Self.table])
    }
}
