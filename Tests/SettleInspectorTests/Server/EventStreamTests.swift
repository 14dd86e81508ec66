import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Settle
import Testing

@testable import SettleInspector

@Suite struct `A stream of events` {
    /// Takes what a stream writes, until it was enough.
    private struct Reader: ResponseBodyWriter {
        struct Enough: Error {}
        let chunks: AsyncStream<String>.Continuation

        mutating func write(_ buffer: ByteBuffer) async throws {
            if case .terminated = chunks.yield(String(buffer: buffer)) { throw Enough() }
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws { chunks.finish() }
    }

    /// The events of a stream, as many as are wanted; `act` is called when the first came.
    private func events(
        _ fields: KeyValuePairs<String, String?>, of test: TestDatabase, lastEventId: String? = nil,
        count: Int, named name: String = "change", act: @Sendable () async throws -> Void = {}
    ) async throws -> [JSONValue] {
        let inspector = try await TestInspector(test.database)
        var headers: HTTPFields = [.cookie: inspector.cookie]
        headers[.lastEventId] = lastEventId
        let response = await inspector.inspector.responder.response(
            to: Request(
                head: HTTPRequest(
                    method: .get, scheme: "http", authority: "localhost",
                    path: inspector.path("events", fields), headerFields: headers),
                body: RequestBody(buffer: ByteBuffer())))
        #expect(response.headers[.contentType] == "text/event-stream")
        let (stream, continuation) = AsyncStream<String>.makeStream()
        let writing = Task {
            // However it ends, nothing more comes.
            defer { continuation.finish() }
            try await response.body.write(Reader(chunks: continuation))
        }
        var text = ""
        var found: [JSONValue] = []
        var hasActed = false
        for await chunk in stream {
            text += chunk
            found = try text.split(separator: "\n\n").filter { $0.contains("event: \(name)\n") }.map
            {
                try JSONValue(jsonText: String($0.split(separator: "data: ").last ?? ""))
            }
            if !hasActed, text.contains("event: figures") {
                hasActed = true
                try await act()
            }
            if found.count >= count { break }
        }
        continuation.finish()
        writing.cancel()
        _ = try? await writing.value
        return found
    }

    @Test func `tells what is there, and what comes`() async throws {
        let test = try await TestDatabase.open()
        try await test.add([["id": "a", "type": "x"]])
        let found = try await events(["since": "0"], of: test, count: 3) {
            _ = try await test.database.save(["id": "<b>", "type": "y"])
            _ = try await test.database.delete(documentWithId: "a")
        }
        #expect(found.map { $0["id"]?.stringValue } == ["a", "<b>", "a"])
        #expect(found.map { $0["change"]?.stringValue } == ["stored", "stored", "deleted"])
        #expect(found.first?["type"] == "x")
        await test.close()
    }

    @Test func `goes on where a browser was cut off`() async throws {
        let test = try await TestDatabase.open()
        try await test.add((0..<500).map { ["id": "d\($0)"] })
        let found = try await events(["since": "0"], of: test, lastEventId: "300", count: 200)
        #expect(found.first?["sequence"] == 301)
        #expect(found.count == 200)
        await test.close()
    }

    @Test func `leaves out other types and channels`() async throws {
        let test = try await TestDatabase.open()
        try await test.add([
            ["id": "a", "type": "x", "channels": ["c"] as [Any]], ["id": "b", "type": "y"],
            ["id": "c", "type": "x", "channels": ["d"] as [Any]],
        ])
        let byType = try await events(["since": "0", "type": "x"], of: test, count: 2)
        #expect(byType.map { $0["id"]?.stringValue } == ["a", "c"])
        let byChannel = try await events(["since": "0", "channel": "d"], of: test, count: 1)
        #expect(byChannel.map { $0["id"]?.stringValue } == ["c"])
        await test.close()
    }

    @Test func `tells items of a table of a server by their type and channel`() async throws {
        let test = try await `The pages of a table of a server`.table()
        let byType = try await events(["since": "0", "type": "river"], of: test, count: 1)
        #expect(byType.map { $0["id"]?.stringValue } == ["seine"])
        #expect(byType.first?["change"] == "deleted" && byType.first?["type"] == "river")
        let byChannel = try await events(["since": "0", "channel": "north"], of: test, count: 1)
        #expect(byChannel.map { $0["id"]?.stringValue } == ["oslo"])
        await test.close()
    }

    @Test func `tells the figures of the overview`() async throws {
        let test = try await TestDatabase.open()
        let found = try await events([:], of: test, count: 2, named: "figures") {
            try await test.add((0..<1_500).map { ["id": "d\($0)"] })
        }
        #expect(found.first?["documents"] == "0")
        #expect(found.last?["documents"] == "1\u{202F}500")
        await test.close()
    }

    @Test(.timeLimit(.minutes(60))) func `ends when the database is closed`() async throws {
        let test = try await TestDatabase.open()
        _ = try await events(["since": "0"], of: test, count: 1) { await test.close() }
    }
}
