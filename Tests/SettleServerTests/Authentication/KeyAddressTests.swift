import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import Settle
import Synchronization
import TestSupport
import Testing

@testable import SettleServer

/// Keys from an address, over real sockets of this machine.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `Keys from an address` {
    /// What the address answers.
    private enum Mood: Sendable {
        case keys(String)
        case status(HTTPResponse.Status)
        case redirection(String)
        case endless
    }

    private final class Place: Sendable {
        private let state: Mutex<(mood: Mood, count: Int)>

        init(_ mood: Mood) { state = Mutex((mood, 0)) }

        var count: Int { state.withLock { $0.count } }

        func put(_ mood: Mood) { state.withLock { $0.mood = mood } }

        func answer() -> Response {
            let mood = state.withLock { state in
                state.count += 1
                return state.mood
            }
            switch mood {
            case .keys(let text):
                return Response(
                    status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
            case .status(let status): return Response(status: status)
            case .redirection(let address):
                return Response(status: .found, headers: [.location: address])
            case .endless:
                return Response(
                    status: .ok,
                    body: ResponseBody { writer in
                        let spaces = ByteBuffer(repeating: UInt8(ascii: " "), count: 1 << 16)
                        for _ in 0..<100 { try await writer.write(spaces) }
                        try await writer.finish(nil)
                    })
            }
        }
    }

    /// Runs a test with the address of a place.
    private static func run(
        _ place: Place, _ test: @escaping @Sendable (URL) async throws -> Void
    ) async throws {
        let router = Router()
        router.get("keys") { _, _ in place.answer() }
        let port = BoundPort()
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.resolve(.success($0.localAddress?.port ?? 0)) },
            logger: TestServer.quiet)
        let group = ServiceGroup(
            configuration: .init(services: [application], logger: TestServer.quiet))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let result: Result<Void, any Error>
            do {
                let url = try #require(URL(string: "http://127.0.0.1:\(try await port.value)/keys"))
                result = .success(try await test(url))
            } catch {
                result = .failure(error)
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            try result.get()
        }
    }

    @Test func `change without a restart, and an outage changes nothing`() async throws {
        let (old, new) = (try await TestKey.elliptic("a"), try await TestKey.rsa("b"))
        let place = Place(.keys(TestKey.set(old)))
        let clock = ManualClock()
        try await Self.run(place) { url in
            try await TestServer.run(
                authentication: .jwt(keySetURL: url), stores: [.directory],
                configure: {
                    $0.elapsed = { clock.now.offset }
                    $0.keyPace.fetchMax = .seconds(600)
                }
            ) { server in
                func status(_ key: TestKey) async throws -> Int {
                    try await server.send(.get, "/tables/t", token: try key.token()).status
                }
                #expect(try await status(old) == 200)
                #expect(try await status(new) == 401)
                #expect(place.count == 1)
                place.put(.keys(TestKey.set(old, new)))
                clock.advance(by: .seconds(30))
                #expect(try await status(new) == 200)
                #expect(try await status(old) == 200)
                #expect(place.count == 2)
                for mood in [
                    Mood.status(.internalServerError), .endless, .redirection(url.absoluteString),
                    .keys("<html>"),
                ] {
                    place.put(mood)
                    clock.advance(by: .seconds(30))
                    let stranger = try await TestKey.elliptic("c")
                    #expect(try await status(stranger) == 401)
                    #expect(try await status(new) == 200)
                }
                #expect(place.count == 6)
                place.put(.keys(TestKey.set(new)))
                clock.advance(by: .seconds(30))
                let stranger = try await TestKey.elliptic("d")
                #expect(try await status(stranger) == 401)
                #expect(try await status(old) == 401)
                #expect(try await status(new) == 200)
            }
        }
    }

    @Test func `that are not there yet make the server wait, not fall`() async throws {
        let key = try await TestKey.elliptic("a")
        let place = Place(.status(.serviceUnavailable))
        let clock = ManualClock()
        try await Self.run(place) { url in
            try await TestServer.run(
                authentication: .jwt(keySetURL: url), stores: [.directory],
                configure: {
                    $0.elapsed = { clock.now.offset }
                    $0.keyPace.fetchMax = .seconds(600)
                }
            ) { server in
                let early = try await server.send(.get, "/tables/t", token: try key.token())
                #expect(early.status == 503)
                #expect(early.headers[.retryAfter] == "30")
                #expect(try await server.raw(.get, "/readyz").status == 503)
                #expect(try await server.raw(.get, "/healthz").status == 200)
                place.put(.keys(TestKey.set(key)))
                clock.advance(by: .seconds(30))
                let later = try await server.send(.get, "/tables/t", token: try key.token())
                #expect(later.status == 200)
                #expect(try await server.raw(.get, "/readyz").status == 200)
            }
        }
    }

    @Test func `lie in a file as well, which is read again`() async throws {
        let (old, new) = (try await TestKey.elliptic("a"), try await TestKey.elliptic("b"))
        let clock = ManualClock()
        try await withScratchDirectory("keys") { scratch in
            let file = try scratch.write(TestKey.set(old), to: "keys.json")
            try await TestServer.run(
                authentication: .jwt(keySetFile: file), stores: [.directory],
                configure: { $0.elapsed = { clock.now.offset } }
            ) { server in
                func status(_ key: TestKey) async throws -> Int {
                    try await server.send(.get, "/tables/t", token: try key.token()).status
                }
                #expect(try await status(old) == 200)
                try scratch.write(TestKey.set(new), to: "keys.json")
                clock.advance(by: .seconds(30))
                #expect(try await status(new) == 200)
                #expect(try await status(old) == 401)
                try FileManager.default.removeItem(at: file)
                clock.advance(by: .seconds(600))
                #expect(try await status(new) == 200)
            }
            for text in ["", "{}", #"{"keys": [1]}"#] {
                try scratch.write(text, to: "bad.json")
                let error = await #expect(throws: ServerError.self) {
                    try await TestServer.run(
                        authentication: .jwt(keySetFile: scratch.file("bad.json"))
                    ) { _ in }
                }
                #expect(error?.message.contains("bad.json") == true)
            }
            await #expect(throws: ServerError.self) {
                try await TestServer.run(
                    authentication: .jwt(keySetFile: scratch.file("none.json"))
                ) { _ in }
            }
        }
    }
}
