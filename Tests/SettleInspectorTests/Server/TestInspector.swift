import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Settle
import TestSupport

@testable import SettleInspector

/// An inspector that is asked without a socket, by a browser that was let in.
struct TestInspector {
    var inspector: Inspector
    let database: Database
    private(set) var cookie = ""

    /// What a browser gets.
    struct Page {
        let status: HTTPResponse.Status
        let headers: HTTPFields
        let text: String

        /// The addresses that the page leads to, unescaped.
        var links: [String] {
            text.matches(of: #/href="([^"]*)"/#).map { TestInspector.unescaped(String($0.1)) }
        }

        /// The address of the next page of the list; nil on the last.
        var next: String? {
            text.firstMatch(of: #/href="([^"]*)" rel="next"/#).map {
                TestInspector.unescaped(String($0.1))
            }
        }

        /// The names of all elements and their attributes, in order: what a browser builds of the page.
        var structure: [String] {
            text.matches(of: #/<(\/?[a-zA-Z][a-zA-Z0-9]*)((?:\s+[a-zA-Z-]+(?:="[^"]*")?)*)\s*>/#)
                .map {
                    let names = String($0.2).replacing(#/="[^"]*"/#, with: "")
                    return String($0.1) + names
                }
        }
    }

    init(
        _ database: Database, isWritable: Bool = false, metrics: String? = nil,
        isThere: @escaping @Sendable () -> Bool = { true }
    ) async throws {
        self.database = database
        var configuration = InspectorConfiguration(
            allowsWriting: isWritable, metricsReport: { metrics })
        configuration.isThere = isThere
        inspector = Inspector(of: database, configuration: configuration) { _ in }
        let token = inspector.responder.doorkeeper.makeToken()
        let page = try await get("/?token=\(token)")
        cookie = String(page.headers[.setCookie]?.prefix { $0 != ";" } ?? "")
    }

    /// Asks for a page, as a browser does whose user clicked.
    func get(_ path: String, headers: HTTPFields = [:]) async throws -> Page {
        try await send(.get, path, headers: headers)
    }

    /// The path of a page of the database.
    func path(_ page: String, _ fields: KeyValuePairs<String, String?> = [:]) -> String {
        PageRequest.address(database.name, page, fields)
    }

    /// Asks for a page of the database.
    func page(_ page: String, _ fields: KeyValuePairs<String, String?> = [:]) async throws -> Page {
        try await get(path(page, fields))
    }

    /// Sends a form, as a page of ours does.
    func post(
        _ page: String, _ fields: KeyValuePairs<String, String>, origin: String = "http://localhost"
    ) async throws -> Page {
        let body = fields.map { "\(Percent.encoded($0.key))=\(Percent.encoded($0.value))" }
        return try await send(
            .post, path(page),
            headers: [.origin: origin, .contentType: "application/x-www-form-urlencoded"],
            body: body.joined(separator: "&"))
    }

    /// Sends a request.
    func send(
        _ method: HTTPRequest.Method, _ path: String, host: String = "localhost",
        headers: HTTPFields = [:], body: String = ""
    ) async throws -> Page {
        try await page(
            of: request(method, path, host: host, headers: headers, body: Array(body.utf8)))
    }

    /// What a browser gets for a request.
    func page(of request: Request) async throws -> Page {
        try await Self.page(of: await inspector.responder.response(to: request))
    }

    /// A response as a browser gets it.
    static func page(of response: Response) async throws -> Page {
        let collected = CollectedBody()
        try await response.body.write(CollectingWriter(collected: collected))
        return Page(
            status: response.status, headers: response.headers, text: collected.text)
    }

    /// A request, with the cookie of the browser.
    func request(
        _ method: HTTPRequest.Method, _ path: String, host: String = "localhost",
        headers: HTTPFields = [:], body: [UInt8] = []
    ) -> Request {
        var headers = headers
        if headers[.cookie] == nil, !cookie.isEmpty { headers[.cookie] = cookie }
        return Request(
            head: HTTPRequest(
                method: method, scheme: "http", authority: host, path: path, headerFields: headers),
            body: RequestBody(buffer: ByteBuffer(bytes: body)))
    }

    static func unescaped(_ text: String) -> String {
        text.replacing("&#39;", with: "'").replacing("&quot;", with: "\"")
            .replacing("&amp;", with: "&")
    }
}

/// The bytes of a body.
private final class CollectedBody {
    var buffer = ByteBuffer()
    var text: String { String(buffer: buffer) }
}

private struct CollectingWriter: ResponseBodyWriter {
    let collected: CollectedBody

    mutating func write(_ buffer: ByteBuffer) async throws {
        collected.buffer.writeImmutableBuffer(buffer)
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// Hands on what a body writes, piece by piece.
struct StreamWriter: ResponseBodyWriter {
    let chunks: AsyncStream<String>.Continuation

    mutating func write(_ buffer: ByteBuffer) async throws { chunks.yield(String(buffer: buffer)) }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws { chunks.finish() }
}

/// What threads wait at until it is opened.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func pass() {
        semaphore.wait()
        semaphore.signal()
    }

    func open() { semaphore.signal() }
}

/// A database in a directory of its own.
struct TestDatabase {
    let scratch: ScratchDirectory
    let database: Database

    static func open(
        _ name: String = "shop", indexes: [any Indexer] = [], isReadOnly: Bool = false,
        in scratch: ScratchDirectory? = nil
    ) async throws -> TestDatabase {
        let scratch = try scratch ?? ScratchDirectory("inspector")
        let database = try await Database.openOrCreate(
            Database.OpenDatabaseConfiguration(
                name: name, fileLocation: scratch.url, indexes: indexes,
                completionQueue: DispatchQueue(label: "inspector"), isReadOnly: isReadOnly))
        return TestDatabase(scratch: scratch, database: database)
    }

    /// Stores documents in one transaction.
    func add(_ documents: [Document]) async throws {
        try await database.write { transaction in
            for document in documents { _ = try transaction.save(document) }
        }
    }

    func close() async { await database.close() }
}
