import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Settle
import Synchronization
import TestSupport
import Testing

@testable import SettleServer
import SettleTableProtocol

/// A server in a directory of its own, asked through the router without a socket.
struct TestServer: Sendable {
    let client: any TestClientProtocol
    let clock: StepClock
    /// What requests that do not say otherwise name as their version.
    var version = ProtocolVersion.version2

    /// The same server, asked in version 3.
    var inVersion3: TestServer {
        var server = self
        server.version = .version3
        return server
    }

    /// Runs a test with a new server, once for each store, since no client may notice which it is.
    static func run(
        authentication: Authentication = .anonymous, bodyMaxBytes: Int = 1 << 20,
        attachmentMaxBytes: Int = 256 << 20, tableCountMax: Int = 256, topMax: Int = 1000,
        versionWhenMissing: ProtocolVersion? = nil, clock: StepClock = StepClock(),
        logger: Logger? = nil, stores: [TestStore] = TestStore.all,
        configure: @escaping @Sendable (inout ServerConfiguration) throws -> Void = { _ in },
        _ test: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        for store in stores {
            clock.reset()
            try await store.with { store in
                var configuration = ServerConfiguration(
                    store: store, authentication: authentication,
                    versionWhenMissing: versionWhenMissing, topMax: topMax,
                    bodyMaxBytes: bodyMaxBytes, attachmentMaxBytes: attachmentMaxBytes,
                    tableCountMax: tableCountMax, now: { clock.date })
                try configure(&configuration)
                try await run(configuration, clock, logger ?? quiet, test)
            }
        }
    }

    private static func run(
        _ configuration: ServerConfiguration, _ clock: StepClock, _ logger: Logger,
        _ test: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        let server = try TableServer(configuration: configuration, logger: logger)
        let parts = try await server.makeParts()
        do {
            try await server.application(parts.responder).test(.router) { client in
                try await test(TestServer(client: client, clock: clock))
            }
        } catch {
            await parts.store.close()
            throw error
        }
        await parts.store.close()
    }

    static var quiet: Logger {
        Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    }

    /// Sends a request of the version.
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil,
        headers: HTTPFields = [:], ifMatch: String? = nil, token: String? = nil
    ) async throws -> Reply {
        try await send(
            method, path, bytes: body.map { JSONText.text(of: $0) }, headers: headers,
            ifMatch: ifMatch, token: token)
    }

    /// Sends a request of the version with any bytes as its body.
    func send(
        _ method: HTTPRequest.Method, _ path: String, bytes: [UInt8]?,
        headers: HTTPFields = [:], ifMatch: String? = nil, token: String? = nil
    ) async throws -> Reply {
        var headers = headers
        headers[.zumoVersion] = headers[.zumoVersion] ?? version.description
        headers[.ifMatch] = ifMatch ?? headers[.ifMatch]
        if bytes != nil { headers[.contentType] = headers[.contentType] ?? "application/json" }
        if let token { headers[.authorization] = "Bearer \(token)" }
        return try await raw(method, path, bytes: bytes, headers: headers)
    }

    /// Sends a request with these headers and no others.
    func raw(
        _ method: HTTPRequest.Method, _ path: String, bytes: [UInt8]? = nil,
        headers: HTTPFields = [:]
    ) async throws -> Reply {
        let reply = Reply(
            try await client.execute(
                uri: path, method: method, headers: headers,
                body: bytes.map { ByteBuffer(bytes: $0) }))
        if let fault = DocumentedResponses.fault(method, path, reply) {
            Issue.record("\(method) \(path) answers \(reply.status): \(fault)")
        }
        return reply
    }

    /// Sends a list request with a filter and other options, encoding them.
    func list(
        _ table: String, _ options: [(String, String)], token: String? = nil
    ) async throws -> Reply {
        let query = options.map { $0.0 + "=" + PercentEncoding.encoded($0.1) }
        return try await send(
            .get, "/tables/\(table)?" + query.joined(separator: "&"), token: token)
    }
}

/// An answer of the server.
struct Reply: Sendable {
    let status: Int
    let headers: HTTPFields
    let bytes: [UInt8]

    init(_ response: TestResponse) {
        status = response.status.code
        headers = response.headers
        bytes = Array(response.body.readableBytesView)
    }

    /// The body as JSON; nil when it is none.
    var json: JSONValue? { try? JSONText.value(from: bytes) }
    var error: String? { json?["error"]?.stringValue }
    var etag: String? { headers[.eTag] }
    /// The ids of a list, in their order.
    var ids: [String]? {
        (json?["results"] ?? json?["items"] ?? json)?.arrayValue?
            .compactMap { $0["id"]?.stringValue }
    }
}

/// A clock that a test sets; each server reads it once a write.
final class StepClock: Sendable {
    private let start: Int64
    private let microseconds: Mutex<Int64>

    init(microseconds: Int64 = 1_600_000_000_000_000) {
        start = microseconds
        self.microseconds = Mutex(microseconds)
    }

    /// Goes back to where it began.
    func reset() {
        microseconds.withLock { $0 = start }
    }

    var date: Date {
        Date(timeIntervalSince1970: Double(microseconds.withLock { $0 }) / 1_000_000)
    }

    func advance(microseconds step: Int64) {
        microseconds.withLock { $0 += step }
    }
}

extension TestClient.Configuration {
    /// Waits long: on a machine that does much else, an answer may take its time.
    static var patient: TestClient.Configuration {
        TestClient.Configuration(timeout: .seconds(600))
    }
}
