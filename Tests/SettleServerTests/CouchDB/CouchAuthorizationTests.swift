import Foundation
import Settle
import SettlePrimitives
import TestSupport
import Testing

@testable import SettleServer

/// A face with tokens, and senders with theirs.
struct GuardedFace: Sendable {
    static let secret = "0123456789abcdef0123456789abcdef"
    let face: Face

    init(rules: AccessRules? = nil, clock: any Clock<Duration> = ContinuousClock()) async throws {
        var authentication = Authentication.jwt(secret: Self.secret)
        if rules != nil { authentication = authentication.allowingAnonymous() }
        let authorization = CouchAuthorization(
            authenticator: try await Authenticator(authentication, now: { Date() }),
            access: Access(rules: rules), now: { Date() })
        face = try Face(clock: clock, authorization: authorization)
    }

    static func token(
        _ subject: String, _ channels: [String]? = nil, roles: [String] = [],
        expiresIn: Duration = .seconds(3_600)
    ) async throws -> String {
        try await TableServer.token(
            secret: secret, subject: subject, channels: channels,
            claims: roles.isEmpty
                ? [:] : [CouchUser.rolesClaim: .array(roles.map { .string($0) })],
            expiresIn: expiresIn)
    }

    /// Sends a request with a token, and takes the answer as bytes.
    func read(
        _ token: String, _ method: String, _ target: String, _ body: String
    ) async -> (status: Int, bytes: [UInt8]) {
        let answer = await face.respond(
            method, target, body, headers: ["authorization": "Bearer \(token)"])
        return (answer.status, answer.bytes)
    }

    /// Sends a request with a token.
    @discardableResult
    func send(
        _ token: String?, _ method: String, _ target: String, _ body: String = ""
    ) async throws -> Face.Answer {
        try await face.send(
            method, target, body, headers: token.map { ["authorization": "Bearer \($0)"] } ?? [:])
    }
}

@Suite(.serialized) struct `Authorization of CouchDB's protocol` {
    private func basic(_ name: String, _ password: String) -> [String: String] {
        ["authorization": "Basic " + Data("\(name):\(password)".utf8).base64EncodedString()]
    }

    @Test func `takes a token as a password, by itself, and in the cookie of a session`()
        async throws
    {
        let guarded = try await GuardedFace()
        let face = guarded.face
        let admin = try await GuardedFace.token("anna", roles: ["_admin"])
        let wrong = Face.Answer.failure(401, "unauthorized", "Name or password is incorrect.")
        #expect(try await face.send("GET", "/").status == 200)
        #expect(try await face.send("GET", "/_up").status == 200)
        #expect(try await face.send("GET", "/_all_dbs").status == 401)
        let refused = await face.respond("GET", "/_all_dbs")
        #expect(refused.headers.contains { $0.name == "WWW-Authenticate" })
        #expect(
            try await face.send("GET", "/_all_dbs", headers: basic("anna", admin)).json == [])
        #expect(try await face.send("GET", "/_all_dbs", headers: basic("bob", admin)) == wrong)
        #expect(try await face.send("GET", "/_all_dbs", headers: basic("anna", "x")) == wrong)
        for header in ["Basic", "Basic !", "Digest x", "Bearer x", "Bearer \(admin)x"] {
            #expect(
                try await face.send("GET", "/_all_dbs", headers: ["authorization": header]).status
                    == 401, "\(header)")
        }
        // A session, begun by a form and by JSON.
        let form = "name=anna&password=\(admin)"
        let begun = await face.respond(
            "POST", "/_session", form,
            headers: ["content-type": "application/x-www-form-urlencoded"])
        #expect(begun.status == 200)
        let cookie = try #require(begun.headers.last { $0.name == "Set-Cookie" }?.value)
        #expect(cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Strict"))
        #expect(cookie.contains("; Max-Age=3") && !cookie.contains("Secure"))
        let pair = String(cookie.prefix { $0 != ";" })
        #expect(pair.hasPrefix("AuthSession="))
        let headers = ["cookie": "other=1; \(pair)"]
        #expect(try await face.send("GET", "/_all_dbs", headers: headers).status == 200)
        let session = try await face.send("GET", "/_session", headers: headers).json
        #expect(session["userCtx"] == ["name": "anna", "roles": ["_admin"]])
        #expect(session["info"]?["authenticated"] == "cookie")
        let json = try await face.send(
            "POST", "/_session", "{\"name\":\"anna\",\"password\":\"\(admin)\"}",
            headers: ["content-type": "application/json"])
        #expect(json.json == ["ok": true, "name": "anna", "roles": ["_admin"]])
        #expect(try await face.send("POST", "/_session", "name=bob&password=\(admin)") == wrong)
        let ended = await face.respond("DELETE", "/_session")
        #expect(ended.headers.contains { $0.value.hasPrefix("AuthSession=; ") })
        // A cookie that is none any more is nobody.
        let stale = try await face.send(
            "GET", "/_session", headers: ["cookie": "AuthSession=x"])
        #expect(stale.json["userCtx"] == ["name": .null, "roles": []])
        #expect(
            try await face.send("GET", "/_all_dbs", headers: ["cookie": "AuthSession=x"]).status
                == 401)
        await face.databases.close()
    }

    @Test func `lets administrators alone make and delete databases, and look after them`()
        async throws
    {
        let guarded = try await GuardedFace()
        let admin = try await GuardedFace.token("anna", roles: ["_admin"])
        let user = try await GuardedFace.token("bob", roles: ["writer"])
        let notAdmin = Face.Answer.failure(401, "unauthorized", "You are not a server admin.")
        #expect(try await guarded.send(user, "PUT", "/db") == notAdmin)
        #expect(try await guarded.send(admin, "PUT", "/db").status == 201)
        #expect(try await guarded.send(user, "DELETE", "/db") == notAdmin)
        #expect(try await guarded.send(user, "GET", "/_all_dbs") == notAdmin)
        #expect(try await guarded.send(user, "POST", "/_replicate", "{}") == notAdmin)
        #expect(try await guarded.send(admin, "POST", "/_replicate", "{}").status == 501)
        for (method, path, body) in [("POST", "_compact", ""), ("PUT", "_revs_limit", "20")] {
            #expect(try await guarded.send(user, method, "/db/\(path)", body).status == 401)
            #expect(try await guarded.send(admin, method, "/db/\(path)", body).status < 300)
        }
        #expect(try await guarded.send(user, "GET", "/db/_revs_limit").json == 20)
        #expect(try await guarded.send(user, "PUT", "/db/x", "{}").status == 201)
        #expect(try await guarded.send(nil, "GET", "/db/x").status == 401)
        let nothing = try await GuardedFace.token("carl", [])
        let closed = Face.Answer.failure(
            403, "forbidden", "You are not allowed to access this db.")
        #expect(try await guarded.send(nothing, "GET", "/db") == closed)
        #expect(try await guarded.send(nothing, "GET", "/none") == closed)
        #expect(try await guarded.send(admin, "DELETE", "/db").status == 200)
        await guarded.face.databases.close()
    }

    @Test func `follows the rules of tables, by the name of the database`() async throws {
        let rules = try AccessRules(
            json: Array(
                """
                {"tables":{"a-b":{"grants":[{"anonymous":true,"read":["news"]},
                {"claims":{"_couchdb.roles":"editor"},"read":["*"],"write":["news","own-${sub}"]}],
                "operations":["read","insert","update"]},
                "*":{"grants":[{"claims":{"_couchdb.roles":"_admin"},"read":["*"],"write":["*"]}]}}}
                """.utf8))
        let guarded = try await GuardedFace(rules: rules)
        let admin = try await GuardedFace.token("anna", roles: ["_admin"])
        let editor = try await GuardedFace.token("bob", roles: ["editor"])
        #expect(try await guarded.send(admin, "PUT", "/a-b").status == 201)
        #expect(try await guarded.send(admin, "PUT", "/other").status == 201)
        #expect(try await guarded.send(nil, "GET", "/other").status == 401)
        #expect(try await guarded.send(editor, "GET", "/other").status == 403)
        let body = #"{"channels":["news"]}"#
        let stored = try await guarded.send(editor, "PUT", "/a-b/x", body)
        #expect(stored.status == 201)
        #expect(
            try await guarded.send(editor, "PUT", "/a-b/y", #"{"channels":["own-bob"]}"#).status
                == 201)
        #expect(
            try await guarded.send(editor, "PUT", "/a-b/z", #"{"channels":["own-anna"]}"#).status
                == 403)
        #expect(try await guarded.send(nil, "GET", "/a-b/x").status == 200)
        #expect(try await guarded.send(nil, "GET", "/a-b/y").status == 404)
        #expect(try await guarded.send(nil, "PUT", "/a-b/z", body).status == 403)
        // The rules of the table take no deletions.
        #expect(
            try await guarded.send(editor, "DELETE", "/a-b/x?rev=\(stored.revision)").status
                == 403)
        // An administrator without a grant sees what everybody sees.
        #expect(try await guarded.send(admin, "GET", "/a-b").json["doc_count"] == 1)
        await guarded.face.databases.close()
    }

    @Test func `ends a feed with the token, and answers one that waits`() async throws {
        let clock = ManualClock()
        let guarded = try await GuardedFace(clock: clock)
        let admin = try await GuardedFace.token("anna", roles: ["_admin"])
        try await guarded.send(admin, "PUT", "/db")
        let short = try await GuardedFace.token("bob", expiresIn: .seconds(100))
        async let answer = guarded.send(
            short, "GET", "/db/_changes?feed=longpoll&since=now&heartbeat=3600000")
        await clock.sleepers(reach: 2)
        clock.advance(by: .seconds(101))
        #expect(try await answer.json["results"] == [])
        await guarded.face.databases.close()
    }

    @Test func `lets a long poll wait through what its sender may not see`() async throws {
        let clock = ManualClock()
        let guarded = try await GuardedFace(clock: clock)
        let admin = try await GuardedFace.token("anna", roles: ["_admin"])
        let reader = try await GuardedFace.token("bob", ["a"])
        try await guarded.send(admin, "PUT", "/db")
        async let answer = guarded.send(reader, "GET", "/db/_changes?feed=longpoll&since=now")
        await clock.sleepers(reach: 2)
        try await guarded.send(admin, "PUT", "/db/x", #"{"channels":["b"]}"#)
        try await guarded.send(admin, "PUT", "/db/y", #"{"channels":["a"]}"#)
        #expect(try await answer.json["results"]?.arrayValue?.map { $0["id"] } == ["y"])
        await guarded.face.databases.close()
    }

    @Test(arguments: ["?stale=ok", "?update=lazy", "?update=false", ""])
    func `keeps rows that are older than their documents from readers of a part`(
        _ freshness: String
    ) async throws {
        let guarded = try await GuardedFace()
        let admin = try await GuardedFace.token("root", roles: ["_admin"])
        let reader = try await GuardedFace.token("bob", ["public"])
        try await guarded.send(admin, "PUT", "/db")
        let database = try await guarded.face.databases.database("db").database
        try await database.addIndex(
            .keyPaths(name: "d/pay", version: "1", keys: [["kind"]], value: ["pay"]))
        for (id, channel) in [("open", "public"), ("moved", "secret"), ("purged", "secret")] {
            try await database.save(
                ["id": .init(id), "kind": "k", "pay": 7, "channels": .init([channel])])
        }
        _ = try await database.runQuery(on: "d/pay")
        var moved = try #require(try await database.fetchDocument("moved"))
        moved["channels"] = ["public"]
        moved["pay"] = 1
        try await database.save(moved)
        _ = try await database.purge(documentsWithIds: ["purged"])
        let rows = try await guarded.send(reader, "GET", "/db/_design/d/_view/pay" + freshness)
            .json["rows"]?.arrayValue
        let found = rows?.map { ($0["id"]?.stringValue, $0["value"]) } ?? []
        #expect(found.contains { $0 == ("open", 7) })
        #expect(!found.contains { $0.0 == "purged" || $0 == ("moved", 7) }, "\(found)")
        #expect(found.contains { $0.0 == "moved" } == freshness.isEmpty)
        await guarded.face.databases.close()
    }
}
