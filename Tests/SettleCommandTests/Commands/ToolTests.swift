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
        "compact", "backup", "indexes", "watch", "ls", "put", "edit", "delete",
        "inspect",
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
        ["put", "./x"], ["delete", "./x"], ["edit", "./x"],
        ["delete", "./x", "a", "b", "--revision", "1-0"],
        ["put", "./x", "{}", "--replace", "--merge"], ["ls", "--limit", "0"],
        ["ls", "--color", "purple"],
    ])
    func `answers a wrong command line with status 64`(arguments: [String]) async throws {
        let outcome = try await tool.run(arguments, environment: ["SETTLE_JWT_SECRET": ""])
        #expect(outcome.status == 64, "\(arguments): \(outcome)")
        #expect(outcome.output.isEmpty)
        #expect(!outcome.errors.isEmpty)
    }

    @Test(arguments: [
        (["qurey", "./x"], "There is no command 'qurey'. Did you mean 'query'?"),
        (["help", "imprt"], "There is no command 'imprt'. Did you mean 'import'?"),
        (
            ["indexes", "ad", "./x"],
            "There is no command 'indexes ad'. Did you mean 'indexes add'?"
        ),
        (["xyzzy"], "There is no command 'xyzzy'. 'settle --help' lists them."),
        (["query", "./x", "--kye", "a"], "Unknown option '--kye'. Did you mean '--key'?"),
        (["get", "./x", "a", "--jsn"], "Unknown option '--jsn'. Did you mean '--json'?"),
        (["indexes", "./x", "--jsno"], "Unknown option '--jsno'. Did you mean '--json'?"),
        (["query", "./x", "--key", "a", "--limit", "-1"], "'-1' is invalid for '--limit <n>'"),
        (["query", "./x", "--key", "a", "--skip", "two"], "a whole number, 0 or more"),
        (["ls", "--limit", "0"], "a whole number, 1 or more"),
        (["outbox", "./x", "--limit", "-5"], "a whole number, 1 or more"),
        (["watch", "./x", "--since", "-1"], "a whole number, 0 or more"),
        (["serve", "--anonymous", "--directory", "x", "--page-max", "-1"], "1 or more"),
        (["serve", "--anonymous", "--directory", "x", "--port", "70000"], "0 to 65535"),
        (["--jsno", "ls"], "Unknown option '--jsno'"),
        (["get", "./x"], "'settle ls' lists them"),
        (
            ["query", "./x", "--key", "a", "--from", "Paris"],
            "The value 'Paris' is invalid for '--from <json>': It is not JSON."
        ),
        (["ls", "http://a/b"], "It is an address and no path"),
        (["get", "./x", "-y"], "Unknown option '-y'. What begins with - and is no option"),
        (["delete", "./x", "-y"], "settle get ./shop -- -y"),
        (["sync", "./x", "http://a/tables/b", "--interval", "-1"], "a number of seconds above 0"),
        (["sync", "./x", "http://a/tables/b", "--interval", "1e300"], "at most 86,400"),
        (["outbox", "hold", "./x", "1B9D", "--for", "-5"], "It is no length of time"),
    ])
    func `names the nearest command or option, and what a number must be`(
        arguments: [String], sentence: String
    ) async throws {
        let outcome = try await tool.run(arguments)
        #expect(outcome.status == 64 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains(sentence), "\(outcome)")
        #expect(outcome.errors.components(separatedBy: "Error:").count == 2, "\(outcome)")
    }

    @Test(arguments: ["1", "20", "26", "39"])
    func `explains itself in a narrow terminal`(columns: String) async throws {
        let outcome = try await tool.run(["get", "--help"], environment: ["COLUMNS": columns])
        #expect(outcome.status == 0 && outcome.output.contains("Examples:"), "\(outcome)")
    }

    @Test func `ends well when nobody reads its help`() async throws {
        let script = #"for i in 1 2 3; do "$0" help query | true; echo "${PIPESTATUS[0]}"; done"#
        let outcome = try await tool.runScript(script, [])
        #expect(outcome.lines == ["0", "0", "0"], "\(outcome)")
    }

    @Test func `advises to import again only where that goes on`() async throws {
        try await withShop { path, _ in
            let text = "{\"id\":\"new\"}\n{\"id\":\"apple\"}\n"
            let failed = try await tool.run(
                ["import", path, "-", "--on-existing", "fail"], input: text)
            #expect(failed.status == 1 && failed.errors.contains("line 2"), "\(failed)")
            #expect(!failed.errors.contains("import the whole file again"), "\(failed)")
        }
    }

    @Test func `names files that are no JSON, and says how to convert them`() async throws {
        try await withScratchDirectory("foreign") { scratch in
            let files: [(String, [UInt8], String)] = [
                ("a.csv", Array("id,name\n1,a\n".utf8), "commas between them (CSV)"),
                ("a.tsv", Array("id\tname\n1\ta\n".utf8), "tabs between them (CSV)"),
                ("a.gz", [0x1F, 0x8B, 8, 0, 0], "gunzip -c FILE | settle import DATABASE -"),
                ("a.zip", Array("PK\u{3}\u{4}".utf8), "ZIP archive"),
                ("a.db", Array("SQLite format 3\0".utf8), "database of SQLite"),
                ("a.txt", [0xFF, 0xFE, 0x7B, 0], "UTF-16"),
                ("a.bin", [0x7F, 0x45, 0x4C, 0x46, 0, 0], "binary file"),
            ]
            for (name, bytes, sentence) in files {
                let file = scratch.file(name)
                try Data(bytes).write(to: file)
                let path = scratch.file("none").path
                let outcome = try await tool.run(["import", path, file.path])
                #expect(outcome.status == 1 && outcome.output.isEmpty, "\(outcome)")
                #expect(outcome.errors.contains(sentence), "\(outcome)")
                #expect(!FileManager.default.fileExists(atPath: path + ".settle"))
            }
        }
    }

    @Test func `replaces no file by an export unless it is told to`() async throws {
        try await withShop { path, scratch in
            let file = try scratch.write("mine", to: "shop.export").path
            let refused = try await tool.run(["export", path, file])
            #expect(refused.status == 1 && refused.errors.contains("Give --force"), "\(refused)")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
            for option in ["--force", "--overwrite"] {
                let replaced = try await tool.run(["export", path, file, option])
                #expect(replaced.status == 0, "\(replaced)")
            }
            #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("{"))
        }
    }

    @Test func `ends with status 1 when values cannot be summed up`() async throws {
        try await withShop { path, _ in
            let text = "{\"id\":\"odd\",\"kind\":\"odd\",\"price\":\"free\"}"
            #expect(try await tool.run(["put", path, text]).status == 0)
            let sums = ["query", path, "--key", "kind", "--value", "price", "--reduce", "sum"]
            let people = try await tool.run(sums + ["--group"])
            #expect(people.status == 1, "\(people)")
            #expect(
                people.lines.count == 4 && people.lines[2].hasPrefix("odd        error: The _sum"))
            #expect(people.lines[1].hasSuffix(" 16") && people.lines[3].hasSuffix(" 2"))
            #expect(people.errors.contains("The values of 1 row cannot be summed up"), "\(people)")
            let programs = try await tool.run(sums + ["--json"])
            #expect(programs.status == 1)
            #expect(try values(programs)[0]["value"]?["error"] == "builtin_reduce_error")
            let fits = try await tool.run(sums + ["--group", "--from", "\"p\""])
            #expect(fits.status == 0 && fits.errors.isEmpty, "\(fits)")
        }
    }

    @Test func `takes keys that begin with a minus`() async throws {
        try await withShop { path, _ in
            let rows = try await rows(path, ["--key", "price", "--from", "-5", "--to", "2"])
            #expect(rows.map { $0["id"] } == ["leek"])
        }
    }

    /// Runs the tool on a terminal so many columns wide.
    private func runOnTerminal(
        columns: Int, _ arguments: [String], input: String = "", _ variables: String = ""
    ) async throws -> BuiltTool.Outcome {
        let words = arguments.map { "'\($0)'" }.joined(separator: " ")
        return try await tool.runScript(
            #"""
            printf '%s' "$3" | env -u NO_COLOR -u COLUMNS TERM=xterm script -qec \
                "stty -echo cols $1; $2 '$0' $4" /dev/null
            """#, [String(columns), variables, input, words])
    }

    private static let hasTerminal = FileManager.default.isExecutableFile(
        atPath: "/usr/bin/script")

    @Test(.enabled(if: hasTerminal, "there is no program that makes terminals"))
    func `cuts tables to the width of a terminal, and nowhere else`() async throws {
        try await withShop { path, _ in
            let wide = try await tool.run(["ls", path])
            #expect(wide.lines[1].count > 50 && !wide.output.contains("…"), "\(wide)")
            for (columns, variables, most) in [
                (40, "", 40), (200, "", 200), (200, "COLUMNS=50", 50),
            ] {
                let shown = try await runOnTerminal(
                    columns: columns, ["ls", path, "--color", "never"], variables)
                let lines = shown.output.split(whereSeparator: \.isNewline)
                #expect(shown.status == 0 && lines.count == 6, "\(shown)")
                #expect(lines.allSatisfy { $0.count <= most }, "\(shown)")
                #expect(lines[1].hasPrefix("apple ") && lines[1].contains("…") == (most < 70))
            }
        }
    }

    @Test(.enabled(if: hasTerminal, "there is no program that makes terminals"))
    func `colours what a terminal shows, if that wants it`() async throws {
        try await withShop { path, _ in
            let escape = "\u{1B}["
            #expect(try await !tool.run(["ls", path]).output.contains(escape))
            #expect(try await tool.run(["ls", path, "--color", "always"]).output.contains(escape))
            for (variables, options, isColoured) in [
                ("", [], true), ("NO_COLOR=1", [], false), ("NO_COLOR=", [], true),
                ("TERM=dumb", [], false), ("NO_COLOR=1", ["--color", "always"], true),
                ("", ["--color", "never"], false),
            ] {
                let shown = try await runOnTerminal(
                    columns: 200, ["get", path, "apple"] + options, variables)
                #expect(
                    shown.output.contains(escape) == isColoured, "\(variables) \(options): \(shown)"
                )
            }
        }
    }

    @Test(.enabled(if: hasTerminal, "there is no program that makes terminals"))
    func `asks on a terminal before an export replaces a file`() async throws {
        try await withShop { path, scratch in
            let file = try scratch.write("mine", to: "shop.export").path
            let export = ["export", path, file]
            for (answer, isReplaced) in [("n\n", false), ("\n", false), ("yes\n", true)] {
                let outcome = try await runOnTerminal(columns: 200, export, input: answer)
                #expect(outcome.output.contains("[y/N]"), "\(outcome)")
                #expect(outcome.status == (isReplaced ? 0 : 1), "\(outcome)")
                let text = try String(contentsOfFile: file, encoding: .utf8)
                #expect((text == "mine") == !isReplaced, "\(outcome)")
            }
            try Data("mine".utf8).write(to: scratch.file("shop.export"))
            // Ctrl-C once the question is there; before, the shell would get it.
            let interrupted = try await tool.runScript(
                #"""
                {
                    until grep -qs 'y/N' "$1"; do sleep 0.1; done
                    printf '\003'
                    # The end of the input would be an answer.
                    until [ -e "$1.done" ]; do sleep 0.1; done
                } | {
                    # dash ends by the signal, too, and others wait for the tool: all do, with a trap.
                    env TERM=xterm script -qefc \
                        "trap : INT; stty -echo; '$0' export '$2' '$3'; exit \$?" "$1"
                    status=$?
                    touch "$1.done"
                    exit $status
                }
                """#, [scratch.file("seen").path, path, file])
            #expect(interrupted.status == 130, "\(interrupted)")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
        }
    }

    @Test(.enabled(if: hasTerminal, "there is no program that makes terminals"))
    func `gives an editor the variables that it was started with, however narrow the terminal is`()
        async throws
    {
        try await withShop { path, scratch in
            let seen = scratch.file("seen").path
            let editor = try scratch.write(
                "#!/bin/sh\necho \"${COLUMNS-none}\" >> '\(seen)'\n", to: "editor"
            ).path
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o700], ofItemAtPath: editor)
            for columns in ["", "COLUMNS=20 "] {
                let edited = try await runOnTerminal(
                    columns: 20, ["edit", path, "apple"], "VISUAL= \(columns)EDITOR=\(editor)")
                #expect(edited.status == 0, "\(edited)")
            }
            #expect(try String(contentsOfFile: seen, encoding: .utf8) == "none\n20\n")
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `prints a completion script for each shell`(shell: String) async throws {
        let outcome = try await tool.run(["--generate-completion-script", shell])
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        for word in ["delete", "--limit", "--prefix"] {
            #expect(
                outcome.output.contains(shell == "fish" ? String(word.drop { $0 == "-" }) : word))
        }
    }

    @Test func `says in a sentence what the world refuses`() async throws {
        try await withShop { path, scratch in
            let none = scratch.file("none").path
            let file = try scratch.write("{}", to: "items.ndjson")
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
                (["check", file.path], "is a file and no database"),
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
            for name in [".settle", ".settle/", ".settle/data.mdb"] {
                let same = try await tool.run(["get", path + name, "pear", "apple"])
                #expect(same.output == people.output, "\(name)")
            }
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
