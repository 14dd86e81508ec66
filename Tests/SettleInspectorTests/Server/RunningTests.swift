import Foundation
import HTTPTypes
import Settle
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
}
