import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct `Tool settle` {
    private let tool: BuiltTool
    private let items = """
        {"id":"apple","kind":"fruit","colour":"red","price":3,"place":{"shelf":1}}
        {"id":"pear","kind":"fruit","colour":"green","price":4,"place":{"shelf":2}}
        {"id":"cherry","kind":"fruit","colour":"red","price":9}
        {"id":"leek","kind":"vegetable","colour":"green","price":2}
        {"id":"stone","colour":"grey"}

        """

    init() throws {
        tool = try BuiltTool()
    }

    /// A database with five things in it.
    private func withShop(_ body: (_ path: String, ScratchDirectory) async throws -> Void)
        async throws
    {
        try await withScratchDirectory("tool") { scratch in
            let path = scratch.file("shop").path
            let outcome = try await tool.run(["import", path, "-"], input: items)
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
            #expect(outcome.output.hasPrefix("5 documents stored in "))
            try await body(path, scratch)
        }
    }

    private func values(_ outcome: BuiltTool.Outcome) throws -> [[String: JSONValue]] {
        try outcome.lines.map { line in
            // A document needs an identifier of its own; the line's may be missing.
            try Document(json: "{\"line\":\(line)}")[json: "line"]?.objectValue ?? [:]
        }
    }

    @Test(arguments: [
        "demo", "import", "get", "query", "serve", "sync", "token", "export", "stats", "check",
        "compact", "backup", "indexes", "watch",
    ])
    func `explains each subcommand with examples`(name: String) async throws {
        let outcome = try await tool.run([name, "--help"])
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        #expect(outcome.output.contains("Examples:"))
        #expect(outcome.output.contains("settle \(name) "))
        let overview = try await tool.run(["--help"])
        #expect(overview.output.contains("  \(name) "))
    }

    @Test(arguments: [
        ["nonsense"], ["import"], ["import", "x"], ["import", "", "-"], ["get", "./x"],
        ["get", "./x", "a", "--all"], ["query", "./x"], ["query", "./x", "--key", "a..b"],
        ["query", "./x", "--key", "a", "--from", "Paris"],
        ["query", "./x", "--key", "a", "--keys", "1"],
        ["query", "./x", "--key", "a", "--keys", "[1]", "--to", "2"],
        ["query", "./x", "--key", "a", "--group"],
        ["query", "./x", "--key", "a", "--reduce", "average"],
        ["query", "./x", "--key", "a", "--reduce", "sum", "--include-documents"],
        ["query", "./x", "--key", "a", "--limit", "-1"],
        ["query", "./x", "--key", "a", "--limit", "0"], ["serve"],
        ["serve", "--directory", "x", "--port", "70000", "--anonymous"],
        ["sync", "./x", "nowhere"], ["sync", "./x", "ftp://a/tables/b"],
        ["sync", "./x", "http://127.0.0.1/items"],
        ["sync", "./x", "http://127.0.0.1/tables/b", "--on-conflict", "fight"],
        ["token", "--expires-in", "soon"], ["token", "--expires-in", "0"],
    ])
    func `answers a wrong command line with status 64`(arguments: [String]) async throws {
        let outcome = try await tool.run(arguments, environment: ["SETTLE_JWT_SECRET": ""])
        #expect(outcome.status == 64, "\(arguments): \(outcome)")
        #expect(outcome.output.isEmpty)
        #expect(!outcome.errors.isEmpty)
    }

    @Test func `says in a sentence what the world refuses`() async throws {
        try await withShop { path, scratch in
            let none = scratch.file("none").path
            let cases: [([String], String)] = [
                (["get", none, "a"], "There is no database 'none'"),
                (["get", none, "a"], "There is: shop."),
                (["query", none, "--key", "a"], "There is no database"),
                (["get", path, "apple", "ghost"], "There is no document 'ghost'"),
                (["import", path, none], "There is no file"),
                (["import", path, scratch.path], "is a folder"),
                (["import", scratch.file("Upper").path, "-"], "cannot be the name"),
                (["token", "--secret-file", none], "cannot be read"),
                (["demo", "--keep", scratch.path], "is not empty"),
                (["demo", "--cities", none], "There is no file"),
            ]
            for (arguments, sentence) in cases {
                let outcome = try await tool.run(arguments)
                #expect(outcome.status == 1, "\(arguments): \(outcome)")
                #expect(outcome.errors.contains(sentence), "\(arguments): \(outcome)")
            }
        }
    }

    @Test func `gets documents for people and for programs`() async throws {
        try await withShop { path, _ in
            let people = try await tool.run(["get", path, "pear", "apple"])
            #expect(people.status == 0)
            #expect(people.lines[0].hasPrefix("pear  (revision 1-"))
            #expect(people.output.contains("\n  \"colour\": \"green\","))

            let programs = try await tool.run(["get", path, "--all", "--json"])
            let found = try values(programs)
            #expect(
                found.compactMap { $0["id"]?.stringValue } == [
                    "apple", "cherry", "leek", "pear", "stone",
                ])
            #expect(found[0]["place"] == ["shelf": 1])

            let copy = try await tool.run(
                ["import", path + "copy", "-", "--json"], input: programs.output)
            #expect(try values(copy) == [["added": 5, "replaced": 0, "kept": 0]])
        }
    }

    @Test func `says how far a broken import came`() async throws {
        try await withShop { path, _ in
            let text = "{\"id\":\"a\"}\n{\"id\":\"b\"}\nnonsense\n{\"id\":\"c\"}\n"
            let outcome = try await tool.run(["import", path, "-"], input: text)
            #expect(outcome.status == 1)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains("standard input, line 3: Column 2: "))
            #expect(outcome.errors.contains("2 documents before it are stored."))
            let all = try await tool.run(["get", path, "--all", "--json"])
            #expect(all.lines.count == 7)
        }
    }

    private func rows(_ path: String, _ arguments: [String]) async throws -> [[String: JSONValue]] {
        let outcome = try await tool.run(["query", path, "--json"] + arguments)
        #expect(outcome.status == 0, "\(outcome)")
        return try values(outcome)
    }

    @Test func `queries by key paths`() async throws {
        try await withShop { path, _ in
            let range = try await rows(path, ["--key", "price", "--from", "3", "--to", "4"])
            #expect(
                range == [
                    ["key": 3, "value": .null, "id": "apple"],
                    ["key": 4, "value": .null, "id": "pear"],
                ])
            let page = try await rows(
                path, ["--key", "price", "--descending", "--skip", "1", "--limit", "2"])
            #expect(page.map { $0["key"] } == [4, 3])
            let list = try await rows(path, ["--key", "price", "--keys", "[9,2]"])
            #expect(list.map { $0["key"] } == [9, 2])
            let documents = try await rows(path, ["--key", "place.shelf", "--include-documents"])
            #expect(documents.map { $0["document"]?["id"] } == ["apple", "pear"])
        }
    }

    @Test func `sums up by groups`() async throws {
        try await withShop { path, _ in
            let sums = ["--key", "kind", "--key", "colour", "--value", "price", "--reduce", "sum"]
            let kinds = try await rows(
                path, sums + ["--group-level", "1", "--from", "[\"fruit\"]"])
            #expect(
                kinds == [
                    ["key": ["fruit"], "value": 16], ["key": ["vegetable"], "value": 2],
                ])
            let range = ["--from", "[\"fruit\"]", "--to", "[\"fruit\",{}]"]
            let fruits = try await rows(path, sums + ["--group"] + range)
            #expect(fruits.map { $0["value"] } == [4, 12])
            let total = try await rows(path, sums + range)
            #expect(total == [["key": .null, "value": 16]])
            let each = try await rows(path, sums + ["--no-reduce", "--index", "kept"] + range)
            #expect(each.map { $0["id"] } == ["pear", "apple", "cherry"])
        }
    }

    @Test func `shows a table to people`() async throws {
        try await withShop { path, _ in
            let outcome = try await tool.run([
                "query", path, "--key", "kind", "--key", "colour", "--value", "price", "--reduce",
                "sum", "--group-level", "1", "--from", "[\"a\"]",
            ])
            #expect(
                outcome.lines == [
                    "kind       sum of price", "fruit                16", "vegetable             2",
                ])
            let none = try await tool.run(["query", path, "--key", "absent"])
            #expect(none.status == 0 && none.lines == ["No rows."])
        }
    }

    @Test func `ends well when nobody reads on`() async throws {
        try await withScratchDirectory("pipe") { scratch in
            let path = scratch.file("long").path
            let long = (0..<4_000).map {
                "{\"id\":\"d\($0)\",\"text\":\"\(String(repeating: "x", count: 100))\"}\n"
            }
            _ = try await tool.run(["import", path, "-"], input: long.joined())
            let script = "\"$0\" get \"$1\" --all --json | head -n 1; echo \"${PIPESTATUS[*]}\""
            let outcome = try await tool.runScript(script, [path])
            #expect(outcome.lines.count == 2 && outcome.lines.last == "0 0", "\(outcome)")
            #expect(outcome.errors.isEmpty)
        }
    }

    @Test func `stores what came before an interruption`() async throws {
        try await withScratchDirectory("interrupt") { scratch in
            let path = scratch.file("shop").path
            let running = try tool.start(["import", path, "-"])
            running.write((0..<10_000).map { "{\"id\":\"d\($0)\",\"n\":\($0)}\n" }.joined())
            // Standard input stays open: the tool waits for more when the signal comes.
            try await waitUntil { try await count(path) > 0 }
            running.interrupt()
            let outcome = await running.outcome()
            #expect(outcome.status == 130, "\(outcome)")
            #expect(outcome.errors.contains("Interrupted."))
            let stored = try await count(path)
            let text = outcome.errors.replacing(",", with: "")
            #expect(text.contains("\(stored) documents before it are stored"), "\(outcome)")
        }
    }

    private func count(_ path: String) async throws -> Int {
        try await tool.run(["get", path, "--all", "--json"]).lines.count
    }

    private func waitUntil(_ isTrue: () async throws -> Bool) async throws {
        while try await !isTrue() { await Task.yield() }
    }
}
