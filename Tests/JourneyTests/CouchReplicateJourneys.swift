import Foundation
import HTTPTypes
import Logging
import Settle
import SettleHosting
import SettleREST
import SettleServer
import TestSupport
import Testing

/// Replications that a server begins, with a server that answers.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `Replications that a server of CouchDB's protocol begins by itself` {
    private struct Server {
        let port: Int
        let transport = AsyncHTTPClientTransport()

        /// Sends a request, and reads the answer.
        @discardableResult
        func send(
            _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil
        ) async throws -> (status: Int, json: JSONValue) {
            var request = HTTPRequest(
                method: method, scheme: "http", authority: "127.0.0.1:\(port)", path: path)
            if body != nil { request.headerFields[.contentType] = "application/json" }
            let response = try await transport.send(
                request, body: body.map { Array($0.utf8) }, bodySizeMax: 1 << 20)
            return (response.head.status.code, try JSONText.value(from: response.body))
        }
    }

    /// Two servers, of which the first may replicate with the second.
    private func withServers(_ body: (Server, Server) async throws -> Void) async throws {
        let scratch = try ScratchDirectory("couch-replicate")
        try await withThrowingTaskGroup(of: Void.self) { group in
            var ports: [Int] = []
            for name in ["near", "far"] {
                var configuration = CouchServer.Configuration(directory: try scratch.folder(name))
                configuration.port = 0
                configuration.replicator = CouchReplication()
                configuration.replicationHosts = name == "near" ? ["127.0.0.1"] : []
                var logger = Logger(label: "journey")
                logger.logLevel = .critical
                let server = CouchServer(configuration: configuration, logger: logger)
                group.addTask { try await server.run() }
                ports.append(try await server.boundPort())
            }
            try await body(Server(port: ports[0]), Server(port: ports[1]))
            group.cancelAll()
            while let result = await group.nextResult() { _ = result }
        }
    }

    /// The leaves of all documents, by identifier.
    private func leaves(_ server: Server, _ name: String) async throws -> [String: JSONValue] {
        let rows = try await server.send(.get, "/\(name)/_changes?style=all_docs").json["results"]
        return Dictionary(
            uniqueKeysWithValues: (rows?.arrayValue ?? []).map {
                ($0["id"]?.stringValue ?? "", $0["changes"] ?? .null)
            })
    }

    @Test func `bring documents, conflicts and designs there, back, and next to each other`()
        async throws
    {
        try await withServers { near, far async throws in
            try await near.send(.put, "/a")
            try await near.send(
                .post, "/a/_bulk_docs",
                """
                {"new_edits":false,"docs":[{"_id":"x","_rev":"2-b","_revisions":{"start":2,"ids":["b","a"]}},
                {"_id":"x","_rev":"2-c","_revisions":{"start":2,"ids":["c","a"]}},
                {"_id":"y","_rev":"1-a","_attachments":{"f":{"data":"AAEC"}}},
                {"_id":"_design/d","_rev":"1-d","views":{"v":{"map":"function(){}"}}}]}
                """)
            let address = "http://127.0.0.1:\(far.port)"
            let pushed = try await near.send(
                .post, "/_replicate",
                "{\"source\":\"a\",\"target\":\"\(address)/b\",\"create_target\":true}")
            #expect(pushed.status == 200 && pushed.json["ok"] == true, "\(pushed)")
            let expected = try await leaves(near, "a")
            #expect(expected.count == 3 && expected["x"]?.arrayValue?.count == 2)
            #expect(try await leaves(far, "b") == expected)
            let pulled = try await near.send(
                .post, "/_replicate",
                "{\"source\":\"\(address)/b\",\"target\":\"c\",\"create_target\":true}")
            #expect(pulled.json["history"]?.arrayValue?[0]["docs_written"] == 4, "\(pulled)")
            #expect(try await leaves(near, "c") == expected)
            let own = try await near.send(
                .post, "/_replicate", #"{"source":"c","target":"d","create_target":true}"#)
            #expect(own.status == 200, "\(own)")
            #expect(try await leaves(near, "d") == expected)
            let again = try await near.send(.post, "/_replicate", #"{"source":"c","target":"d"}"#)
            #expect(again.json["no_changes"] == true, "\(again)")
            let missing = try await near.send(
                .post, "/_replicate", "{\"source\":\"\(address)/none\",\"target\":\"c\"}")
            #expect(missing.status == 404 && missing.json["error"] == "db_not_found", "\(missing)")
            #expect(try await far.send(.post, "/_replicate", "{}").status == 501)
        }
    }

    @Test func `go on until they are cancelled`() async throws {
        try await withServers { near, far async throws in
            try await near.send(.put, "/a")
            try await far.send(.put, "/b")
            let body =
                "{\"source\":\"http://127.0.0.1:\(far.port)/b\",\"target\":\"a\",\"continuous\":true"
            let begun = try await near.send(.post, "/_replicate", body + "}")
            #expect(begun.status == 202, "\(begun)")
            for id in ["x", "y"] {
                try await far.send(.put, "/b/\(id)", "{}")
                let changes = try await near.send(
                    .get, "/a/_changes?feed=longpoll&since=\(id == "x" ? 0 : 1)&timeout=60000")
                #expect(changes.json["results"]?.arrayValue?.map { $0["id"] } == [.string(id)])
            }
            let jobs = try await near.send(.get, "/_scheduler/jobs").json
            #expect(jobs["jobs"]?.arrayValue?[0]["target"] == "a/")
            let ended = try await near.send(.post, "/_replicate", body + ",\"cancel\":true}")
            #expect(ended.status == 200, "\(ended)")
            #expect(try await near.send(.get, "/_active_tasks").json == [])
        }
    }
}
