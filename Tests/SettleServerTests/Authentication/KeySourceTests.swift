import Foundation
import Settle
import Synchronization
import TestSupport
import Testing

@testable import SettleServer

@Suite struct `Keys that are fetched` {
    /// Where keys come from: a text, or nothing; counts how often it was asked.
    private final class Place: Sendable {
        private let state: Mutex<(text: String?, count: Int)>

        init(_ text: String?) { state = Mutex((text, 0)) }

        var count: Int { state.withLock { $0.count } }

        func put(_ text: String?) { state.withLock { $0.text = text } }

        func source(_ clock: ManualClock) -> TokenKeySource {
            TokenKeySource(
                elapsed: { clock.now.offset }, logger: TestServer.quiet
            ) { [self] in
                let text = state.withLock { state in
                    state.count += 1
                    return state.text
                }
                guard let text else { throw ServerError(.keysUnavailable, "Out.") }
                return try await TokenKeySet(Array(text.utf8), from: "of the test")
            }
        }
    }

    @Test func `are fetched again after a while, and the old ones go on until then`() async throws {
        let (old, new) = (try await TestKey.elliptic("a"), try await TestKey.elliptic("b"))
        let clock = ManualClock()
        let place = Place(TestKey.set(old))
        let source = place.source(clock)
        try await source.load()
        place.put(TestKey.set(old, new))
        clock.advance(by: .seconds(599))
        _ = await source.keys(for: "a")
        await source.settle()
        #expect(place.count == 1)
        clock.advance(by: .seconds(1))
        let keys = await source.keys(for: "a")
        #expect(keys?.has("a") == true)
        await source.settle()
        #expect(place.count == 2)
        #expect(await source.keys(for: "b")?.has("b") == true)
        #expect(place.count == 2)
    }

    @Test func `are fetched at once for a name that is not known, but not too often`() async throws
    {
        let (old, new) = (try await TestKey.elliptic("a"), try await TestKey.elliptic("b"))
        let clock = ManualClock()
        let place = Place(TestKey.set(old))
        let source = place.source(clock)
        try await source.load()
        place.put(TestKey.set(new))
        clock.advance(by: .seconds(29))
        for round in 0..<50 { _ = await source.keys(for: "x\(round)") }
        #expect(place.count == 1)
        clock.advance(by: .seconds(1))
        #expect(await source.keys(for: "b")?.has("b") == true)
        #expect(place.count == 2)
        // The key that is gone is good no longer.
        #expect(await source.keys(for: "a")?.has("a") == false)
        for round in 0..<50 { _ = await source.keys(for: "x\(round)") }
        #expect(place.count == 2)
    }

    @Test func `stay good while there are no others`() async throws {
        let old = try await TestKey.elliptic("a")
        let clock = ManualClock()
        let place = Place(TestKey.set(old))
        let source = place.source(clock)
        try await source.load()
        for outage in [nil, "{}", "no JSON", #"{"keys":[]}"#] as [String?] {
            place.put(outage)
            clock.advance(by: .seconds(10_000))
            #expect(await source.keys(for: "a")?.has("a") == true)
            await source.settle()
            #expect(await source.keys(for: "a")?.has("a") == true)
        }
        #expect(place.count == 5)
    }

    @Test func `that never came are asked for until they come`() async throws {
        let clock = ManualClock()
        let place = Place(nil)
        let source = place.source(clock)
        await #expect(throws: ServerError.self) { try await source.load() }
        #expect(await source.isReady == false)
        #expect(await source.keys(for: "a") == nil)
        #expect(place.count == 1)
        place.put(TestKey.set(try await TestKey.elliptic("a")))
        clock.advance(by: .seconds(30))
        // All who come meanwhile wait for one answer.
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask { await source.keys(for: "a") != nil }
            }
            for await isThere in group { #expect(isThere) }
        }
        #expect(place.count == 2)
        #expect(await source.isReady)
    }

    @Test(arguments: [
        "https://db.example/keys.json", "file://db.example/keys.json", "keys.json",
        "file:///keys.json?x=1", "data:,x",
    ])
    func `come from a file of this machine, or it is said that it is none`(
        text: String
    ) async throws {
        let url = try #require(URL(string: text))
        let error = await #expect(throws: ServerError.self) {
            try await Authenticator(.jwt(keySetFile: url), now: { Date() })
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("URL(fileURLWithPath:)") == true, "\(error?.message ?? "")")
    }

    @Test func `come only over a safe way`() throws {
        for address in [
            "http://example.com/keys", "http://127.0.0.1.example.com/", "http://127.1/",
            "http://localhost.example.com/", "ftp://127.0.0.1/", "file:///etc/passwd", "keys",
            "http://127.0.0.256/", "https:///keys", "http://10.0.0.1/",
        ] {
            let url = try #require(URL(string: address))
            let error = #expect(throws: ServerError.self, "\(address)") {
                try KeySetDownload(url, timeMax: .seconds(10))
            }
            #expect(error?.code == .invalidConfiguration)
        }
        for address in [
            "https://example.com/keys", "http://127.0.0.1:8000/", "http://localhost/k",
            "http://[::1]:80/", "http://127.9.8.7/",
        ] {
            let url = try #require(URL(string: address))
            _ = try KeySetDownload(url, timeMax: .seconds(10))
        }
    }
}
