import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleCommand

@Suite(.serialized, .timeLimit(.minutes(60))) struct `Writing with the tool` {
    private let tool: BuiltTool

    init() throws {
        tool = try BuiltTool()
    }

    private func withShop(
        _ body: (_ path: String, ScratchDirectory) async throws -> Void
    ) async throws {
        try await withScratchDirectory("writing") { scratch in
            let path = scratch.file("shop").path
            let apple = "{\"id\":\"apple\",\"price\":3,\"place\":{\"shelf\":1,\"row\":2}}"
            let put = try await tool.run(["put", path, apple])
            #expect(put.status == 0 && put.errors.isEmpty, "\(put)")
            #expect(put.lines[0].hasPrefix("apple  1-") && put.lines[0].hasSuffix("  added"))
            try await body(path, scratch)
        }
    }

    private func document(_ id: String, _ path: String) async throws -> JSONValue? {
        let outcome = try await tool.run(["get", path, id, "--json"])
        return try outcome.lines.first.map { try JSONValue(jsonText: $0) }
    }

    private func revision(_ id: String, _ path: String) async throws -> String {
        try await DatabasePath(parsing: path).withDatabase(isReadOnly: true) { database in
            try database.read { try $0.document(id)?.metaData.revision ?? "" }
        }
    }

    @Test func `puts from arguments, files, and standard input`() async throws {
        try await withShop { path, scratch in
            let pretty = try scratch.write("{\n  \"id\": \"a\",\n  \"n\": 1\n}\n", to: "a.json")
                .path
            let array = "[{\"id\":\"b\"},{\"id\":\"c\"}]"
            let several = try await tool.run(["put", path, pretty, array, "--json"])
            #expect(several.status == 0 && several.lines.count == 3, "\(several)")
            let added = try several.lines.map { try JSONValue(jsonText: $0) }
            #expect(added.map { $0["id"] } == ["a", "b", "c"])
            #expect(added.allSatisfy { $0["change"] == "added" })
            #expect(try await added[0]["revision"]?.stringValue == revision("a", path))
            let lines = "{\"id\":\"d\"}\n\n{\"id\":\"e\"}\n"
            let input = try await tool.run(["put", path, "-"], input: lines)
            #expect(input.status == 0 && input.lines.count == 2, "\(input)")
            let named = try await tool.run(["put", path, "{\"n\":2}", "--id", "f"])
            #expect(named.status == 0 && named.output.hasPrefix("f  1-"), "\(named)")
            let random = try await tool.run(["put", path, "{\"n\":2}", "--json"])
            let id = try JSONValue(jsonText: random.lines[0])["id"]?.stringValue ?? ""
            #expect(id.count == 36)
            #expect(try await document("a", path) == ["id": "a", "n": 1])
        }
    }

    @Test func `leaves a document alone that is there, unless told what to do`() async throws {
        try await withShop { path, _ in
            let refused = try await tool.run([
                "put", path, "{\"id\":\"new\"}", "{\"id\":\"apple\",\"price\":4}",
            ])
            #expect(refused.status == 1 && refused.output.isEmpty, "\(refused)")
            #expect(refused.errors.contains("There is a document 'apple' already, at revision 1-"))
            #expect(try await document("new", path) == nil)

            let patch = "{\"id\":\"apple\",\"place\":{\"row\":null,\"side\":\"left\"}}"
            let merged = try await tool.run(["put", path, "--merge", patch])
            #expect(merged.status == 0 && merged.output.hasSuffix("  merged\n"), "\(merged)")
            #expect(
                try await document("apple", path) == [
                    "id": "apple", "price": 3, "place": ["shelf": 1, "side": "left"],
                ])
            let old = try await revision("apple", path)
            let five = "{\"id\":\"apple\",\"price\":5}"
            let right = try await tool.run(["put", path, five, "--revision", old])
            #expect(right.status == 0 && right.output.contains("apple  3-"), "\(right)")
            #expect(try await document("apple", path) == ["id": "apple", "price": 5])
            let stale = try await tool.run(["put", path, "{\"id\":\"apple\"}", "--revision", old])
            #expect(stale.status == 1 && stale.errors.contains("is at revision 3-"), "\(stale)")
            let same = try await tool.run(["put", path, "--replace", five])
            #expect(same.status == 0 && same.output.hasSuffix("  unchanged\n"), "\(same)")
            #expect(try await revision("apple", path).hasPrefix("3-"))
        }
    }

    @Test func `keeps attachments and the date of expiration`() async throws {
        try await withShop { path, _ in
            let date = Date(timeIntervalSince1970: 4_000_000_000)
            try await DatabasePath(parsing: path).withDatabase { database in
                var apple = try #require(try await database.fetchDocument("apple"))
                apple.attachments = [
                    DocumentAttachment(
                        name: "note", contentType: "text/plain", data: Data("sour".utf8))
                ]
                apple.metaData.expirationDate = date
                try await database.save(apple)
            }
            let replaced = try await tool.run(["put", path, "--replace", "{\"id\":\"apple\"}"])
            #expect(replaced.status == 0, "\(replaced)")
            try await DatabasePath(parsing: path).withDatabase { database in
                let apple = try #require(try await database.fetchDocument("apple"))
                #expect(try apple.attachments.first?.data() == Data("sour".utf8))
                #expect(apple.metaData.expirationDate == date && apple.json.isEmpty)
            }
        }
    }

    @Test func `says what is wrong with what it was given, and stores nothing`() async throws {
        try await withShop { path, scratch in
            let csv = try scratch.write("id,name\n1,a\n", to: "a.csv").path
            let cases: [([String], String)] = [
                (["nofile"], "is neither a JSON object nor a file"),
                (["{id:1}"], "The argument: JSON, line 1, column 2"),
                (["[1]"], "A document is a JSON object"), (["{\"id\":5}"], "must be a string"),
                (["{\"id\":\"x\"}", "{\"id\":\"x\"}"], "is given twice"),
                (["{\"id\":\"x\"}", "--id", "y"], "--id says 'y'"),
                (["[{},{}]", "--id", "y"], "are for one document, and 2 are given"),
                ([csv], "commas between them (CSV)"), ([scratch.path], "is a folder"),
                (["{\"id\":\"_x\"}"], "begins with \"_\""),
            ]
            for (arguments, sentence) in cases {
                let outcome = try await tool.run(["put", path] + arguments)
                #expect(outcome.status == 1 && outcome.output.isEmpty, "\(outcome)")
                #expect(outcome.errors.contains(sentence), "\(arguments): \(outcome)")
            }
            let none = scratch.file("none").path
            #expect(try await tool.run(["put", none, "{id:1}"]).status == 1)
            #expect(!FileManager.default.fileExists(atPath: none + ".settle"))
            #expect(try await tool.run(["ls", path, "--json"]).lines.count == 1)
        }
    }

    @Test func `stores no text that is not UTF-8, from a file or an argument`() async throws {
        try await withShop { path, scratch in
            let file = scratch.file("bad.json")
            try Data("{\"id\":\"u1\",\"x\":\"a".utf8 + [0xFF, 0xFE] + "b\"}\n".utf8).write(to: file)
            let refused = try await tool.run(["put", path, file.path])
            #expect(refused.status == 1 && refused.output.isEmpty, "\(refused)")
            #expect(refused.errors.contains("A string is not UTF-8"), "\(refused)")
            let argument = try await tool.runScript(
                #""$0" put "$1" "$(printf '{"id":"u2","x":"\377"}')""#, [path])
            #expect(argument.status == 64 && argument.errors.contains("not UTF-8"), "\(argument)")
            #expect(try await tool.run(["ls", path, "--json"]).lines.count == 1)
        }
    }

    @Test func `reads what a shell hands over, and text with a byte order mark`() async throws {
        try await withShop { path, _ in
            let piped = try await tool.runScript(
                #""$0" put "$1" <(printf '\357\273\277{"id":"b1"}')"#, [path])
            #expect(piped.status == 0 && piped.output.hasPrefix("b1  1-"), "\(piped)")
            let marked = try await tool.run(["put", path, "-"], input: "\u{FEFF}\t{\"id\":\"b2\"}")
            #expect(marked.status == 0 && marked.output.hasPrefix("b2  1-"), "\(marked)")
            for input in ["< /tmp", "<&-"] {
                let failed = try await tool.runScript("\"$0\" put \"$1\" - \(input)", [path])
                #expect(failed.status == 1 && !failed.errors.isEmpty, "\(input): \(failed)")
            }
        }
    }

    @Test func `stores nothing when it is interrupted before its input ended`() async throws {
        try await withShop { path, _ in
            let running = try tool.start(["put", path, "-"])
            // More than a pipe holds: when it is written, the tool is reading, and minds signals.
            running.write(String(repeating: " ", count: 1 << 19) + "{\"id\":\"after\"}")
            running.interrupt()
            // Its input is still open.
            let outcome = await running.outcome()
            running.closeInput()
            #expect(outcome.status == 130 && outcome.output.isEmpty, "\(outcome)")
            let stored = try await document("after", path)
            #expect(stored == nil)
        }
    }

    @Test func `merges a new document without the members that are null`() async throws {
        try await withShop { path, _ in
            let patch = "{\"id\":\"new\",\"x\":{\"a\":null,\"b\":1},\"z\":null}"
            let put = try await tool.run(["put", path, "--merge", patch])
            #expect(put.status == 0)
            let stored = try await document("new", path)
            #expect(stored == ["id": "new", "x": ["b": 1]])
        }
    }

    @Test func `deletes all that are named or none`() async throws {
        try await withShop { path, _ in
            _ = try await tool.run(["put", path, "{\"id\":\"pear\"}"])
            let missing = try await tool.run(["delete", path, "pear", "ghost"])
            #expect(missing.status == 1 && missing.errors.contains("'ghost'"), "\(missing)")
            let stale = try await tool.run(["delete", path, "pear", "--revision", "1-0"])
            #expect(stale.status == 1 && stale.errors.contains("is at revision 1-"), "\(stale)")
            #expect(try await document("pear", path) != nil)
            let revision = try await revision("pear", path)
            let deleted = try await tool.run(["delete", path, "pear", "--revision", revision])
            #expect(deleted.status == 0 && deleted.output.hasPrefix("pear  2-"), "\(deleted)")
            let other = try await tool.run(["delete", path, "apple", "--json"])
            #expect(try JSONValue(jsonText: other.lines[0])["id"] == "apple")
            #expect(try await tool.run(["ls", path]).lines == ["No documents."])
        }
    }

    // MARK: Editing

    /// An editor: a script of the shell with the file as `$1`.
    private func edit(
        _ script: String, _ scratch: ScratchDirectory, _ arguments: [String]
    ) async throws -> BuiltTool.Outcome {
        let editor = try scratch.write("#!/bin/sh\n" + script, to: "editor.sh")
        return try await tool.run(
            ["edit"] + arguments,
            environment: [
                "VISUAL": "", "EDITOR": "/bin/sh '\(editor.path)'",
                "TMPDIR": scratch.folder("tmp-\(UUID().uuidString)").path,
            ])
    }

    /// The file that an error names.
    private func keptText(_ outcome: BuiltTool.Outcome) throws -> String {
        let names = outcome.errors.matches(of: /'([^']*document\.json)'/)
        let path = try #require(names.first?.output.1)
        return try String(contentsOfFile: String(path), encoding: .utf8)
    }

    @Test func `edits a document, and says when nothing was changed`() async throws {
        try await withShop { path, scratch in
            let script =
                "cp \"$1\" '\(scratch.path)/seen'; sed -i 's/\"price\": 3/\"price\": 7/' \"$1\""
            let edited = try await edit(script, scratch, [path, "apple"])
            #expect(edited.status == 0 && edited.errors.isEmpty, "\(edited)")
            #expect(edited.output.hasPrefix("apple  2-"))
            #expect(try await document("apple", path)?["price"] == 7)
            let seen = try String(contentsOf: scratch.file("seen"), encoding: .utf8)
            #expect(seen.hasPrefix("{\n  \"id\": \"apple\",\n  \"place\": {\n    \"row\": 2,"))
            let same = try await edit("exit 0", scratch, [path, "apple", "--json"])
            #expect(try JSONValue(jsonText: same.lines[0])["change"] == "unchanged")
            let emptied = try await edit(": > \"$1\"", scratch, [path, "apple"])
            #expect(emptied.status == 0 && emptied.output.contains("unchanged"), "\(emptied)")
            #expect(try await revision("apple", path).hasPrefix("2-"))
        }
    }

    @Test func `opens a text that is no document again, with the error and nothing lost`()
        async throws
    {
        try await withShop { path, scratch in
            let script = """
                if grep -q '^#' "$1"
                then cp "$1" '\(scratch.path)/second'; sed -i 's/BROKEN/8/' "$1"
                else sed -i 's/"price": 3/"price": BROKEN/' "$1"
                fi
                """
            let mended = try await edit(script, scratch, [path, "apple"])
            #expect(mended.status == 0 && mended.output.hasPrefix("apple  2-"), "\(mended)")
            #expect(try await document("apple", path)?["price"] == 8)
            let second = try String(contentsOf: scratch.file("second"), encoding: .utf8)
            #expect(second.hasPrefix("# JSON, line 7, column 12"), "\(second)")
            #expect(second.contains("\"price\": BROKEN"))

            let given = "grep -q '^#' \"$1\" || sed -i 's/\"price\": 8/\"price\": }/' \"$1\""
            let gone = try await edit(given, scratch, [path, "apple"])
            #expect(gone.status == 1 && gone.errors.contains("no document yet"), "\(gone)")
            #expect(try keptText(gone).contains("\"price\": }"))
            let renamed = try await edit(
                "sed -i 's/\"apple\"/\"pear\"/' \"$1\"", scratch, [path, "apple"])
            #expect(
                renamed.status == 1 && renamed.errors.contains("must stay 'apple'"), "\(renamed)")
            #expect(try await revision("apple", path).hasPrefix("2-"))
        }
    }

    @Test func `ends when an editor writes the same wrong text each time`() async throws {
        try await withShop { path, scratch in
            let broken = try await edit("echo '{\"v\": ' > \"$1\"", scratch, [path, "apple"])
            #expect(broken.status == 1 && broken.errors.contains("no document yet"), "\(broken)")
            #expect(try keptText(broken).contains("{\"v\":"))
            let marked = try await edit(
                "printf '\\357\\273\\277{\"price\": 6}' > \"$1\"", scratch, [path, "apple"])
            #expect(marked.status == 0 && marked.output.hasPrefix("apple  2-"), "\(marked)")
        }
    }

    @Test func `ends when an editor that nobody sees writes another wrong text each time`()
        async throws
    {
        try await withShop { path, scratch in
            let count = scratch.file("count").path
            let script = "echo x >> '\(count)'; { printf '{'; cat '\(count)'; } > \"$1\""
            let ended = try await edit(script, scratch, [path, "apple"])
            #expect(ended.status == 1 && ended.errors.contains("Nothing was stored"), "\(ended)")
            #expect(try keptText(ended).hasPrefix("{x"))
            #expect(try await revision("apple", path).hasPrefix("1-"))
        }
    }

    @Test func `names the file with the text when it is interrupted`() async throws {
        try await withShop { path, scratch in
            // The tool is the parent of the editor, or of the shell that runs it.
            let script = """
                sed -i 's/"price": 3/"price": 7/' "$1"
                pid=$PPID
                until [ "$(cat /proc/$pid/comm)" = settle ]
                do [ "$pid" -gt 1 ] && read -r _ _ _ pid _ < /proc/$pid/stat || exit 9
                done
                kill -TERM $pid
                sleep 1
                """
            let ended = try await edit(script, scratch, [path, "apple"])
            #expect(ended.status == 130 && ended.output.isEmpty, "\(ended)")
            #expect(try keptText(ended).contains("\"price\": 7"))
            #expect(try await revision("apple", path).hasPrefix("1-"))
        }
    }

    @Test func `stores no text that is not UTF-8, and keeps it`() async throws {
        try await withShop { path, scratch in
            let script = "printf '{\"id\":\"apple\",\"name\":\"\\344\"}' > \"$1\""
            let refused = try await edit(script, scratch, [path, "apple"])
            #expect(refused.status == 1 && refused.errors.contains("not UTF-8"), "\(refused)")
            let name = try #require(refused.errors.firstMatch(of: /'([^']*document\.json)'/))
            let kept = try Data(contentsOf: URL(fileURLWithPath: String(name.output.1)))
            #expect(kept.contains(0o344))
            #expect(try await revision("apple", path).hasPrefix("1-"))
        }
    }

    @Test func `stores nothing over a change that came meanwhile, and keeps the text`()
        async throws
    {
        try await withShop { path, scratch in
            let settle = try await tool.runScript("printf %s \"$0\"", []).output
            let script = """
                '\(settle)' put '\(path)' --merge '{"id":"apple","note":"other"}' > /dev/null
                sed -i 's/"price": 3/"price": 99/' "$1"
                """
            let refused = try await edit(script, scratch, [path, "apple"])
            #expect(refused.status == 1 && refused.output.isEmpty, "\(refused)")
            #expect(
                refused.errors.contains("was changed while you edited it: it is at revision 2-"))
            #expect(try keptText(refused).contains("\"price\": 99"))
            let apple = try await document("apple", path)
            #expect(apple?["price"] == 3 && apple?["note"] == "other")
            let failed = try await edit(
                "sed -i 's/3/4/' \"$1\"; exit 7", scratch, [path, "apple"])
            #expect(
                failed.status == 1 && failed.errors.contains("ended with status 7"), "\(failed)")
            #expect(try keptText(failed).contains("\"price\": 4"))
        }
    }

    @Test func `begins a document with the editor when told to`() async throws {
        try await withShop { path, scratch in
            let script = "printf '{\"n\": 1}' > \"$1\""
            let unknown = try await edit(script, scratch, [path, "pear"])
            #expect(unknown.status == 1 && unknown.errors.contains("--create begins one"))
            let created = try await edit(script, scratch, [path, "pear", "--create"])
            #expect(created.status == 0 && created.output.hasPrefix("pear  1-"), "\(created)")
            #expect(try await document("pear", path) == ["id": "pear", "n": 1])
            let nothing = try await edit("exit 0", scratch, [path, "plum", "--create"])
            #expect(nothing.status == 1 && nothing.errors.contains("nothing was stored"))
            #expect(try await document("plum", path) == nil)
        }
    }
}
