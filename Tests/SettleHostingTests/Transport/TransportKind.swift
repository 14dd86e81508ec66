import Foundation
import HTTPTypes
import SettleHosting
import SettleREST
import SettleSync

/// The transports that have to behave alike.
enum TransportKind: String, CaseIterable, Sendable {
    case urlSession, asyncHTTPClient

    /// Those that survive an answer whose head, or what stands behind its last chunk, is broken.
    ///
    /// Foundation's URL loading on Linux ends the process there.
    static var proofAgainstBrokenHeads: [TransportKind] {
        #if canImport(FoundationNetworking)
            [.asyncHTTPClient]
        #else
            allCases
        #endif
    }

    /// Runs with a transport of this kind, and ends it.
    func run<Result>(
        timeoutSeconds: Double = 120, _ body: (any HTTPTransport) async throws -> Result
    ) async throws -> Result {
        switch self {
        case .urlSession:
            return try await body(URLSessionTransport(timeoutSeconds: timeoutSeconds))
        case .asyncHTTPClient:
            let transport = AsyncHTTPClientTransport(timeoutSeconds: timeoutSeconds)
            do {
                let result = try await body(transport)
                await transport.shutdown()
                return result
            } catch {
                await transport.shutdown()
                throw error
            }
        }
    }
}

extension HTTPTransport {
    /// Asks a server of a test, with a token that must not get anywhere else.
    func ask(
        _ server: WireServer, _ path: String = "/", _ method: HTTPRequest.Method = .get,
        body: [UInt8]? = nil, bodySizeMax: Int = 1_000_000
    ) async throws(ReplicationError) -> FullHTTPResponse {
        try await ask(
            authority: "127.0.0.1:\(server.port)", path, method, body: body,
            bodySizeMax: bodySizeMax)
    }

    /// Asks a server by its authority.
    func ask(
        _ scheme: String = "http", authority: String, _ path: String = "/",
        _ method: HTTPRequest.Method = .get, body: [UInt8]? = nil, bodySizeMax: Int = 1_000_000
    ) async throws(ReplicationError) -> FullHTTPResponse {
        try await send(
            HTTPRequest(
                method: method, scheme: scheme, authority: authority, path: path,
                headerFields: [.authorization: "Bearer secret", .ifMatch: #""a\"b""#]),
            body: body, bodySizeMax: bodySizeMax)
    }

    /// The error of a request that has to fail.
    func failure(
        _ server: WireServer, _ path: String = "/", bodySizeMax: Int = 1_000_000
    ) async -> ReplicationError? {
        do {
            _ = try await ask(server, path, bodySizeMax: bodySizeMax)
            return nil
        } catch {
            return error
        }
    }

    /// The error of a request to an authority, which has to fail.
    func failure(_ scheme: String = "http", authority: String) async -> ReplicationError? {
        do {
            _ = try await ask(scheme, authority: authority)
            return nil
        } catch {
            return error
        }
    }
}
