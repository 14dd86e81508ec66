import Foundation
import Settle
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

@testable import SettleServer

/// A replicator that notes what it is asked for, and ends when it is told to.
private final class NotingReplicator: CouchReplicator {
    private let orders = Lock<[CouchReplicationOrder]>([])
    private let failure: CouchReplicationFailure?

    init(failure: CouchReplicationFailure? = nil) {
        self.failure = failure
    }

    var noted: [CouchReplicationOrder] { orders.withLock { $0 } }

    func replicate(
        _ database: Database, _ order: CouchReplicationOrder,
        progress: @escaping @Sendable (CouchReplicationCounts) -> Void
    ) async throws -> CouchReplicationCounts {
        orders.withLock { $0.append(order) }
        if let failure { throw failure }
        var counts = CouchReplicationCounts()
        (counts.read, counts.written, counts.failed) = (3, 2, 1)
        counts.sequence = 7
        progress(counts)
        if order.isContinuous {
            for await _ in AsyncStream<Never>.makeStream().stream {}
            throw CancellationError()
        }
        return counts
    }
}

@Suite(.serialized) struct `Replications that a server of CouchDB's protocol begins` {
    private func withFace(
        _ replicator: NotingReplicator = NotingReplicator(),
        authorization: CouchAuthorization = .none,
        _ body: (Face, NotingReplicator) async throws -> Void
    ) async throws {
        let replications = CouchReplications(
            replicator, hosts: ["allowed.example", "[::1]:5984"],
            address: { "http://127.0.0.1:1234" })
        let face = try Face(authorization: authorization, replications: replications)
        do {
            try await body(face, replicator)
        } catch {
            await replications.stop()
            await face.databases.close()
            throw error
        }
        await replications.stop()
        #expect(replications.jobs.isEmpty)
        await face.databases.close()
    }

    private func replicate(
        _ face: Face, _ body: String, host: String = "here.example:5984"
    ) async throws -> Face.Answer {
        try await face.send("POST", "/_replicate", body, headers: ["host": host])
    }

    @Test func `go from a remote to a database and back, with what is shown for the remote`()
        async throws
    {
        try await withFace { face, replicator async throws in
            try await face.send("PUT", "/a")
            let pulled = try await replicate(
                face,
                #"{"source":"http://jo:p%40ss@allowed.example:81/x%2Fy/","target":"a","doc_ids":["d"]}"#
            )
            #expect(pulled.status == 200 && pulled.json["ok"] == true, "\(pulled)")
            #expect(pulled.json["history"]?.arrayValue?[0]["docs_read"] == 3)
            #expect(pulled.json["history"]?.arrayValue?[0]["doc_write_failures"] == 1)
            #expect(pulled.json["source_last_seq"] == "7-settle")
            let pushed = try await replicate(
                face,
                #"""
                {"source":"http://here.example:5984/a","create_target":true,"target":
                {"url":"https://allowed.example/b","headers":{"Authorization":"Bearer t"}}}
                """#)
            #expect(pushed.status == 200, "\(pushed)")
            let auth = try await replicate(
                face,
                #"""
                {"source":{"url":"http://[::1]:5984/c","auth":{"basic":{"username":"u","password":"w"}}},
                "target":"new","create_target":true,"selector":{"n":1}}
                """#)
            #expect(auth.status == 200, "\(auth)")
            let orders = replicator.noted
            try #require(orders.count == 3)
            #expect(orders[0].remote.absoluteString == "http://allowed.example:81/x%2Fy")
            #expect(orders[0].credentials == .password(name: "jo", password: "p@ss"))
            #expect(orders[0].isPull && orders[0].documentIds == ["d"] && !orders[0].createsRemote)
            #expect(orders[1].remote.absoluteString == "https://allowed.example/b")
            #expect(orders[1].credentials == .token("t") && !orders[1].isPull)
            #expect(orders[1].createsRemote)
            #expect(orders[2].credentials == .password(name: "u", password: "w"))
            #expect(orders[2].selector == ["n": 1])
            #expect(try await face.send("GET", "/_all_dbs").json == ["a", "new"])
        }
    }

    @Test func `go from one of its databases to another over its own address`() async throws {
        try await withFace { face, replicator async throws in
            try await face.send("PUT", "/a%2Fb")
            let answer = try await replicate(
                face,
                #"{"source":"http://here.example:5984/a%2Fb","target":"c","create_target":true}"#)
            #expect(answer.status == 200, "\(answer)")
            let order = try #require(replicator.noted.first)
            #expect(order.remote.absoluteString == "http://127.0.0.1:1234/a%2Fb" && order.isPull)
            // Whatever the sender calls this server, it asks nothing of that name.
            let other = try await replicate(
                face, #"{"source":"http://inner.example/a","target":"c"}"#, host: "inner.example")
            #expect(other.status == 404 && replicator.noted.count == 1, "\(other)")
        }
    }

    @Test func `that go on are listed, and cancelled by name or by what they are`() async throws {
        try await withFace { face, _ async throws in
            try await face.send("PUT", "/a")
            let body = #"{"source":"http://allowed.example/x","target":"a","continuous":true"#
            let begun = try await replicate(face, body + "}")
            #expect(begun.status == 202 && begun.json["ok"] == true)
            let name = begun.json["_local_id"]?.stringValue ?? ""
            #expect(name.hasSuffix("+continuous"))
            #expect(try await replicate(face, body + "}") == begun)
            let jobs = try await face.send("GET", "/_scheduler/jobs").json
            #expect(jobs["total_rows"] == 1)
            let job = jobs["jobs"]?.arrayValue?[0]
            #expect(job?["id"] == .string(name) && job?["source"] == "http://allowed.example/x/")
            let alone = try await face.send(
                "GET", "/_scheduler/jobs/\(name.replacing("+", with: "%2B"))")
            #expect(alone.json["target"] == "a/")
            #expect(try await face.send("GET", "/_scheduler/jobs/x").status == 404)
            let tasks = try await face.send("GET", "/_active_tasks").json.arrayValue
            #expect(tasks?.count == 1 && tasks?[0]["type"] == "replication")
            #expect(try await face.send("GET", "/_scheduler/docs").json["docs"] == [])
            #expect(try await face.send("GET", "/_scheduler/docs/_replicator/x").status == 404)
            let ended = try await replicate(
                face, "{\"replication_id\":\"\(name)\",\"cancel\":true}")
            #expect(ended.status == 200 && ended.json["_local_id"] == .string(name))
            #expect(try await face.send("GET", "/_scheduler/jobs").json["total_rows"] == 0)
            let cancel = body + ",\"cancel\":true}"
            #expect(try await replicate(face, cancel) == .failure(404, "not_found", "missing"))
            _ = try await replicate(face, body + "}")
            #expect(try await replicate(face, cancel).status == 200)
        }
    }

    @Test func `are not taken for others, whatever names a body holds and whoever asks`()
        async throws
    {
        try await withFace { face, replicator async throws in
            try await face.send("PUT", "/a")
            let body = #"{"source":"http://allowed.example/x","target":"a","continuous":true"#
            let first = try await replicate(face, body + "}").json["_local_id"]?.stringValue ?? ""
            for member in ["replication_id", "_local_id", "id"] {
                let other =
                    "{\"source\":\"http://allowed.example/\(member)\",\"target\":\"a\",\"continuous\":true,\"\(member)\":\"\(first)\"}"
                let begun = try await replicate(face, other)
                #expect(begun.status == 202 && begun.json["_local_id"] != .string(first))
            }
            #expect(try await face.send("GET", "/_scheduler/jobs").json["total_rows"] == 4)
            #expect(try await replicate(face, #"{"id":"x"}"#).status == 400)
            // The same one with other credentials is not begun, and not taken for the one that goes on.
            let named = body.replacing("http://", with: "http://jo:secret@")
            let refused = try await replicate(face, named + "}")
            #expect(refused.status == 409 && refused.json["error"] == "conflict", "\(refused)")
            #expect(!"\(refused)".contains("secret"))
            #expect(try await replicate(face, body + "}").status == 202)
            #expect(try await replicate(face, named + ",\"cancel\":true}").status == 200)
            #expect(try await replicate(face, named + "}").status == 202)
            #expect(try await face.send("GET", "/_scheduler/jobs").json["total_rows"] == 4)
        }
    }

    @Test(arguments: [
        ("couch.example.org", "https://couch.example.org", true),
        ("couch.example.org", "https://couch.example.org:443", true),
        ("Couch.Example.org", "http://couch.example.org", true),
        ("couch.example.org", "http://couch.example.org:80", true),
        ("couch.example.org:443", "https://couch.example.org", true),
        ("[::1]", "http://[::1]", true),
        ("couch.example.org", "http://couch.example.org:443", false),
        ("couch.example.org", "https://couch.example.org:5984", false),
        ("couch.example.org:5984", "https://couch.example.org", false),
        ("couch.example.org:80", "https://couch.example.org", false),
        ("example.org", "https://couch.example.org", false),
    ])
    func `know a URL of the server itself by its host, and its port or that of the scheme`(
        authority: String, url: String, isOwn: Bool
    ) async throws {
        try await withFace { face, replicator async throws in
            try await face.send("PUT", "/a")
            let body = "{\"source\":\"\(url)/a\",\"target\":\"b\",\"create_target\":true}"
            let answer = try await replicate(face, body, host: authority)
            #expect(answer.status == (isOwn ? 200 : 403), "\(answer)")
            #expect(
                replicator.noted.first?.remote.absoluteString
                    == (isOwn ? "http://127.0.0.1:1234/a" : nil))
        }
    }

    @Test func `between two of its databases ask it by a name of its certificate`() throws {
        var configuration = CouchServer.Configuration(directory: URL(filePath: "/none"))
        #expect(try CouchServer.ownAddress(configuration, port: 1) == "http://127.0.0.1:1")
        configuration.host = "::"
        #expect(try CouchServer.ownAddress(configuration, port: 2) == "http://[::1]:2")
        configuration.host = "0.0.0.0"
        #expect(try CouchServer.ownAddress(configuration, port: 3) == "http://127.0.0.1:3")
        let file = URL(filePath: "/none.pem")
        configuration.tls = TLSFiles(certificate: file, key: file)
        let refused = #expect(throws: CouchError.self) {
            try CouchServer.ownAddress(configuration, port: 4)
        }
        #expect(refused?.status == 501)
        configuration.hostNames = ["couch.example.org", "other.example.org"]
        #expect(
            try CouchServer.ownAddress(configuration, port: 5) == "https://couch.example.org:5")
    }

    @Test(arguments: [
        ("{}", 400, "bad_request"), (#"{"source":"a"}"#, 400, "bad_request"),
        (#"{"source":1,"target":"a"}"#, 400, "bad_request"),
        (#"{"source":"ftp://allowed.example/x","target":"a"}"#, 400, "bad_request"),
        (#"{"source":"http://allowed.example/","target":"a"}"#, 400, "bad_request"),
        (#"{"source":"a","target":"a"}"#, 400, "bad_request"),
        (#"{"source":"http://other.example/x","target":"a"}"#, 403, "forbidden"),
        (#"{"source":"http://[::1]:80/x","target":"a"}"#, 403, "forbidden"),
        (#"{"source":"http://allowed.example@other.example/x","target":"a"}"#, 403, "forbidden"),
        (#"{"source":"none","target":"a"}"#, 404, "db_not_found"),
        (#"{"source":"http://allowed.example/x","target":"none"}"#, 404, "db_not_found"),
        (
            #"{"source":"http://allowed.example/x","target":"http://allowed.example/y"}"#, 501,
            "not_implemented"
        ),
        (
            #"{"source":"a","target":"http://allowed.example/y","doc_ids":["x"]}"#, 501,
            "not_implemented"
        ),
        (
            #"{"source":"http://allowed.example/x","target":"a","since_seq":"3-a"}"#, 501,
            "not_implemented"
        ),
    ])
    func `are refused with a sentence`(body: String, status: Int, error: String) async throws {
        try await withFace { face, replicator async throws in
            try await face.send("PUT", "/a")
            let answer = try await replicate(face, body)
            #expect(answer.status == status && answer.json["error"] == .string(error), "\(answer)")
            #expect(replicator.noted.isEmpty)
        }
    }

    @Test func `answer their failure as one of the remote`() async throws {
        for (kind, status) in [
            (CouchReplicationFailure.Kind.unauthorized, 401), (.notFound, 404), (.other, 500),
        ] {
            let replicator = NotingReplicator(failure: CouchReplicationFailure(kind, "No."))
            try await withFace(replicator) { face, _ async throws in
                try await face.send("PUT", "/a")
                let answer = try await replicate(
                    face, #"{"source":"http://allowed.example/x","target":"a"}"#)
                #expect(answer.status == status && answer.json["reason"] == "No.", "\(answer)")
                #expect(try await face.send("GET", "/_active_tasks").json == [])
            }
        }
    }

    @Test func `are for administrators whose token is for all documents`() async throws {
        let authorization = CouchAuthorization(
            authenticator: try await Authenticator(
                .jwt(secret: GuardedFace.secret), now: { Date() }),
            access: Access(rules: nil), now: { Date() })
        try await withFace(authorization: authorization) { face, replicator async throws in
            func send(_ token: String, _ body: String) async throws -> Face.Answer {
                try await face.send(
                    "POST", "/_replicate", body,
                    headers: ["authorization": "Bearer \(token)", "host": "h"])
            }
            let admin = try await GuardedFace.token("anna", roles: ["_admin"])
            let part = try await GuardedFace.token("carl", ["a"], roles: ["_admin"])
            let bob = try await GuardedFace.token("bob")
            let headers = ["authorization": "Bearer \(admin)"]
            try await face.send("PUT", "/a", headers: headers)
            let body = #"{"source":"http://allowed.example/x","target":"a"}"#
            #expect(try await send(bob, body).status == 401)
            #expect(try await send(part, body).status == 403)
            #expect(replicator.noted.isEmpty)
            #expect(try await send(admin, body).status == 200)
            let own = #"{"source":"a","target":"b","create_target":true}"#
            #expect(try await send(admin, own).status == 200)
            // What the sender showed is shown again.
            #expect(replicator.noted.map(\.credentials) == [.none, .token(admin)])
        }
    }
}
