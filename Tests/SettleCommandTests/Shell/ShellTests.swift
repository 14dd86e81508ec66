import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleCommand

@Suite(.serialized) struct `Shell` {
    private let tool: BuiltTool

    init() throws {
        tool = try BuiltTool()
    }

    private func withShop(_ body: (String, ScratchDirectory) async throws -> Void) async throws {
        try await withScratchDirectory("shell") { scratch in
            let path = scratch.file("shop").path
            let items = """
                {"id":"apple","name":"Apple","price":3}
                {"id":"leek","name":"Leek","price":2}
                {"id":"pear","name":"Pear","price":4}

                """
            let imported = try await tool.run(["import", path, "-"], input: items)
            #expect(imported.status == 0, "\(imported)")
            try await body(path, scratch)
        }
    }

    @Test func `carries out the lines of a pipe`() async throws {
        try await withShop { path, _ in
            let outcome = try await tool.run(
                ["shell", path],
                input: """
                    # what there is
                    get apple --json
                    query --key price --json --from 3

                    query --key price --json \\
                      --filter {"name": {"$in": ["Leek",
                        "Pear"]}}
                    watch --once --json
                    indexes --json
                    """)
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
            let ids = try outcome.lines.map { try JSONValue(jsonText: $0)["id"] }
            #expect(
                ids == ["apple", "apple", "pear", "leek", "pear", "apple", "leek", "pear"],
                "\(outcome)")
        }
    }

    @Test func `ends with the first line that fails, its number and its status`() async throws {
        try await withShop { path, _ in
            let cases: [(String, Int32, String)] = [
                (
                    "get apple\n\nget none\nget pear", 1,
                    "Error: Line 3: There is no document 'none'"
                ),
                (
                    "gte apple\nget pear", 64,
                    "Error: Line 1: There is no command 'gte' in the shell. Did you mean 'get'?"
                ),
                (
                    "query --kye name", 64,
                    "Error: Line 1: Unknown option '--kye'. Did you mean '--key'?"
                ),
                (
                    "indexes lst x", 64,
                    "Line 1: There is no command 'indexes lst'. Did you mean 'indexes list'?"
                ),
                ("get apple\nget 'pear\nleek", 64, "Error: Line 2: The input ends in a quote"),
                ("serve", 64, "There is no command 'serve' in the shell."),
                ("help gte", 1, "Did you mean 'get'?"),
            ]
            for (input, status, sentence) in cases {
                let outcome = try await tool.run(["shell", path], input: input)
                #expect(outcome.status == status, "\(outcome)")
                #expect(outcome.errors.contains(sentence), "\(outcome)")
                #expect(!outcome.output.contains("Pear"), "\(outcome)")
            }
        }
    }

    @Test func `changes nothing unless it is told that it may`() async throws {
        try await withShop { path, _ in
            let data = URL(fileURLWithPath: path + ".settle/data.mdb")
            let before = try Data(contentsOf: data)
            let changes = [
                #"put {"id":"plum","price":1}"#, "delete apple", "edit apple", "compact",
                "indexes add --name byPrice --key price", "query --index byPrice --key price",
                "watch --index byPrice --once", "inspect --write",
                "entities", "sync http://127.0.0.1:1/tables/items",
            ]
            for change in changes {
                let outcome = try await tool.run(
                    ["shell", path], input: change,
                    environment: ["EDITOR": "sed -i s/3/4/", "VISUAL": ""])
                #expect(outcome.status == 1, "\(change): \(outcome)")
                #expect(outcome.errors.contains("The shell is read only"), "\(change): \(outcome)")
            }
            #expect(try Data(contentsOf: data) == before)

            let written = try await tool.run(
                ["shell", path, "--write"],
                input: """
                    put {"id":"plum","name":"Plum","price":1}
                    put --merge {"id":"apple",
                      "price":5}
                    delete leek
                    query --index byPrice --key price --json
                    """)
            #expect(written.status == 0, "\(written)")
            let rows = try written.lines.suffix(3).map { try JSONValue(jsonText: $0)["id"] }
            #expect(rows == ["plum", "pear", "apple"], "\(written)")
        }
    }

    @Test func `hands a command what follows in the input, if it reads that`() async throws {
        try await withShop { path, _ in
            let outcome = try await tool.run(
                ["shell", path, "--write"], input: "import -\n{\"id\":\"x\"}\n{\"id\":\"y\"}\n")
            #expect(outcome.status == 0, "\(outcome)")
            let listed = try await tool.run(["ls", path, "--json"])
            #expect(listed.lines.count == 5, "\(listed)")
        }
    }

    @Test func `begins a database with its first document`() async throws {
        try await withScratchDirectory("shell") { scratch in
            let path = scratch.file("fresh").path
            let missing = try await tool.run(["shell", path], input: "ls")
            #expect(missing.status == 1 && missing.errors.contains("no database 'fresh'"))
            let made = try await tool.run(
                ["shell", path, "--write"], input: "put {\"id\":\"a\"}\nget a --json")
            #expect(made.status == 0 && made.lines.last == #"{"id":"a"}"#, "\(made)")
        }
    }

    @Test func `finds a database whatever its name has in it`() async throws {
        try await withScratchDirectory("shell") { scratch in
            let path = DatabasePath(name: "a/b+c", location: scratch.url)
            _ = try await path.withDatabase(create: true) { try await $0.save(["id": "x"]) }
            let outcome = try await tool.run(["shell", path.absolute], input: "ls --json")
            #expect(outcome.status == 0 && outcome.lines.count == 1, "\(outcome)")
        }
    }

    @Test func `helps`() async throws {
        try await withShop { path, _ in
            let outcome = try await tool.run(
                ["shell", path], input: "help\nhelp indexes add\nget --help\nexit\nget none")
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
            for text in ["  query", "USAGE: settle indexes add", "USAGE: settle get", "left out"] {
                #expect(outcome.output.contains(text), "\(text): \(outcome)")
            }
        }
    }

    @Test func `says of a line that is a text for something else what it is, briefly and at once`()
        async throws
    {
        try await withShop { path, _ in
            let line = "[" + String(repeating: "{\"id\":\"a\"},", count: 200_000) + "1]"
            let outcome = try await tool.run(["shell", path], input: line + "\n")
            #expect(outcome.status == 64, "\(outcome.status)")
            #expect(outcome.errors.contains("There is no command '"))
            #expect(outcome.errors.utf8.count < 300)
            for word in ["exit 3", "quit now"] {
                let ended = try await tool.run(["shell", path], input: word + "\n")
                #expect(ended.errors.contains("stands alone"), "\(ended)")
                #expect(!ended.errors.contains("Did you mean"), "\(ended)")
            }
        }
    }
}
