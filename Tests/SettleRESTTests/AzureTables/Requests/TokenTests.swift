import Foundation
import HTTPTypes
import SettleSync
import Synchronization
import Testing

@testable import SettleREST

@Suite(.serialized) struct `Token` {
    /// Gives a new token each time it is asked, and counts.
    private final class Counting: TokenProvider {
        let refusals = Mutex<[String?]>([])

        func token(replacing refused: String?) async throws -> String? {
            refusals.withLock { refusals in
                refusals.append(refused)
                return "t\(refusals.count)"
            }
        }
    }

    private func tokens(in transport: FakeTransport) -> [String?] {
        transport.asked.map { $0.request.headerFields[.authorization] }
    }

    private let refusal = FullHTTPResponse.json(
        401, #"{"name":"TokenExpiredError","message":"jwt expired"}"#)

    private func backend(
        _ transport: FakeTransport, _ provider: (any TokenProvider)?
    ) throws -> AzureTablesBackend {
        try AzureTablesBackend(
            url: try #require(URL(string: "http://h/tables/t")), tokenProvider: provider,
            transport: transport, dialect: .v2)
    }

    @Test func `goes with every request, under both names, and is asked for once`() async throws {
        let transport = FakeTransport([.json(200, "[]"), .json(200, "[]")])
        let provider = Counting()
        let backend = try backend(transport, provider)
        for _ in 0..<2 {
            _ = try await backend.pull(
                PullQuery(), after: nil, itemCountMax: 1, isFirstPage: true)
        }
        #expect(tokens(in: transport) == ["Bearer t1", "Bearer t1"])
        let zumo = try #require(HTTPField.Name("X-ZUMO-AUTH"))
        #expect(transport.asked[0].request.headerFields[zumo] == "t1")
        let version = try #require(HTTPField.Name("ZUMO-API-VERSION"))
        #expect(transport.asked[0].request.headerFields[version] == "2.0.0")
        #expect(provider.refusals.withLock { $0 } == [nil])
    }

    @Test func `is replaced once when it is refused`() async throws {
        let transport = FakeTransport([refusal, .json(200, "[]"), .json(200, "[]")])
        let provider = Counting()
        let backend = try backend(transport, provider)
        for _ in 0..<2 {
            _ = try await backend.pull(
                PullQuery(), after: nil, itemCountMax: 1, isFirstPage: true)
        }
        #expect(tokens(in: transport) == ["Bearer t1", "Bearer t2", "Bearer t2"])
        #expect(provider.refusals.withLock { $0 } == [nil, "t1"])
    }

    @Test func `that is refused again is an error`() async throws {
        let transport = FakeTransport([refusal, refusal])
        let backend = try backend(transport, Counting())
        await #expect {
            try await backend.send(.init(kind: .delete, id: "a", baseVersion: nil))
        } throws: {
            ($0 as? ReplicationError)?.code == .unauthorized
        }
        #expect(transport.asked.count == 2)
    }

    @Test func `that never changes is not tried twice`() async throws {
        let transport = FakeTransport([refusal])
        let backend = try backend(transport, FixedToken(text: "same"))
        await #expect {
            try await backend.send(.init(kind: .delete, id: "a", baseVersion: nil))
        } throws: {
            ($0 as? ReplicationError)?.code == .unauthorized
        }
        #expect(transport.asked.count == 1)
    }

    @Test func `with characters that would end the header is refused here`() async throws {
        let transport = FakeTransport([])
        let backend = try backend(transport, FixedToken(text: "a\r\nX-Evil: 1"))
        await #expect {
            try await backend.send(.init(kind: .delete, id: "a", baseVersion: nil))
        } throws: {
            ($0 as? ReplicationError)?.code == .unauthorized
        }
        #expect(transport.asked.isEmpty)
    }

    @Test func `comes out of the options, and unknown options are an error`() async throws {
        let url = try #require(URL(string: "http://h/tables/t"))
        let transport = FakeTransport([.json(200, "[]")])
        let backend = try AzureTablesBackend(
            ReplicationConfiguration(
                url: url,
                options: ["token": "secret", "transport": transport, "timeoutSeconds": 5]))
        _ = try await backend.pull(PullQuery(), after: nil, itemCountMax: 1, isFirstPage: true)
        #expect(tokens(in: transport) == ["Bearer secret"])
        for options: [String: any Sendable] in [["tokn": "x"], ["token": 7], ["timeoutSeconds": 0]]
        {
            do {
                _ = try AzureTablesBackend(ReplicationConfiguration(url: url, options: options))
                Issue.record("\(options) was taken.")
            } catch {
                #expect(error.code == .misconfigured)
            }
        }
    }
}
