import Settle
import SettleREST
import SettleSync
import Testing

/// Writes, against what Azure Mobile Apps for node 4.0.3 was recorded to answer.
@Suite(.serialized) struct `Contract of writes, node server of generation 2` {
    private static func item(_ version: String, _ rest: String = "", deleted: Bool = false)
        -> String
    {
        #"{"id":"a","createdAt":"2024-01-01T00:00:00.001Z","updatedAt":"2024-01-01T00:00:00.004Z","#
            + #""version":"\#(version)","deleted":\#(deleted),"text":"two","n":1,"flag":true,"#
            + #""big":null,"neg":null,"d":null\#(rest)}"#
    }

    private let missing = FullHTTPResponse.json(
        404, #"{"error":"The item does not exist"}"#, tag: #"W/"22-x""#)

    @Test func `an insert is POST and takes the version from the strong tag`() async throws {
        let answer =
            #"{"id":"a","createdAt":"2024-01-01T00:00:00.001Z","updatedAt":"2024-01-01T00:00:00.001Z","#
            + #""version":"MQ==","deleted":false,"text":"one","n":1,"flag":true}"#
        let node = try Transcript(.v2, .json(201, answer, tag: #""MQ==""#))
        let outcome = try await node.send(.insert, ["text": "one", "n": 1, "flag": true])
        #expect(
            node.lines == [
                #"POST /tables/todoitem2 {"flag":true,"id":"a","n":1,"text":"one"}"#
            ])
        #expect(try node.header("ZUMO-API-VERSION") == ["2.0.0"])
        #expect(try node.header("Content-Type") == ["application/json"])
        outcome.expect("stored", version: "MQ==")
        #expect(outcome.shown.item?.members == ["text": "one", "n": 1, "flag": true])
    }

    // The body that comes back is what was sent, and its tag a hash of the text.
    @Test func `a duplicate insert is a conflict with the item that a list shows`() async throws {
        let node = try Transcript(
            .v2, .json(409, #"{"id":"a","text":"dup"}"#, tag: #"W/"17-x""#),
            .json(200, "[\(Self.item("MQ=="))]", tag: #"W/"99-x""#))
        let outcome = try await node.send(.insert, ["text": "dup"])
        #expect(
            node.lines[1] == "GET /tables/todoitem2?$filter=id eq 'a'&__includeDeleted=true")
        outcome.expect("conflict", version: "MQ==")
    }

    @Test func `an insert over a deleted row is a conflict with that row`() async throws {
        let node = try Transcript(
            .v2, .json(409, #"{"id":"a","text":"again"}"#, tag: #"W/"19-x""#),
            .json(200, "[\(Self.item("Ng==", deleted: true))]"))
        try await node.send(.insert, ["text": "again"]).expect(
            "conflict", version: "Ng==", isDeleted: true)
    }

    @Test func `members of the system's names never travel under them`() async throws {
        let node = try Transcript(.v2, .json(201, Self.item("MQ=="), tag: #""MQ==""#))
        _ = try await node.send(
            .insert, ["version": "Zm9v", "updatedAt": 1, "deleted": true, "createdAt": 2])
        #expect(
            node.lines == [
                #"POST /tables/todoitem2 {"_createdAt":2,"_deleted":true,"_updatedAt":1,"#
                    + #""_version":"Zm9v","id":"a"}"#
            ])
    }

    @Test(arguments: [
        (400, #"{"error":"Cannot update item with property 'updatedAt' as it is reserved"}"#),
        (400, #"{"error":"request entity too large"}"#),
        (400, #"{"error":"Expected ',' or '}' after property value in JSON at position 9"}"#),
        (405, "Method insert is not allowed"), (413, "Too large"), (415, ""), (422, "no"),
        (403, "not yours"),
    ])
    func `what is refused for good is set aside with the server's words`(
        status: Int, words: String
    ) async throws {
        let isJSON = words.hasPrefix("{")
        let node = try Transcript(
            .v2, .other(status, words, type: isJSON ? "application/json" : "text/plain"))
        let (kind, _) = try await node.send(.insert).shown
        #expect(kind.hasPrefix("rejected ") && kind.contains("\(status)"))
        if !isJSON { #expect(kind.contains(words)) }
    }

    @Test(arguments: [
        (FullHTTPResponse.json(500, #"{"error":"Unsupported type: Array"}"#), "serverFailed"),
        (.other(403, "<h1>This web app is stopped.</h1>", type: "text/html"), "unauthorized"),
        (.other(503, "<h1>Unavailable</h1>", type: "text/html", retryAfter: "2"), "busy"),
        (.other(429, retryAfter: "2"), "busy"),
        (.other(404, "Cannot POST /tables/nope", type: "text/html"), "misconfigured"),
        (
            .json(
                400,
                #"{"error":"An invalid API version was specified in the request, this request needs to specify a ZUMO-API-VERSION of 2.0.0."}"#
            ), "misconfigured"
        ),
        (.other(200, "<html></html>", type: "text/html"), "protocolViolation"),
        (.json(201, #"{"id":"a","vers"#), "protocolViolation"),
    ])
    func `what has nothing to do with the item ends the push`(
        answer: FullHTTPResponse, code: String
    ) async throws {
        let node = try Transcript(.v2, answer)
        await #expect {
            try await node.send(.insert)
        } throws: {
            ($0 as? ReplicationError)?.code.description == code
        }
    }

    @Test func `an update is PATCH with If-Match`() async throws {
        let node = try Transcript(.v2, .json(200, Self.item("Mg=="), tag: #""Mg==""#))
        let outcome = try await node.send(.update, base: "MQ==", ["text": "two"])
        #expect(
            node.lines == [#"PATCH /tables/todoitem2/a If-Match: "MQ==" {"text":"two"}"#])
        outcome.expect("stored", version: "Mg==")
    }

    @Test func `an update may send what changed only, and what was removed as null`()
        async throws
    {
        let node = try Transcript(.v2, .json(200, Self.item("Mg=="), tag: #""Mg==""#))
        _ = try await node.send(
            .update, base: "MQ==", ["text": "two", "n": 1, "version": 9],
            changed: ["text", "gone"], only: true)
        #expect(
            node.lines == [
                #"PATCH /tables/todoitem2/a If-Match: "MQ==" {"gone":null,"text":"two"}"#
            ])
    }

    // `{}` is answered with 500 by the SQLite provider.
    @Test func `an update with nothing in it is not sent`() async throws {
        for (members, only) in [(["n": 1], true), ([:], false)] as [([String: JSONValue], Bool)] {
            let node = try Transcript(.v2, .json(200, "[\(Self.item("MQ=="))]"))
            let outcome = try await node.send(
                .update, base: "MQ==", members, changed: [], only: only)
            #expect(
                node.lines == ["GET /tables/todoitem2?$filter=id eq 'a'&__includeDeleted=true"])
            outcome.expect("stored", version: "MQ==")
        }
        let node = try Transcript(.v2, .json(200, "[\(Self.item("Mg=="))]"))
        try await node.send(.update, base: "MQ==", changed: [], only: true)
            .expect("conflict", version: "Mg==")
    }

    @Test func `a stale update is a conflict with the item in the answer`() async throws {
        for status in [412, 409] {
            let node = try Transcript(.v2, .json(status, Self.item("Mg=="), tag: #""Mg==""#))
            try await node.send(.update, base: "MQ==", ["text": "three"])
                .expect("conflict", version: "Mg==")
            #expect(node.lines.count == 1)
        }
    }

    @Test func `an update of a deleted or missing row is a conflict with what a list shows`()
        async throws
    {
        var node = try Transcript(
            .v2, missing, .json(200, "[\(Self.item("Ng==", deleted: true))]"))
        try await node.send(.update, base: "NQ==", ["text": "ghost"])
            .expect("conflict", version: "Ng==", isDeleted: true)
        node = try Transcript(.v2, missing, .json(200, "[]"))
        try await node.send(.update, base: "NQ==", ["text": "ghost"]).expect("conflict")
    }

    @Test func `a deletion is DELETE, answered with 200 and the item`() async throws {
        let node = try Transcript(
            .v2, .json(200, Self.item("Ng==", deleted: true), tag: #""Ng==""#))
        let outcome = try await node.send(.delete, base: "NQ==")
        #expect(node.lines == [#"DELETE /tables/todoitem2/a If-Match: "NQ==""#])
        outcome.expect("deleted", version: "Ng==", isDeleted: true)
    }

    @Test func `a deletion of a table without soft delete answers with the item as it was`()
        async throws
    {
        let node = try Transcript(.v2, .json(200, Self.item("MQ=="), tag: #""MQ==""#))
        try await node.send(.delete, base: "MQ==")
            .expect("deleted", version: "MQ==", isDeleted: true)
    }

    @Test func `a deletion that was done already is done`() async throws {
        let node = try Transcript(.v2, missing)
        try await node.send(.delete, base: "Mg==").expect("deleted")
    }

    // A page of the network's, such as one to log in at, says nothing about the item.
    @Test func `a deletion that a web page answers is not done unless the row is gone`()
        async throws
    {
        let login = FullHTTPResponse.other(200, "<html>Log in</html>", type: "text/html")
        let none = FullHTTPResponse.other(404, "<html>Not found</html>", type: "text/html")
        let live = FullHTTPResponse.json(200, "[\(Self.item("Mg=="))]")
        for answers in [[login], [none, live], [none, none]] {
            let node = try Transcript(.v2, answers[0], answers[answers.count - 1])
            await #expect(throws: ReplicationError.self) {
                try await node.send(.delete, base: "Mg==")
            }
            #expect(node.lines.count == answers.count)
        }
        let node = try Transcript(.v2, none, .json(200, "[]"))
        try await node.send(.delete, base: "Mg==").expect("deleted")
    }

    @Test func `a stale deletion is a conflict`() async throws {
        let node = try Transcript(.v2, .json(412, Self.item("NQ=="), tag: #""NQ==""#))
        try await node.send(.delete, base: "MQ==").expect("conflict", version: "NQ==")
    }

    @Test func `an undeletion is POST to the row, without a body`() async throws {
        let node = try Transcript(.v2, .json(201, Self.item("Nw=="), tag: #""Nw==""#))
        let outcome = try await node.send(.undelete, base: "Ng==")
        #expect(node.lines == [#"POST /tables/todoitem2/a If-Match: "Ng==""#])
        outcome.expect("stored", version: "Nw==")
    }

    @Test func `a stale undeletion is a conflict with the deleted row`() async throws {
        let node = try Transcript(
            .v2, .json(412, Self.item("Ng==", deleted: true), tag: #""Ng==""#))
        try await node.send(.undelete, base: "NQ==")
            .expect("conflict", version: "Ng==", isDeleted: true)
    }

    @Test func `odd identifiers are one segment of the path`() async throws {
        let node = try Transcript(.v2, missing)
        _ = try await node.send(.delete, id: "b/c d")
        #expect(node.wireLines == ["DELETE /tables/todoitem2/b%2Fc%20d"])
    }

    // The answer was lost after the work was done, and the same request is sent again.
    @Test func `repeated requests are answered with what they did`() async throws {
        let held =
            #"{"id":"a","updatedAt":"2024-01-01T00:00:00.001Z","version":"MQ==","deleted":false,"text":"one"}"#
        var node = try Transcript(
            .v2, .json(409, #"{"id":"a","text":"one"}"#, tag: #"W/"17-x""#),
            .json(200, "[\(held)]"))
        let insert = try await node.send(.insert, ["text": "one"])
        insert.expect("conflict", version: "MQ==")
        #expect(insert.shown.item?.members == ["text": "one"])
        node = try Transcript(.v2, .json(412, Self.item("Mg=="), tag: #""Mg==""#))
        let update = try await node.send(.update, base: "MQ==", ["text": "two"])
        #expect(update.shown.item?.members["text"] == "two")
        node = try Transcript(.v2, missing)
        try await node.send(.delete, base: "Mg==").expect("deleted")
    }
}
