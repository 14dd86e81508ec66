import Foundation
import Settle
import SettleSync
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct `Serving and syncing` {
    private let tool: BuiltTool

    init() throws {
        tool = try BuiltTool()
    }

    /// A server in a process of its own, ended by SIGINT.
    private func withServer(
        _ options: [String], _ body: (_ table: String, ScratchDirectory) async throws -> Void
    ) async throws {
        try await withScratchDirectory("serve") { scratch in
            let directory = scratch.file("server").path
            let server = try tool.start(
                ["serve", "--directory", directory, "--port", "0", "--json"] + options)
            let line = await server.firstLine() ?? ""
            let address = try? Document(json: line).string("url")
            if let address { try await body(address + "/tables/items", scratch) }
            server.interrupt()
            let outcome = await server.outcome()
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
            #expect(address != nil, "\(outcome)")
        }
    }

    private func run(
        _ arguments: [String], input: String = "", status: Int32 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> BuiltTool.Outcome {
        let outcome = try await tool.run(arguments, input: input)
        #expect(
            outcome.status == status, "\(arguments): \(outcome)", sourceLocation: sourceLocation)
        return outcome
    }

    private func contents(_ path: String) async throws -> String {
        try await run(["get", path, "--all", "--json"]).output
    }

    @Test func `brings two databases to the same state`() async throws {
        try await withServer(["--anonymous"]) { table, scratch in
            let (shop, copy) = (scratch.file("shop").path, scratch.file("copy").path)
            let items = (1...30).map { "{\"id\":\"i\($0)\",\"n\":\($0),\"o\":{\"a\":[null]}}\n" }
            _ = try await run(["import", shop, "-"], input: items.joined())
            let first = try await run(["sync", shop, table])
            #expect(first.output.hasPrefix("30 sent, 0 received in "))
            let second = try await run(["sync", copy, table, "--json"])
            #expect(second.output.contains("\"pulled\":30,\"pushed\":0,"))
            let (atShop, atCopy) = (try await contents(shop), try await contents(copy))
            #expect(atShop == atCopy && atShop.split(separator: "\n").count == 30)
            let again = try await run(["sync", shop, table])
            #expect(again.output.hasPrefix("0 sent, 0 received in "))
        }
    }

    @Test func `leaves a conflict until somebody decides`() async throws {
        try await withServer(["--anonymous"]) { table, scratch in
            let (a, b) = (scratch.file("a").path, scratch.file("b").path)
            _ = try await run(["import", a, "-"], input: "{\"id\":\"x\",\"n\":0}")
            _ = try await run(["sync", a, table])
            _ = try await run(["sync", b, table])
            _ = try await run(["import", a, "-"], input: "{\"id\":\"x\",\"n\":1}")
            _ = try await run(["import", b, "-"], input: "{\"id\":\"x\",\"n\":2}")
            _ = try await run(["sync", a, table])

            let left = try await run(["sync", b, table], status: 1)
            #expect(left.output.contains("1 conflict left") || left.output.contains("0 sent"))
            #expect(left.errors.contains("'x': changed here and on the server."))
            #expect(left.errors.contains("1 conflict is left"))
            #expect(try await contents(b).contains("\"n\":2"))

            let settled = try await run(["sync", b, table, "--on-conflict", "local"])
            #expect(settled.output.hasPrefix("1 sent"))
            _ = try await run(["sync", a, table])
            let (atA, atB) = (try await contents(a), try await contents(b))
            #expect(atA == atB && atA.contains("\"n\":2"))
        }
    }

    @Test func `keeps the tables of one database apart by their types`() async throws {
        try await withServer(["--anonymous"]) { table, scratch in
            let (desk, copy) = (scratch.file("desk").path, scratch.file("copy").path)
            let (todos, notes) = (
                table.replacingOccurrences(of: "items", with: "todos"),
                table.replacingOccurrences(of: "items", with: "notes")
            )
            let text = """
                {"id":"t","type":"todo","n":1}
                {"id":"n","type":"note","n":1}
                {"id":"u","type":"todo","n":1}

                """
            _ = try await run(["import", desk, "-"], input: text)
            let unclear = try await run(["sync", desk, todos, notes], status: 1)
            #expect(unclear.errors.contains("--type"))
            _ = try await run(["sync", desk, todos, notes, "--type", "todo"], status: 64)
            let types = ["--type", "todo", "--type", "note"]
            let first = try await run(["sync", desk, todos, notes, "--keep-order"] + types)
            #expect(first.lines.count == 2)
            #expect(first.lines[0].hasPrefix("\(todos): 2 sent, 0 received in "))
            #expect(first.lines[1].hasPrefix("\(notes): 1 sent, 0 received in "))
            // From now on the database knows.
            let again = try await run(["sync", desk, notes, todos, "--json"])
            #expect(again.lines[0].contains("\"table\":\"\(notes)\""))
            _ = try await run(["sync", copy, todos, notes] + types)
            #expect(try await contents(copy) == contents(desk))

            _ = try await run(["import", desk, "-"], input: "{\"id\":\"n2\",\"type\":\"note\"}")
            let forgotten = try await run(["forget", desk, todos])
            #expect(forgotten.output == "2 documents removed here.\n")
            _ = try await run(["forget", desk, notes], status: 1)
            let given = try await run(["forget", desk, notes, "--discard-pending"])
            #expect(given.output == "2 documents removed here.\n")
            let back = try await run(["sync", desk, todos, notes])
            #expect(back.lines[0].contains(" 2 received"))
            #expect(try await contents(copy) == contents(desk))
        }
    }

    @Test func `limits a token to its channels`() async throws {
        try await withScratchDirectory("secret") { secrets in
            let secret = try secrets.write(String(repeating: "s3cret", count: 8), to: "secret").path
            try await withServer(["--secret-file", secret]) { table, scratch in
                let all = scratch.file("all").path
                let text =
                    "{\"id\":\"a\",\"channels\":[\"x\"]}\n{\"id\":\"b\",\"channels\":[\"y\"]}\n"
                _ = try await run(["import", all, "-"], input: text)
                let refused = try await run(["sync", all, table], status: 1)
                #expect(refused.errors.contains("oken"), "\(refused)")

                let free = try await run(["token", "--secret-file", secret])
                let file = try scratch.write(free.output, to: "token").path
                let sent = try await run(["sync", all, table, "--token-file", file])
                #expect(sent.output.hasPrefix("2 sent"))

                let narrow = try await run(
                    ["token", "--secret-file", secret, "--channel", "x", "--expires-in", "5m"])
                let part = scratch.file("part").path
                let outcome = try await tool.run(
                    ["sync", part, table], environment: ["SETTLE_TOKEN": narrow.lines[0]])
                #expect(outcome.output.contains(" 1 received"), "\(outcome)")
                #expect(try await contents(part) == "{\"channels\":[\"x\"],\"id\":\"a\"}\n")
            }
        }
    }

    @Test func `sends alone, and withdraws what the server refuses`() async throws {
        try await withScratchDirectory("secret") { secrets in
            let secret = try secrets.write(String(repeating: "s3cret", count: 8), to: "secret").path
            try await withServer(["--secret-file", secret]) { table, scratch in
                let made = try await run(["token", "--secret-file", secret, "--channel", "x"])
                let token = try scratch.write(made.output, to: "token").path
                let (shop, copy) = (scratch.file("shop").path, scratch.file("copy").path)
                let sync = ["sync", shop, table, "--token-file", token]
                let text =
                    "{\"id\":\"a\",\"channels\":[\"x\"]}\n{\"id\":\"b\",\"channels\":[\"y\"]}\n"
                let there = "{\"id\":\"c\",\"channels\":[\"x\"]}"
                _ = try await run(["import", copy, "-"], input: there)
                _ = try await run(["sync", copy, table, "--token-file", token])
                _ = try await run(["import", shop, "-"], input: text)
                let refused = try await run(sync + ["--push-only"], status: 1)
                #expect(refused.output.hasPrefix("1 sent, 0 received"), "\(refused)")
                #expect(refused.errors.contains("'b'"))
                #expect(refused.errors.contains("settle withdraw"))
                #expect(try await !contents(shop).contains("\"c\""))

                let withdraw = ["withdraw", shop, table, "--token-file", token]
                let none = try await run(withdraw + ["a", "--drop-both"], status: 1)
                #expect(none.errors.contains("'a' has nothing that waits"))
                _ = try await run(withdraw + ["--drop-both"], status: 64)
                _ = try await run(withdraw + ["b"], status: 64)
                let done = try await run(withdraw + ["--refused", "--take-theirs"])
                #expect(done.lines == ["1 change withdrawn."])
                #expect(try await contents(shop) == "{\"channels\":[\"x\"],\"id\":\"a\"}\n")
                let again = try await run(sync)
                #expect(again.output.hasPrefix("0 sent, 1 received"), "\(again)")
                _ = try await run(sync + ["--push-only", "--pull-only"], status: 64)
            }
        }
    }

    @Test func `asks for as many rows at a time as it is told`() async throws {
        try await withServer(["--anonymous"]) { table, scratch in
            let (shop, copy) = (scratch.file("shop").path, scratch.file("copy").path)
            let items = (1...5).map { "{\"id\":\"i\($0)\"}\n" }
            _ = try await run(["import", shop, "-"], input: items.joined())
            _ = try await run(["sync", shop, table, "--page-size", "1000"])
            let synced = try await run(["sync", copy, table, "--page-size", "2"])
            #expect(synced.output.hasPrefix("0 sent, 5 received in "))
            for size in ["0", "1001", "-1", "x"] {
                let refused = try await run(
                    ["sync", copy, table, "--page-size=\(size)"], status: 64)
                #expect(refused.errors.contains("--page-size"))
            }
        }
    }

    @Test func `fetches the rows of a query`() async throws {
        try await withServer(["--anonymous"]) { table, scratch in
            let shop = scratch.file("shop").path
            let items = (1...6).map { "{\"id\":\"i\($0)\",\"n\":\($0 % 4)}\n" }
            _ = try await run(["import", shop, "-"], input: items.joined())
            _ = try await run(["sync", shop, table])

            let filtered = scratch.file("filtered").path
            let sync = ["sync", filtered, table, "--filter", "n ge 2 or id eq 'i4'"]
            #expect(try await run(sync).output.hasPrefix("0 sent, 4 received in "))
            #expect(try await identifiers(filtered) == ["i2", "i3", "i4", "i6"])
            // It goes on where it got to; under another name it begins again.
            #expect(try await run(sync).output.hasPrefix("0 sent, 0 received in "))
            let named = try await run(sync + ["--query-id", "mine", "--json"])
            #expect(
                named.output.contains("\"pulled\":0") && named.output.contains("\"received\":4"))

            let largest = scratch.file("largest").path
            let once = [
                "sync", largest, table, "--order-by", "n desc", "--order-by", "id", "--limit", "2",
                "--offset", "1", "--parameter", "extra=a b",
            ]
            // 3: i3; 2: i2, i6; 1: i1, i5.
            #expect(try await run(once).output.hasPrefix("0 sent, 2 received in "))
            #expect(try await identifiers(largest) == ["i2", "i6"])
            _ = try await run(["import", largest, "-"], input: "{\"id\":\"new\",\"n\":9}\n")
            let again = try await run(once + ["--json"])
            #expect(
                again.output.contains("\"pushed\":1") && again.output.contains("\"received\":2"))
            #expect(try await identifiers(largest) == ["i2", "i3", "i6", "new"])

            let refused = try await run(
                ["sync", filtered, table, "--filter", "n ge nothing at all"], status: 1)
            #expect(!refused.errors.isEmpty)
        }
    }

    private func identifiers(_ path: String) async throws -> [String] {
        try await contents(path).split(separator: "\n")
            .compactMap { try Document(json: String($0)).id }.sorted()
    }

    @Test(arguments: [
        (["--filter", "n eq (1"], "not closed"), (["--filter", ""], "empty"),
        (["--order-by", "n down"], "desc"), (["--order-by", "a'b"], "'a'b'"),
        (["--limit", "0"], "--limit"), (["--offset=-1"], "--offset"),
        (["--parameter", "x"], "name=value"), (["--parameter", "$top=1"], "$top"),
        (["--parameter", "a=1", "--parameter", "a=2"], "twice"),
        (["--query-id", ""], "--query-id"),
        (["--query-id", "q", "--limit", "1"], "--query-id"),
        (["--limit", "1", "--repeat"], "--repeat"),
        (["--offset", "1", "--reconcile"], "--reconcile"),
        (["--filter", "n eq 1", "--push-only"], "--push-only"),
    ])
    func `refuses a query that cannot be asked`(options: [String], word: String) async throws {
        try await withScratchDirectory("query") { scratch in
            let path = scratch.file("db").path
            let refused = try await run(
                ["sync", path, "http://127.0.0.1:1/tables/items"] + options, status: 64)
            #expect(refused.errors.contains(word), "\(refused)")
        }
    }

    /// A remote with rows that cannot be documents.
    private struct WrongTable: Backend {
        let identifier: String

        func pull(
            _ query: PullQuery, after token: PullToken?, itemCountMax: Int, isFirstPage: Bool
        ) async throws(ReplicationError) -> PullPage {
            var wrong = RemoteItem(id: "b", version: "1", members: [:])
            wrong.fault = ItemFault("A number is too large.", member: "n")
            let strange = RemoteItem(id: "_x\u{7}", version: "1", members: [:])
            return PullPage(items: [strange, wrong], token: nil, isLast: true)
        }

        func send(_ operation: RemoteOperation) async throws(ReplicationError) -> RemoteOutcome {
            .rejected(reason: "No.")
        }
    }

    @Test func `names the rows that cannot be documents, and ends with status 0`() async throws {
        try await withServer(["--anonymous"]) { table, scratch in
            let path = scratch.file("shop").path
            _ = try await run(["import", path, "-"], input: "{\"id\":\"a\"}")
            let configuration = Database.OpenDatabaseConfiguration(
                name: "shop", fileLocation: scratch.url)
            let database = try #require(
                try await Database.open(with: configuration, create: false))
            _ = try await database.replicate(
                with: .oneTimeServerToClientReplication(with: try #require(URL(string: table))),
                using: WrongTable(identifier: table))
            await database.close()
            let synced = try await run(["sync", path, table, "--json"])
            #expect(synced.output.contains("\"skipped\":0"))
            #expect(synced.errors.contains("'_x\\u{7}': member 'id': An identifier that begins"))
            #expect(synced.errors.contains("'b': member 'n': A number is too large"))
            #expect(synced.errors.contains("2 rows of the server cannot be documents here."))
        }
    }

    @Test func `forgets what is shared, unless something is not sent`() async throws {
        try await withServer(["--anonymous"]) { table, scratch in
            let shop = scratch.file("shop").path
            let text = "{\"id\":\"a\",\"n\":1}\n{\"id\":\"b\",\"n\":1}\n"
            _ = try await run(["import", shop, "-"], input: text)
            _ = try await run(["sync", shop, table, "--dialect", "v2"])
            _ = try await run(["import", shop, "-"], input: "{\"id\":\"a\",\"n\":2}")
            let refused = try await run(["forget", shop, table], status: 1)
            #expect(refused.errors.contains("--discard-pending"))
            #expect(try await contents(shop).contains("\"n\":2"))
            let forced = try await run(["forget", shop, table, "--discard-pending"])
            #expect(forced.lines == ["2 documents removed here."])
            #expect(try await contents(shop).isEmpty)
            let again = try await run(["sync", shop, table, "--reconcile"])
            #expect(again.output.hasPrefix("0 sent, 2 received in "))
            #expect(try await contents(shop).contains("\"n\":1"))
            let unmet = try await run(["forget", shop, table + "2"])
            #expect(unmet.lines == ["0 documents removed here."])
        }
    }

    @Test func `goes on until interrupted`() async throws {
        try await withServer(["--anonymous"]) { table, scratch in
            let path = scratch.file("shop").path
            let syncing = try tool.start(["sync", path, table, "--repeat", "--json"])
            let line = await syncing.firstLine()
            #expect(line?.contains("\"pushed\":0") == true)
            syncing.interrupt()
            let outcome = await syncing.outcome()
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        }
    }

    @Test func `sends what another process writes, with the next poll`() async throws {
        try await withServer(["--anonymous"]) { table, scratch in
            let path = scratch.file("shop").path
            _ = try await run(["put", path, #"{"id":"first"}"#])
            let syncing = try tool.start(
                ["sync", path, table, "--repeat", "--interval", "0.01", "--json"])
            _ = await syncing.firstLine()
            _ = try await run(["put", path, #"{"id":"foreign"}"#])
            let other = scratch.file("other").path
            var seen = ""
            for _ in 0..<600 where !seen.contains("foreign") {
                _ = try await run(["sync", other, table])
                seen = try await contents(other)
            }
            #expect(seen.contains("foreign"))
            syncing.interrupt()
            #expect(await syncing.outcome().status == 0)
        }
    }

    @Test func `says what is wrong with a server that is not there`() async throws {
        try await withScratchDirectory("nobody") { scratch in
            let outcome = try await run(
                ["sync", scratch.file("shop").path, "http://127.0.0.1:1/tables/items"], status: 1)
            #expect(outcome.output.isEmpty && !outcome.errors.isEmpty)
        }
    }

    @Test func `tells a wrong way to serve from a right one`() async throws {
        try await withScratchDirectory("wrong") { scratch in
            let serve = ["serve", "--directory", scratch.path, "--port", "0"]
            let undecided = try await tool.run(serve, environment: ["SETTLE_JWT_SECRET": ""])
            #expect(undecided.status == 64 && undecided.errors.contains("--anonymous"))
            let short = try await tool.run(serve, environment: ["SETTLE_JWT_SECRET": "short"])
            #expect(short.status == 1 && short.errors.contains("32"))
            let file = try scratch.write("", to: "file").path
            let noFolder = try await run(
                ["serve", "--directory", file, "--anonymous", "--port", "0"], status: 1)
            #expect(noFolder.errors.contains("cannot be used"))
            let noHost = try await run(
                serve + ["--anonymous", "--host", "192.0.2.1"], status: 1)
            #expect(noHost.errors.contains("cannot listen"))
        }
    }
}
