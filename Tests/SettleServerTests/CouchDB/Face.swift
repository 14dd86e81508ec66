import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleServer

/// A server's face in a directory of its own, asked without a network.
final class Face: Sendable {
    private let directory: ScratchDirectory
    let databases: CouchDatabases
    let responder: CouchResponder

    init(
        clock: any Clock<Duration> = ContinuousClock(),
        authorization: CouchAuthorization = .none, shutdown: ShutdownWatch = ShutdownWatch(),
        liveReaders: LiveReaders = LiveReaders(countMax: 512),
        replications: CouchReplications? = nil
    ) throws {
        directory = try ScratchDirectory("couch")
        databases = try CouchDatabases(directory: directory.url)
        responder = CouchResponder(
            databases, authorization: authorization, shutdown: shutdown, clock: clock,
            liveReaders: liveReaders, replications: replications)
    }

    /// Sends a request as clients do, who name the type that they take and that of what they post.
    func respond(
        _ method: String, _ target: String, _ body: String = "", headers: [String: String] = [:]
    ) async -> CouchResponse {
        var all = ["accept": "application/json"]
        if method == "POST", target != "/_session" { all["content-type"] = "application/json" }
        return await responder.respond(
            to: CouchRequest(
                method, target, headers: all.merging(headers) { $1 }, body: Array(body.utf8)))
    }

    /// Sends a request and reads the answer.
    @discardableResult
    func send(
        _ method: String, _ target: String, _ body: String = "", headers: [String: String] = [:]
    ) async throws -> Answer {
        let response = await respond(method, target, body, headers: headers)
        var bytes = response.bytes
        if case .stream(let stream) = response.body {
            for await piece in stream { bytes += piece }
        }
        let json = bytes.isEmpty ? .null : try JSONText.value(from: bytes)
        return Answer(status: response.status, json: json)
    }

    struct Answer: Equatable, CustomStringConvertible {
        let status: Int
        let json: JSONValue

        init(status: Int, json: JSONValue) {
            self.status = status
            self.json = json
        }

        /// An error as CouchDB words it.
        static func failure(_ status: Int, _ error: String, _ reason: String) -> Answer {
            Answer(status: status, json: ["error": .string(error), "reason": .string(reason)])
        }

        var description: String {
            "\(status) \(String(decoding: JSONText.text(of: json), as: UTF8.self))"
        }

        var revision: String { json["rev"]?.stringValue ?? "" }
    }
}

/// A face with the database `db`, which is closed at the end.
func withFace(
    clock: any Clock<Duration> = ContinuousClock(), isolation: isolated (any Actor)? = #isolation,
    _ body: (Face) async throws -> Void
) async throws {
    let face = try Face(clock: clock)
    try await face.send("PUT", "/db")
    do {
        try await body(face)
    } catch {
        await face.databases.close()
        throw error
    }
    await face.databases.close()
}
