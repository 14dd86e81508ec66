import HTTPTypes
import Settle
import TestSupport
import Testing

@testable import SettleServer

@Suite struct `A rate limit` {
    @Test func `lets a burst through and then as many as come in`() {
        let clock = ManualClock()
        let limiter = RateLimiter(
            RateLimit(requestsPerSecond: 2, burst: 3), elapsed: { clock.now.offset })
        let key = SenderKey.subject("ann")
        for _ in 0..<3 { #expect(limiter.take(key) == nil) }
        #expect(limiter.take(key) == 1)
        // Another sender is not held up, and a subject is not an address.
        #expect(limiter.take(.subject("bob")) == nil)
        #expect(limiter.take(.address("ann")) == nil)
        clock.advance(by: .milliseconds(499))
        #expect(limiter.take(key) == 1)
        clock.advance(by: .milliseconds(1))
        #expect(limiter.take(key) == nil)
        #expect(limiter.take(key) == 1)
        clock.advance(by: .seconds(1_000_000))
        for _ in 0..<3 { #expect(limiter.take(key) == nil) }
        #expect(limiter.take(key) == 1)
    }

    @Test func `says how long to wait, and keeps its word`() {
        let clock = ManualClock()
        let limiter = RateLimiter(
            RateLimit(requestsPerSecond: 0.1, burst: 1), elapsed: { clock.now.offset })
        let key = SenderKey.address("127.0.0.1")
        #expect(limiter.take(key) == nil)
        #expect(limiter.take(key) == 10)
        clock.advance(by: .seconds(7))
        #expect(limiter.take(key) == 3)
        clock.advance(by: .seconds(3))
        #expect(limiter.take(key) == nil)
    }

    /// Counts in whole thousandths, so that nothing is rounded.
    @Test func `is right for any requests at any times`() {
        var random = SeededGenerator()
        for _ in 0..<50 {
            let perSecond = Int.random(in: 1...4, using: &random)
            let burst = Int.random(in: 1...5, using: &random)
            let clock = ManualClock()
            let limiter = RateLimiter(
                RateLimit(requestsPerSecond: Double(perSecond), burst: burst),
                elapsed: { clock.now.offset })
            var levels = [Int](repeating: burst * 1_000, count: 3)
            for _ in 0..<200 {
                let quarters = Int.random(in: 0...3, using: &random)
                clock.advance(by: .milliseconds(250 * quarters))
                for key in levels.indices {
                    levels[key] = min(burst * 1_000, levels[key] + 250 * quarters * perSecond)
                }
                let key = Int.random(in: 0...2, using: &random)
                let isFree = levels[key] >= 1_000
                if isFree { levels[key] -= 1_000 }
                let wait = limiter.take(.subject("\(key)"))
                #expect((wait == nil) == isFree, "\(random)")
            }
        }
    }

    @Test func `remembers no more senders than it may`() {
        let clock = ManualClock()
        let limiter = RateLimiter(
            RateLimit(requestsPerSecond: 1, burst: 2), keyCountMax: 100,
            elapsed: { clock.now.offset })
        let busy = SenderKey.subject("busy")
        #expect(limiter.take(busy) == nil)
        #expect(limiter.take(busy) == nil)
        for number in 0..<10_000 {
            #expect(limiter.take(.address("\(number)")) == nil)
            #expect(limiter.keyCount <= 100)
        }
        // One who has nothing left is not forgotten for those who come once.
        #expect(limiter.take(busy) != nil)
    }

    @Test func `answers 429 for each subject, and for an address without one`() async throws {
        let clock = ManualClock()
        try await TestServer.run(
            authentication: .jwt(secret: RulesServer.secret), stores: [.directory],
            configure: {
                $0.rateLimit = RateLimit(requestsPerSecond: 1, burst: 2)
                $0.elapsed = { clock.now.offset }
            }
        ) { server in
            let ann = try await RulesServer.token("ann", [:], server)
            let bob = try await RulesServer.token("bob", [:], server)
            for _ in 0..<2 {
                #expect(try await server.send(.get, "/tables/t", token: ann).status == 200)
            }
            let refused = try await server.send(
                .post, "/tables/t", ["id": "a"], token: ann)
            #expect(refused.status == 429)
            #expect(refused.headers[.retryAfter] == "1")
            #expect(refused.error != nil)
            #expect(try await server.send(.get, "/tables/t", token: bob).json == [])
            // Who tries tokens has an address.
            let bad = try await RulesServer.token("eve", [:], server) + "x"
            #expect(try await server.send(.get, "/tables/t", token: bad).status == 401)
            #expect(try await server.send(.get, "/tables/t").status == 401)
            #expect(try await server.send(.get, "/tables/t", token: bad).status == 429)
            #expect(try await server.send(.get, "/tables/t").status == 429)
            // Those who watch over the server are not counted.
            for _ in 0..<10 {
                #expect(try await server.raw(.get, "/healthz").status == 200)
                #expect(try await server.raw(.get, "/readyz").status == 200)
            }
            clock.advance(by: .seconds(1))
            #expect(try await server.send(.get, "/tables/t", token: ann).status == 200)
            let metrics = try await server.raw(.get, "/metrics")
            let text = String(decoding: metrics.bytes, as: UTF8.self)
            #expect(text.contains("\nsettle_rate_limited_total 3\n"))
            #expect(text.contains("\nsettle_token_failures_total 4\n"))
        }
    }

    @Test func `out of its range makes no server`() {
        for limit in [
            RateLimit(requestsPerSecond: 0), RateLimit(requestsPerSecond: -1),
            RateLimit(requestsPerSecond: .nan), RateLimit(requestsPerSecond: .infinity),
            RateLimit(requestsPerSecond: 1, burst: 0),
        ] {
            let error = #expect(throws: ServerError.self) {
                try withScratchDirectory { scratch in
                    var configuration = ServerConfiguration(directory: scratch.url)
                    configuration.rateLimit = limit
                    _ = try TableServer(configuration: configuration)
                }
            }
            #expect(error?.code == .invalidConfiguration)
        }
    }
}
