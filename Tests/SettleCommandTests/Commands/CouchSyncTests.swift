import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct `Syncing with a database of CouchDB's protocol`
{
    private let tool: BuiltTool

    init() throws {
        tool = try BuiltTool()
    }

    /// A server in a process of its own, ended by SIGINT, and the address of a database there.
    private func withServer(
        _ body: (_ address: String, ScratchDirectory) async throws -> Void
    ) async throws {
        try await withScratchDirectory("couch-sync") { scratch in
            let directory = scratch.file("server").path
            let server = try tool.start([
                "serve", "--directory", directory, "--port", "0", "--couchdb-port", "0",
                "--anonymous", "--json",
            ])
            let line = await server.firstLine() ?? ""
            let address = try? Document(json: line).string("couchdb")
            if let address { try await body("couchdb+\(address)/shop", scratch) }
            server.interrupt()
            let outcome = await server.outcome()
            #expect(outcome.status == 0, "\(outcome)")
            #expect(address != nil, "\(line) \(outcome)")
        }
    }

    private func run(
        _ arguments: [String], input: String = "", status: Int32 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> BuiltTool.Outcome {
        let outcome = try await tool.run(
            arguments, input: input, environment: ["SETTLE_COUCHDB_PASSWORD": ""])
        #expect(
            outcome.status == status, "\(arguments): \(outcome)", sourceLocation: sourceLocation)
        return outcome
    }

    private func contents(_ path: String) async throws -> String {
        try await run(["get", path, "--all", "--json"]).output
    }

    @Test func `brings two databases to the same state, conflicts included`() async throws {
        try await withServer { address, scratch in
            let (a, b) = (scratch.file("a").path, scratch.file("b").path)
            let items = (1...30).map { "{\"id\":\"i\($0)\",\"n\":\($0)}\n" }
            _ = try await run(["import", a, "-"], input: items.joined())
            let missing = try await run(["sync", a, address], status: 1)
            #expect(missing.errors.contains("no such database"))
            let first = try await run(["sync", a, address, "--create-database"])
            #expect(first.output.hasPrefix("30 sent, 0 received in "))
            let second = try await run(["sync", b, address, "--json"])
            #expect(second.output.contains("\"pulled\":30,\"pushed\":0,"))
            #expect(try await contents(a) == contents(b))
            let some = scratch.file("some").path
            _ = try await run(["put", a, #"{"id":"x","n":1}"#])
            _ = try await run(["put", b, #"{"id":"x","n":2}"#])
            _ = try await run(["sync", a, address])
            let left = try await run(["sync", b, address], status: 1)
            #expect(left.errors.contains("'x': changed at several places."))
            #expect(left.errors.contains("--on-conflict"))
            _ = try await run(["sync", b, address, "--on-conflict", "merge"])
            _ = try await run(["sync", a, address])
            #expect(try await contents(a) == contents(b))
            _ = try await run(["sync", some, address, "--push-only"])
            #expect(try await contents(some).isEmpty)
            #expect(try await run(["check", a]).errors.isEmpty)
        }
    }

    @Test(arguments: [
        (["couchdb+http://h/notes", "http://h/tables/b"], "by itself"),
        (["couchdb+http://h/notes", "--type", "note"], "as a whole"),
        (["couchdb+http://h/notes", "--reconcile"], "as a whole"),
        (["couchdb+http://h/notes", "--filter", "n gt 1"], "as a whole"),
        (["couchdb+http://h/notes", "--selector", "["], "no JSON object"),
        (["couchdb+http://h"], "names no database"),
        (["couchdb+ftp://h/notes"], "not one of the web"),
        (["http://h/tables/b", "--create-database"], "CouchDB's protocol"),
    ])
    func `refuses what does not go together`(arguments: [String], words: String) async throws {
        let outcome = try await run(["sync", "./x"] + arguments, status: 64)
        #expect(outcome.errors.contains(words), "\(outcome)")
    }

    @Test func `wants a password for a name`() async throws {
        try await withScratchDirectory("couch-sync") { scratch in
            let outcome = try await run(
                [
                    "sync", scratch.file("a").path, "couchdb+http://127.0.0.1:9/notes", "--user",
                    "jo",
                ],
                status: 1)
            #expect(outcome.errors.contains("--password-file"))
        }
    }
}
