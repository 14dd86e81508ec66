import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct `Watching with the tool` {
    private let tool: BuiltTool
    private let items = """
        {"id":"apple","type":"fruit","price":3}
        {"id":"leek","type":"vegetable","price":2}
        {"id":"pear\\u001b","type":"fruit","price":4}

        """

    init() throws {
        tool = try BuiltTool()
    }

    private func withShop(
        _ body: (_ path: String) async throws -> Void
    ) async throws {
        try await withScratchDirectory("watch") { scratch in
            let path = scratch.file("shop").path
            try await put(items, in: path)
            try await body(path)
        }
    }

    private func put(_ items: String, in path: String) async throws {
        let outcome = try await tool.run(["import", path, "-"], input: items)
        #expect(outcome.status == 0, "\(outcome)")
    }

    private func values(_ outcome: BuiltTool.Outcome) throws -> [JSONValue] {
        try outcome.lines.map { try JSONValue(jsonText: $0) }
    }

    @Test func `shows what has changed, once`() async throws {
        try await withShop { path in
            let once = try await tool.run(["watch", path, "--once"])
            #expect(once.status == 0 && once.errors.isEmpty, "\(once)")
            #expect(once.lines.count == 3)
            #expect(once.lines[0].hasPrefix("       1  saved    apple  1-"), "\(once)")
            #expect(once.lines[2].hasPrefix("       3  saved    pear\\u{1b}  1-"), "\(once)")
            let rest = try await tool.run(["watch", path, "--once", "--since", "2", "--json"])
            #expect(try values(rest).map { $0["sequence"] } == [3])
            #expect(try values(rest).map { $0["id"] } == ["pear\u{1b}"])
            let none = try await tool.run(["watch", path, "--once", "--since", "3"])
            #expect(none.status == 0 && none.output.isEmpty && none.errors.isEmpty)
        }
    }

    @Test func `shows the documents of a type`() async throws {
        try await withShop { path in
            let found = try await tool.run(
                ["watch", path, "--once", "--type", "fruit", "--documents", "--json"])
            let values = try values(found)
            #expect(values.map { $0["document"]?["price"] } == [3, 4], "\(found)")
            #expect(values.allSatisfy { $0["isDeleted"] == false && $0["origin"] == .null })
            let shown = try await tool.run(["watch", path, "--once", "--documents"])
            #expect(shown.output.contains("\n{\n  \"id\": \"apple\",\n  \"price\": 3,"), "\(shown)")
        }
    }

    @Test func `sees what other processes write until it is interrupted`() async throws {
        try await withShop { path in
            let running = try tool.start(["watch", path, "--since", "0"])
            #expect(await running.firstLine()?.contains("apple") == true)
            try await put(#"{"id":"plum","type":"fruit"}"#, in: path)
            // The lines that were there came in one piece, so this is the next.
            _ = await running.firstLine()
            running.interrupt()
            let outcome = await running.outcome()
            #expect(outcome.status == 0, "\(outcome)")
            #expect(outcome.lines.count == 4)
            #expect(outcome.lines.last?.contains("  saved    plum  1-") == true, "\(outcome)")
            #expect(outcome.errors.hasPrefix("Watching 'shop' after the sequence 0. "))
            #expect(
                outcome.errors.hasSuffix(
                    "\nEnded at the sequence 4; --since 4 goes on from there.\n"), "\(outcome)")
        }
    }

    @Test func `ends quietly when the reader has enough`() async throws {
        try await withShop { path in
            let script = #""$0" watch "$1" --once --documents --json | head -n 1"#
            let outcome = try await tool.runScript(script, [path])
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
            #expect(outcome.lines.count == 1)
        }
    }

    @Test func `refuses a sequence that is not there yet, and a database that is not`() async throws
    {
        try await withShop { path in
            let early = try await tool.run(["watch", path, "--since", "9"])
            #expect(early.status == 1 && early.output.isEmpty, "\(early)")
            #expect(early.errors.contains("is at the sequence 3 and has not come to 9 yet."))
            let missing = try await tool.run(["watch", path + "2"])
            #expect(missing.status == 1 && missing.errors.contains("There is no database 'shop2'"))
            let negative = try await tool.run(["watch", path, "--since", "-1"])
            #expect(negative.status == 64)
        }
    }

    @Test func `ends when the database is removed, or replaced by another`() async throws {
        try await withShop { path in
            let running = try tool.start(["watch", path, "--since", "0"])
            _ = await running.firstLine()
            try FileManager.default.removeItem(atPath: path + ".settle")
            try await put(#"{"id":"other"}"#, in: path)
            let outcome = await running.outcome()
            #expect(outcome.status == 1 && outcome.lines.count == 3, "\(outcome)")
            #expect(outcome.errors.contains("'shop' was removed or replaced"), "\(outcome)")
            // To go on from a sequence of the old one would be wrong.
            #expect(!outcome.errors.contains("goes on from there"), "\(outcome)")
        }
    }
}
