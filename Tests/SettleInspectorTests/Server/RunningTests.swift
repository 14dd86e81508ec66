import Foundation
import HTTPTypes
import Settle
import TestSupport
import Testing

@testable import SettleInspector

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct `An inspector that runs` {
    @Test(.timeLimit(.minutes(60)))
    func `lets one browser in by the address it prints, and ends when it is told`()
        async throws
    {
        let test = try await TestDatabase.open()
        try await test.add([["id": "a"]])
        let (addresses, continuation) = AsyncStream<URL>.makeStream()
        let inspector = Inspector(of: test.database) { continuation.yield($0) }
        let running = Task { try await inspector.run() }
        var iterator = addresses.makeAsyncIterator()
        let address = try #require(await iterator.next())
        #expect(address.host() == "127.0.0.1")
        let session = URLSession(configuration: .ephemeral)
        let (data, response) = try await session.data(from: address)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(String(decoding: data, as: UTF8.self).contains("<h1>Overview</h1>"))
        let stranger = URLSession(configuration: .ephemeral)
        let (_, refusal) = try await stranger.data(from: address)
        #expect((refusal as? HTTPURLResponse)?.statusCode == 401)
        running.cancel()
        _ = try? await running.value
        await test.close()
    }

    @Test func `shows and changes nothing once its database was removed or replaced`() async throws
    {
        let test = try await TestDatabase.open()
        try await test.add([["id": "a", "n": 1]])
        let path = test.scratch.file("there").path
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let inspector = try await TestInspector(
            test.database, isWritable: true,
            isThere: { FileManager.default.fileExists(atPath: path) })
        let pages = [
            "overview", "documents", "document?id=a", "document.json?id=a", "edit?id=a", "indexes",
            "changes", "events", "outbox", "replication", "entities", "server",
        ]
        let sequence = try test.database.lastSequence
        let revision = try test.database.read { try $0.document("a")?.metaData.revision } ?? ""
        let fields: KeyValuePairs = ["id": "a", "revision": revision, "text": "{\"n\": 2}"]
        #expect(try await inspector.page("documents").status == .ok)
        try FileManager.default.removeItem(atPath: path)
        for page in pages {
            let shown = try await inspector.get("/d/shop/" + page)
            #expect(shown.status == .gone, "\(page)")
            #expect(shown.text.contains("was removed or replaced"), "\(page)")
        }
        for action in ["document/save", "document/delete", "document/purge"] {
            #expect(try await inspector.post(action, fields).status == .gone, "\(action)")
        }
        #expect(try test.database.lastSequence == sequence)
        await test.close()
    }
}
