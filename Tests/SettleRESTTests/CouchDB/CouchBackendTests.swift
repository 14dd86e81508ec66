import Foundation
import HTTPTypes
import Settle
import SettleSync
import Testing

@testable import SettleREST

/// A back-end whose server answers as a test tells it.
struct ToldCouch {
    let transport: FakeTransport
    let backend: CouchBackend

    init(
        _ answers: [FullHTTPResponse], options: [String: any Sendable] = [:]
    ) throws {
        transport = FakeTransport(answers)
        var configuration = ReplicationConfiguration(
            url: try #require(URL(string: "couchdb+http://h/db")), options: options)
        configuration.options[CouchBackend.OptionName.transport] = transport
        backend = try CouchBackend(configuration)
    }

    /// The requests, without bodies.
    var lines: [String] {
        transport.asked.map { "\($0.request.method.rawValue) \($0.request.path ?? "")" }
    }

    func header(_ name: HTTPField.Name) -> [String?] {
        transport.asked.map { $0.request.headerFields[name] }
    }
}

@Suite struct `A back-end of CouchDB` {
    private static let information = FullHTTPResponse.json(
        200, #"{"db_name":"db","update_seq":"0-x","instance_start_time":"1700000000"}"#)
    private static let noDatabase = FullHTTPResponse.json(
        404, #"{"error":"not_found","reason":"Database does not exist."}"#)

    @Test func `makes a database where that is wanted`() async throws {
        let created = try ToldCouch(
            [Self.noDatabase, .json(201, #"{"ok":true}"#), Self.information],
            options: [CouchBackend.OptionName.createsDatabase: true])
        #expect(try await created.backend.begin() == #""1700000000""#)
        #expect(created.lines == ["GET /db", "PUT /db", "GET /db"])
        let missing = try ToldCouch([Self.noDatabase])
        await #expect {
            try await missing.backend.begin()
        } throws: {
            ($0 as? ReplicationError)?.code == .misconfigured
        }
    }

    @Test func `knows whether the server forgot something`() async throws {
        let told = try ToldCouch([
            Self.information, .json(201, #"{"ok":true,"instance_start_time":"1700000000"}"#),
            .json(201, #"{"ok":true,"instance_start_time":"1700000001"}"#),
            .json(404, #"{"error":"not_found","reason":"missing"}"#),
        ])
        let begun = try await told.backend.begin()
        #expect(try await told.backend.commit() == begun)
        #expect(try await told.backend.commit() != begun)
        #expect(try await told.backend.commit() == begun)
    }

    @Test func `writes a log over the one that is there`() async throws {
        let told = try ToldCouch([
            .json(200, #"{"_id":"_local/x","_rev":"0-4","session_id":"s"}"#),
            .json(201, #"{"ok":true,"id":"_local/x","rev":"0-5"}"#),
            .json(409, #"{"error":"conflict","reason":"Document update conflict."}"#),
            .json(200, #"{"_id":"_local/x","_rev":"0-9"}"#),
            .json(201, #"{"ok":true,"id":"_local/x","rev":"0-10"}"#),
        ])
        #expect(try await told.backend.log("x")?["session_id"] == "s")
        try await told.backend.setLog(["n": 1], "x")
        try await told.backend.setLog(["n": 2], "x")
        #expect(
            told.transport.asked.compactMap(\.body) == [
                #"{"_rev":"0-4","n":1}"#, #"{"_rev":"0-5","n":2}"#, #"{"_rev":"0-9","n":2}"#,
            ])
    }

    private static func found(_ ids: String...) -> FullHTTPResponse {
        let results = ids.map {
            "{\"id\":\"\($0)\",\"docs\":[{\"ok\":{\"_id\":\"\($0)\",\"_rev\":\"1-x\"}}]}"
        }
        return .json(200, "{\"results\":[\(results.joined(separator: ","))]}")
    }

    private static func wanted(_ ids: String...) -> [WantedRevisions] {
        ids.map { WantedRevisions(id: $0, revisions: ["1-x"]) }
    }

    private static func names(_ found: [FetchedRevision]) -> [String] {
        found.map {
            switch $0 {
            case .revision(let revision): revision.id
            case .fault(let id, _): "\(id) set aside"
            }
        }
    }

    @Test(arguments: [400, 404, 405, 501])
    func `reads documents one by one where nothing else is known`(_ status: Int) async throws {
        let told = try ToldCouch([
            .json(status, #"{"error":"not_found","reason":"missing"}"#),
            .json(200, #"[{"ok":{"_id":"a","_rev":"1-x"}}]"#),
            .json(404, #"{"error":"not_found","reason":"missing"}"#),
            .json(200, #"[{"ok":{"_id":"c","_rev":"1-x"}}]"#),
        ])
        #expect(try await Self.names(told.backend.fetch(Self.wanted("a", "b"))) == ["a"])
        // It is not asked again.
        #expect(try await Self.names(told.backend.fetch(Self.wanted("c"))) == ["c"])
        #expect(told.lines.count { $0.hasPrefix("POST /db/_bulk_get") } == 1)
        #expect(told.header(.accept).allSatisfy { $0 == "application/json" })
    }

    @Test func `does not take a missing database for missing documents`() async throws {
        let told = try ToldCouch([Self.noDatabase, Self.noDatabase])
        await #expect {
            try await told.backend.fetch(Self.wanted("a"))
        } throws: {
            ($0 as? ReplicationError)?.code == .misconfigured
        }
    }

    @Test func `sets a document aside that cannot be one, and takes the others`() async throws {
        let bad = FullHTTPResponse.json(
            200,
            #"{"results":[{"id":"b","docs":[{"ok":{"_id":"b","_rev":"1-x","n":99999999999999999999}}]}]}"#
        )
        let told = try ToldCouch([
            bad, bad, bad, Self.found("b"), Self.found("c"),
        ])
        // a b c -> a | b c -> b | c
        #expect(
            try await Self.names(told.backend.fetch(Self.wanted("a", "b", "c"))) == [
                "a set aside", "b", "c",
            ])
    }

    @Test func `tells a cut answer from a bad document`() async throws {
        let told = try ToldCouch([.json(200, #"{"results":[{"id":"b""#)])
        await #expect {
            try await told.backend.fetch(Self.wanted("b"))
        } throws: {
            ($0 as? ReplicationError)?.code == .protocolViolation
        }
    }

    private static func sent(_ ids: String...) -> [SentRevision] {
        ids.map { SentRevision(document: Document(id: $0), path: ["1-x"], isDeleted: false) }
    }

    @Test(arguments: [413, 400])
    func `sends halves of what is too much`(_ status: Int) async throws {
        let refused = FullHTTPResponse.json(
            status, #"{"error":"doc_validation","reason":"Bad special document member: _x"}"#)
        let told = try ToldCouch([refused, .json(201, "[]"), refused])
        let refusal = try #require(try await told.backend.store(Self.sent("a", "b")).first)
        #expect(refusal.id == "b" && refusal.rejection.statusCode == status)
        #expect(refusal.rejection.reason == "doc_validation: Bad special document member: _x")
    }

    private static func attached(_ length: Int, known: Set<String>) -> SentRevision {
        var document = Document(id: "a")
        document.attachments = [
            DocumentAttachment(name: "p", contentType: "image/png", data: Data(count: length))
        ]
        var revision = SentRevision(document: document, path: ["2-y", "1-x"], isDeleted: false)
        revision.knownAttachments = known
        return revision
    }

    @Test(arguments: [
        (10, FullHTTPResponse.json(201, #"[{"id":"a","error":"missing_stub","reason":"p"}]"#)),
        (10, .json(412, #"{"error":"missing_stub","reason":"p"}"#)),
        (100_000, .json(201, #"[{"id":"a","error":"missing_stub","reason":"p"}]"#)),
    ])
    func `sends content when the server lacks it after all`(
        _ length: Int, _ answer: FullHTTPResponse
    ) async throws {
        let told = try ToldCouch([answer, .json(201, "[]")])
        #expect(try await told.backend.store([Self.attached(length, known: ["p"])]).isEmpty)
        let bodies = told.transport.asked.compactMap(\.body)
        #expect(bodies.first?.contains(#""stub":true"#) == true)
        #expect(bodies.first?.utf8.count ?? 0 < 300)
        let isLong = length > RESTTuning.inlineSizeMax
        #expect(told.lines.last == (isLong ? "PUT /db/a?new_edits=false" : "POST /db/_bulk_docs"))
        #expect(bodies.last?.contains(isLong ? #""follows":true"# : #""data":""#) == true)
    }

    @Test(arguments: [401, 403, 409, 413])
    func `goes on after a document in parts that is refused`(_ status: Int) async throws {
        let refused = FullHTTPResponse.json(
            status, #"{"error":"forbidden","reason":"only on Fridays"}"#)
        // After 401 it looks whether it is let in at all.
        let told = try ToldCouch(
            [refused] + (status == 401 ? [Self.information] : []) + [.json(201, "[]")])
        let refusals = try await told.backend.store(
            [Self.attached(100_000, known: [])] + Self.sent("b"))
        #expect(refusals.map(\.rejection.statusCode) == [status])
        #expect(refusals.map(\.rejection.reason) == ["forbidden: only on Fridays"])
    }

    @Test func `is not let in when the database is not shown, either`() async throws {
        let refused = FullHTTPResponse.json(401, #"{"error":"unauthorized","reason":"no"}"#)
        let told = try ToldCouch([refused, refused])
        await #expect {
            try await told.backend.store([Self.attached(100_000, known: [])])
        } throws: {
            ($0 as? ReplicationError)?.code == .unauthorized
        }
    }

    @Test func `sends no more in parts than the transport can hold`() async throws {
        let told = try ToldCouch([])
        let revision = Self.attached(RESTTuning.uploadSizeMax, known: [])
        let refusals = try await told.backend.store([revision])
        #expect(refusals.map(\.id) == ["a"] && told.lines.isEmpty)
    }

    @Test func `reads contents that come in parts, and notes those that come packed`()
        async throws
    {
        let inner =
            "--i\r\ncontent-type: application/json\r\n\r\n{\"_id\":\"a\"}\r\n--i\r\n"
            + "Content-Disposition: attachment; filename=\"p\"\r\nContent-Type: image/png\r\n\r\n"
            + "xyz\r\n--i\r\nContent-Disposition: attachment; filename=\"t\"\r\n"
            + "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n\r\n??\r\n--i--"
        let body =
            "--o\r\nContent-Type: multipart/related; boundary=\"i\"\r\n\r\n\(inner)\r\n--o--"
        var answer = FullHTTPResponse.other(200, body)
        answer.head.headerFields[.contentType] = "multipart/mixed; boundary=\"o\""
        let told = try ToldCouch([answer])
        let wanted = [("p", "image/png"), ("t", "text/plain")].map {
            FetchedAttachment(name: $0.0, contentType: $0.1, length: 3)
        }
        let revision = ReceivedRevision(
            id: "a", path: ["2-y"], members: try PackedValue(.object([:])))
        let found = try await told.backend.contents(of: wanted, revision, having: ["1-x"])
        #expect(found == ["p": Data("xyz".utf8)])
        #expect(told.header(.accept) == ["multipart/mixed"])
        #expect(told.lines.first?.contains("atts_since=%5B%221-x%22%5D") == true)
        // Those would come twice: it is not asked so again.
        #expect(
            try await told.backend.contents(of: wanted, revision, having: []).isEmpty)
        #expect(told.lines.count == 1)
    }

    @Test func `sends as much at a time as CouchDB's own replicator`() async throws {
        var large = Document(id: "large")
        large["text"] = String(repeating: "x", count: 300_000)
        let revision = SentRevision(document: large, path: ["1-x"], isDeleted: false)
        let told = try ToldCouch(Array(repeating: .json(201, "[]"), count: 3))
        #expect(try await told.backend.store([revision, revision, revision]).isEmpty)
        #expect(told.lines.count == 3)
    }

    @Test func `reads long content in parts`() async throws {
        let (part, length) = (RESTTuning.downloadSizeMax, RESTTuning.downloadSizeMax + 3)
        let content = String(repeating: "x", count: length)
        let revision = ReceivedRevision(
            id: "a", path: ["1-x"], members: try PackedValue(.object([:])))
        let attachment = FetchedAttachment(name: "p", contentType: "x/y", length: length)
        for answers in [
            [.other(206, String(content.prefix(part))), .other(206, String(content.suffix(3)))],
            [.other(200, content)],
        ] as [[FullHTTPResponse]] {
            let told = try ToldCouch(answers)
            let chunks = try #require(try await told.backend.content(of: attachment, revision))
            var count = 0
            for try await chunk in chunks { count += chunk.count }
            #expect(count == length)
            let range = HTTPField.Name.range
            #expect(told.header(range).first == "bytes=0-\(part - 1)")
        }
    }

    @Test(arguments: [400, 415, 501])
    func `packs what it sends as long as the server understands it`(_ status: Int) async throws {
        var document = Document(id: "long")
        document["text"] = String(repeating: "some words ", count: 1_000)
        let revision = SentRevision(document: document, path: ["1-x"], isDeleted: false)
        let good = try ToldCouch([.json(201, "[]"), .json(201, "[]")])
        for _ in 0..<2 { #expect(try await good.backend.store([revision]).isEmpty) }
        #expect(good.header(.contentEncoding) == ["gzip", "gzip"])
        let bad = try ToldCouch([
            .json(status, #"{"error":"bad_ctype","reason":"gzip"}"#), .json(201, "[]"),
            .json(201, "[]"),
        ])
        for _ in 0..<2 { #expect(try await bad.backend.store([revision]).isEmpty) }
        #expect(bad.header(.contentEncoding) == ["gzip", nil, nil])
        let not = try ToldCouch(
            [.json(201, "[]")], options: [CouchBackend.OptionName.packsRequests: false])
        #expect(try await not.backend.store([revision] + Self.sent("short")).isEmpty)
        #expect(not.header(.contentEncoding) == [nil])
    }

    @Test(arguments: [(1, 1), (3, 3), (8, 4), (0, 1)])
    func `has as many bulk writes under way as operations may be, and four at most`(
        _ given: Int, _ expected: Int
    ) throws {
        var configuration = ReplicationConfiguration(
            url: try #require(URL(string: "couchdb+https://h/db")), isRepeating: false)
        configuration.concurrentRequestsMax = given
        #expect(try CouchBackend(configuration).bulkCountMax == expected)
    }

    @Test(arguments: [
        ("127.0.0.1:5984", false), ("localhost", false), ("LOCALHOST:1", false), ("[::1]:1", false),
        ("localhost.example.org", true), ("h", true),
    ])
    func `packs nothing for its own machine unless it is told to`(
        _ authority: String, _ packs: Bool
    ) throws {
        let url = try #require(URL(string: "couchdb+http://\(authority)/db"))
        let configuration = ReplicationConfiguration(url: url)
        #expect(try CouchBackend(configuration).packsRequests == packs)
    }

    @Test func `refuses options that contradict each other`() throws {
        typealias Name = CouchBackend.OptionName
        for options in [
            [Name.user: "a"], [Name.user: "a", Name.password: "b", Name.token: "c"],
            [Name.documentIds: ["a"], Name.selector: "{}"], [Name.selector: "["],
            [Name.createsDatabase: 1], ["unknown": 1], [Name.timeoutSeconds: 0],
        ] as [[String: any Sendable]] {
            #expect(throws: ReplicationError.self, "\(options)") {
                try ToldCouch([], options: options)
            }
        }
    }
}
