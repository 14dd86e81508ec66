import HTTPTypes
import Settle
import Testing

@testable import SettleServer

/// Update, delete and undelete, after the transcripts of the original server (B3).
@Suite(.serialized) struct `Write contract` {
    /// A table with the item `a`, and its version.
    private static func withItem(
        _ test: @escaping @Sendable (TestServer, String) async throws -> Void
    ) async throws {
        try await TestServer.run { server in
            let item = try await server.send(
                .post, "/tables/t", ["id": "a", "text": "one", "n": 1, "o": ["x": 1, "y": 2]])
            server.clock.advance(microseconds: 1_000_000)
            try await test(server, try #require(item.etag))
        }
    }

    @Test func `an update with the current version merges and answers 200`() async throws {
        try await Self.withItem { server, etag in
            let reply = try await server.send(
                .patch, "/tables/t/a", ["text": "two", "o": ["z": 3]], ifMatch: etag)
            #expect(reply.status == 200)
            #expect(reply.etag != etag)
            #expect(reply.json?["text"] == "two")
            #expect(reply.json?["n"] == 1)
            #expect(reply.json?["o"] == ["z": 3])
            #expect(reply.json?["createdAt"] == "2020-09-13T12:26:40.000Z")
            #expect(reply.json?["updatedAt"] == "2020-09-13T12:26:41.000Z")
        }
    }

    @Test func `a stale version is 412 with the server's item`() async throws {
        try await Self.withItem { server, etag in
            let current = try await server.send(
                .patch, "/tables/t/a", ["text": "two"], ifMatch: etag)
            for reply in [
                try await server.send(.patch, "/tables/t/a", ["text": "x"], ifMatch: etag),
                try await server.send(.patch, "/tables/t/a", [:], ifMatch: etag),
                try await server.send(.delete, "/tables/t/a", ifMatch: etag),
                try await server.send(.post, "/tables/t/a", ifMatch: etag),
            ] {
                #expect(reply.status == 412)
                #expect(reply.json == current.json)
                #expect(reply.etag == current.etag)
            }
        }
    }

    @Test func `a stale version in the body alone is 409 with the server's item`() async throws {
        try await Self.withItem { server, etag in
            let current = try await server.send(.patch, "/tables/t/a", ["text": "two"])
            let seen = JSONValue.string(String(etag.dropFirst().dropLast()))
            let stale = try await server.send(
                .patch, "/tables/t/a", ["text": "three", "version": seen])
            #expect(stale.status == 409)
            #expect(stale.json == current.json)
            #expect(stale.etag == current.etag)
            let version = try #require(current.json?["version"])
            let fresh = try await server.send(
                .patch, "/tables/t/a", ["text": "three", "version": version])
            #expect(fresh.status == 200)
            // If-Match decides when both are there.
            let both = try await server.send(
                .patch, "/tables/t/a", ["text": "four", "version": seen], ifMatch: fresh.etag)
            #expect(both.status == 200)
        }
    }

    @Test func `If-Match star means any version, unlike the original's 412`() async throws {
        try await Self.withItem { (server, _) async throws in
            #expect(
                try await server.send(.patch, "/tables/t/a", ["n": 2], ifMatch: "*").status == 200)
            #expect(try await server.send(.delete, "/tables/t/a", ifMatch: "*").status == 204)
            #expect(try await server.send(.post, "/tables/t/a", ifMatch: "*").status == 200)
            #expect(
                try await server.send(.patch, "/tables/t/x", ["n": 2], ifMatch: "*").status == 404)
        }
    }

    @Test func `a version without quotes is taken for one`() async throws {
        try await Self.withItem { (server, etag) async throws in
            let bare = String(etag.dropFirst().dropLast())
            #expect(
                try await server.send(.patch, "/tables/t/a", ["n": 2], ifMatch: bare).status == 200)
        }
    }

    @Test(arguments: ["W/\"x\"", "\"x\", \"y\"", "\"x", "\"x\" y", " ", ","])
    func `weak, several and malformed If-Match are 400`(value: String) async throws {
        try await Self.withItem { server, etag in
            let reply = try await server.send(.patch, "/tables/t/a", ["n": 2], ifMatch: value)
            #expect(reply.status == 400)
            #expect(try await server.send(.get, "/tables/t/a").etag == etag)
        }
    }

    @Test func `without any version the last write wins`() async throws {
        try await Self.withItem { (server, _) async throws in
            #expect(try await server.send(.patch, "/tables/t/a", ["n": 2]).status == 200)
            #expect(try await server.send(.patch, "/tables/t/a", ["n": 3]).json?["n"] == 3)
        }
    }

    @Test func `ids that differ are 400, the same id is fine`() async throws {
        try await Self.withItem { (server, _) async throws in
            #expect(try await server.send(.patch, "/tables/t/a", ["id": "b"]).status == 400)
            #expect(try await server.send(.patch, "/tables/t/a", ["id": 1]).status == 400)
            #expect(
                try await server.send(.patch, "/tables/t/a", ["id": "a", "n": 2]).status == 200)
        }
    }

    @Test func `an empty update changes nothing, unlike the original's 500`() async throws {
        try await Self.withItem { server, etag in
            let reply = try await server.send(.patch, "/tables/t/a", [:], ifMatch: etag)
            #expect(reply.status == 200)
            #expect(reply.etag == etag)
        }
    }

    @Test func `null is stored and members can be new`() async throws {
        try await Self.withItem { server, _ in
            let reply = try await server.send(
                .patch, "/tables/t/a", ["text": .null, "extra": 1.5])
            #expect(reply.json?["text"] == .null)
            #expect(reply.json?["extra"] == 1.5)
        }
    }

    @Test func `what does not exist is 404`() async throws {
        try await Self.withItem { server, _ in
            for reply in [
                try await server.send(.get, "/tables/t/nope"),
                try await server.send(.patch, "/tables/t/nope", ["text": "x"]),
                try await server.send(.delete, "/tables/t/nope"),
                try await server.send(.post, "/tables/t/nope"),
            ] {
                #expect(reply.status == 404)
                #expect(reply.error == "The item does not exist.")
            }
        }
    }

    @Test func `a delete is soft and answers 204`() async throws {
        try await Self.withItem { server, etag in
            let deletion = try await server.send(.delete, "/tables/t/a", ifMatch: etag)
            #expect(deletion.status == 204)
            #expect(deletion.bytes == [])
            #expect(try await server.send(.get, "/tables/t/a").status == 404)
            #expect(try await server.send(.get, "/tables/t").json == [])
            // The flag works by id too, unlike the original's 404.
            for name in ["__includeDeleted", "__includedeleted", "__INCLUDEDELETED"] {
                let read = try await server.send(.get, "/tables/t/a?\(name)=true")
                #expect(read.status == 200)
                #expect(read.json?["deleted"] == true)
                #expect(read.json?["text"] == "one")
                #expect(read.etag == deletion.etag)
                #expect(try await server.send(.get, "/tables/t?\(name)=true").ids == ["a"])
            }
            #expect(try await server.send(.get, "/tables/t?__includeDeleted=false").json == [])
            // Anything else is a mistake, unlike in the original, where it means yes.
            for value in ["1", "", "yes"] {
                let path = "/tables/t?__includeDeleted=\(value)"
                #expect(try await server.send(.get, path).status == 400)
            }
            #expect(
                try await server.send(.delete, "/tables/t/a", ifMatch: deletion.etag).status == 404)
            #expect(try await server.send(.delete, "/tables/t/a", ifMatch: etag).status == 404)
        }
    }

    @Test func `an update of a deleted item answers with it, unlike the original's 404`()
        async throws
    {
        try await Self.withItem { server, etag in
            let deletion = try await server.send(.delete, "/tables/t/a")
            for ifMatch in [etag, deletion.etag, "*"] {
                let reply = try await server.send(
                    .patch, "/tables/t/a", ["text": "ghost"], ifMatch: ifMatch)
                #expect(reply.status == 412)
                #expect(reply.json?["deleted"] == true)
                #expect(reply.etag == deletion.etag)
            }
            let plain = try await server.send(.patch, "/tables/t/a", ["text": "ghost"])
            #expect(plain.status == 409)
            #expect(plain.json?["deleted"] == true)
        }
    }

    @Test func `an undelete brings the item back with its members`() async throws {
        try await Self.withItem { server, etag in
            let deletion = try await server.send(.delete, "/tables/t/a")
            #expect(try await server.send(.post, "/tables/t/a", ifMatch: etag).status == 412)
            #expect(try await server.send(.post, "/tables/t/a", ["a": 1]).status == 400)
            let back = try await server.send(.post, "/tables/t/a", ifMatch: deletion.etag)
            #expect(back.status == 200)
            #expect(back.json?["deleted"] == false)
            #expect(back.json?["text"] == "one")
            #expect(back.etag != deletion.etag)
            // Of a live item it changes nothing.
            let again = try await server.send(.post, "/tables/t/a")
            #expect(again.status == 200)
            #expect(again.etag == back.etag)
            #expect(try await server.send(.get, "/tables/t/a").json == back.json)
        }
    }

    @Test func `a request whose answer was lost can be sent again`() async throws {
        try await Self.withItem { server, etag in
            let insert = try await server.send(.post, "/tables/t", ["id": "a", "text": "one"])
            #expect(insert.status == 409)
            #expect(insert.etag == etag)
            let update = try await server.send(
                .patch, "/tables/t/a", ["text": "two"], ifMatch: etag)
            let second = try await server.send(
                .patch, "/tables/t/a", ["text": "two"], ifMatch: etag)
            #expect(second.status == 412)
            #expect(second.json == update.json)
            #expect(
                try await server.send(.delete, "/tables/t/a", ifMatch: update.etag).status == 204)
            #expect(
                try await server.send(.delete, "/tables/t/a", ifMatch: update.etag).status == 404)
        }
    }

    @Test func `concurrent updates with one version let exactly one through`() async throws {
        try await Self.withItem { server, etag in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await server.send(
                            .patch, "/tables/t/a", ["n": .integer(Int64(number))], ifMatch: etag
                        ).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200] + Array(repeating: 412, count: 7))
        }
    }
}
