import HTTPTypes
import SettleREST
import SettleSync
import Synchronization
import Testing

@Suite struct `Interceptors` {
    /// Writes its name into what passes.
    private struct Marking: HTTPInterceptor {
        let name: String
        let seen: Seen

        final class Seen: Sendable {
            let lines = Mutex<[String]>([])
        }

        func prepare(_ request: inout HTTPRequest, body: inout [UInt8]?) async throws {
            let before = request.headerFields[.via].map { "\($0)," } ?? ""
            request.headerFields[.via] = before + name
            body?.append(contentsOf: name.utf8)
            seen.lines.withLock { $0.append("prepare \(name)") }
        }

        func received(_ answer: inout FullHTTPResponse, to request: HTTPRequest) async throws {
            answer.body += Array(name.utf8)
            let via = request.headerFields[.via] ?? ""
            seen.lines.withLock { $0.append("received \(name) \(via)") }
        }
    }

    /// Does what a test wants with a request, or an answer.
    private struct Doing: HTTPInterceptor {
        var onRequest: @Sendable (inout HTTPRequest) throws -> Void = { _ in }
        var onAnswer: @Sendable () throws -> Void = {}

        func prepare(_ request: inout HTTPRequest, body: inout [UInt8]?) async throws {
            try onRequest(&request)
        }

        func received(_ answer: inout FullHTTPResponse, to request: HTTPRequest) async throws {
            try onAnswer()
        }
    }

    private struct Trouble: Error {}

    private let request = HTTPRequest(
        method: .post, scheme: "https", authority: "h", path: "/tables/t",
        headerFields: [.authorization: "Bearer secret"])

    private func code(
        _ interceptor: Doing, _ transport: FakeTransport
    ) async -> ReplicationError.Code? {
        do {
            _ = try await InterceptedTransport(transport, interceptors: [interceptor])
                .send(request, body: nil, bodySizeMax: 10)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `see a request from the first to the last, and its answer the other way`()
        async throws
    {
        let seen = Marking.Seen()
        let fake = FakeTransport([.other(200, "x")])
        let transport = InterceptedTransport(
            fake, interceptors: [Marking(name: "a", seen: seen), Marking(name: "b", seen: seen)])
        let answer = try await transport.send(request, body: Array("{}".utf8), bodySizeMax: 10)
        #expect(answer.body == Array("xba".utf8))
        let asked = try #require(fake.asked.first)
        #expect(asked.request.headerFields[.via] == "a,b")
        #expect(asked.request.headerFields[.authorization] == "Bearer secret")
        #expect(asked.body == "{}ab")
        #expect(
            seen.lines.withLock { $0 } == [
                "prepare a", "prepare b", "received b a,b", "received a a,b",
            ])
    }

    @Test func `are not told of an answer that never came`() async throws {
        let seen = Marking.Seen()
        let transport = InterceptedTransport(
            FakeTransport(results: [.failure(ReplicationError(.unreachable, "Cut."))]),
            interceptors: [Marking(name: "a", seen: seen)])
        await #expect(throws: ReplicationError.self) {
            try await transport.send(request, body: nil, bodySizeMax: 10)
        }
        #expect(seen.lines.withLock { $0 } == ["prepare a"])
    }

    @Test func `that fail keep a request from being sent`() async throws {
        let fake = FakeTransport([.other(200)])
        let plain = Doing(onRequest: { _ in throw Trouble() })
        #expect(await code(plain, fake) == .misconfigured)
        let coded = Doing(onRequest: { _ in throw ReplicationError(.unreachable, "No key yet.") })
        #expect(await code(coded, fake) == .unreachable)
        let cancelled = Doing(onRequest: { _ in throw CancellationError() })
        #expect(await code(cancelled, fake) == .cancelled)
        #expect(fake.asked.isEmpty)
    }

    @Test func `that fail keep an answer from being used`() async throws {
        let fake = FakeTransport([.other(200)])
        #expect(await code(Doing(onAnswer: { throw Trouble() }), fake) == .misconfigured)
        #expect(fake.asked.count == 1)
    }

    @Test func `may change where in a server a request goes, but not to which`() async throws {
        let fake = FakeTransport([.other(200)])
        let elsewhere = Doing(onRequest: { $0.authority = "evil.example" })
        #expect(await code(elsewhere, fake) == .misconfigured)
        let plain = Doing(onRequest: { $0.scheme = "http" })
        #expect(await code(plain, fake) == .misconfigured)
        #expect(fake.asked.isEmpty)
        let signed = Doing(onRequest: { $0.path = "/tables/t?signature=1" })
        #expect(await code(signed, fake) == nil)
        #expect(fake.lines == ["POST /tables/t?signature=1"])
    }
}
