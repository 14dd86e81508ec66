import Dispatch
import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct `Watching a query with the tool` {
    private let tool: BuiltTool
    private let items = """
        {"id":"apple","type":"fruit","price":3,"name":"Apple"}
        {"id":"leek","type":"vegetable","price":2,"name":"Leek"}
        {"id":"pear","type":"fruit","price":4,"name":"Pear\\u001b"}

        """

    init() throws {
        tool = try BuiltTool()
    }

    /// A shop with the index `byPrice`, which shows names.
    private func withShop(
        _ body: (_ path: String) async throws -> Void
    ) async throws {
        try await withScratchDirectory("watch") { scratch in
            let path = scratch.file("shop").path
            let imported = try await tool.run(["import", path, "-"], input: items)
            #expect(imported.status == 0, "\(imported)")
            let added = try await tool.run([
                "indexes", "add", path, "--name", "byPrice", "--key", "price", "--value", "name",
            ])
            #expect(added.status == 0, "\(added)")
            try await body(path)
        }
    }

    /// Opens the shop in this process, beside the tool.
    private func withOpenShop(
        _ path: String, indexes: [any Indexer] = [],
        _ body: (Database) async throws -> Void
    ) async throws {
        let url = URL(fileURLWithPath: path)
        let configuration = Database.OpenDatabaseConfiguration(
            name: url.lastPathComponent, fileLocation: url.deletingLastPathComponent(),
            indexes: indexes, completionQueue: DispatchQueue(label: "shop"))
        let database = try #require(try await Database.open(with: configuration))
        do {
            try await body(database)
        } catch {
            Issue.record(error)
        }
        await database.close()
    }

    /// One commit in which a row goes, one comes, one moves, and one shows something else.
    private func changeAll(_ database: Database) async throws {
        try await database.write { transaction in
            try transaction.delete(documentWithId: "apple")
            try transaction.add(["id": "plum", "price": 1, "name": "Plum"])
            try transaction.save(["id": "leek", "price": 5, "name": "Leek"])
            try transaction.save(["id": "pear", "price": 4, "name": "Nashi"])
        }
    }

    @Test func `shows the answer once, as a query does`() async throws {
        try await withShop { path in
            for options in [[], ["--from", "3", "--descending", "--limit", "1"], ["--to", "0"]] {
                let words = [path, "--index", "byPrice"] + options
                let watched = try await tool.run(["watch", "--once"] + words)
                let asked = try await tool.run(["query"] + words)
                #expect(watched.status == 0 && watched.errors.isEmpty, "\(watched)")
                #expect(watched.output == asked.output)
            }
            let found = try await tool.run([
                "watch", path, "--index", "byPrice", "--to", "2", "--once", "--json",
                "--include-documents",
            ])
            #expect(
                found.output == """
                    {"result":[{"document":{"id":"leek","name":"Leek","price":2,\
                    "type":"vegetable"},"id":"leek","key":2,"value":"Leek"}],"sequence":3}

                    """, "\(found)")
        }
    }

    @Test func `ends once with status 1 when values cannot be summed up`() async throws {
        try await withShop { path in
            let added = try await tool.run([
                "indexes", "add", path, "--name", "names", "--key", "type", "--value", "name",
                "--reduce", "sum",
            ])
            #expect(added.status == 0, "\(added)")
            let watched = try await tool.run(["watch", path, "--index", "names", "--once"])
            #expect(watched.status == 1 && !watched.output.isEmpty, "\(watched)")
            #expect(watched.errors.contains("cannot be summed up"), "\(watched)")
        }
    }

    @Test func `prints how the answer differs, until it is interrupted`() async throws {
        try await withShop { path in
            let running = try tool.start(["watch", path, "--index", "byPrice"])
            let first = try #require(await running.lines(reach: 6))
            #expect(
                first == [
                    "price  name        id", "    2  Leek        leek", "    3  Apple       apple",
                    "    4  Pear\\u{1b}  pear", "", "3 rows.",
                ])
            try await withOpenShop(path) { try await changeAll($0) }
            let lines = try #require(await running.lines(reach: 12))
            #expect(
                Array(lines.dropFirst(6)) == [
                    "", "At the sequence 7:", "-  2      3  Apple  apple",
                    "+  1      1  Plum   plum", "~  3 > 2  4  Nashi  pear",
                    ">  1 > 3  5  Leek   leek",
                ])
            running.interrupt()
            let outcome = await running.outcome()
            #expect(outcome.status == 0 && outcome.lines.count == 10, "\(outcome)")
            #expect(
                outcome.errors == """
                    Watching the index 'byPrice' of 'shop'. Ctrl-C ends it.
                    Ended at the sequence 7.

                    """)
        }
    }

    @Test func `prints an object a step for other programs`() async throws {
        try await withShop { path in
            let running = try tool.start(["watch", path, "--index", "byPrice", "--json"])
            let first = try JSONValue(jsonText: try #require(await running.firstLine()))
            #expect(first["sequence"] == 3)
            #expect(first["result"]?.arrayValue?.map { $0["id"] } == ["leek", "apple", "pear"])
            try await withOpenShop(path) { database in
                try await changeAll(database)
                let lines = try #require(await running.lines(reach: 2))
                let step = try JSONValue(jsonText: lines[1])
                #expect(step["sequence"] == 7)
                let changes = try #require(step["changes"]?.arrayValue)
                #expect(
                    changes.map { $0["change"] } == ["removed", "inserted", "updated", "moved"])
                #expect(changes.map { $0["old"] } == [1, nil, 2, 0])
                #expect(changes.map { $0["new"] } == [nil, 0, 1, 2])
                #expect(changes.map { $0["row"]?["id"] } == ["apple", "plum", "pear", "leek"])
                // The row that is gone is shown as it was.
                #expect(changes[0]["row"] == ["id": "apple", "key": 3, "value": "Apple"])
                try await database.add(["id": "unrelated"])
                try await database.purge(documentsWithIds: ["plum"])
                let last = try #require(await running.lines(reach: 3))
                let row = #"{"id":"plum","key":1,"value":"Plum"}"#
                let text = #"{"change":"removed","old":0,"row":\#(row)}"#
                #expect(last[2] == #"{"changes":[\#(text)],"sequence":9}"#)
            }
            running.interrupt()
            let outcome = await running.outcome()
            #expect(outcome.status == 0 && outcome.lines.count == 3, "\(outcome)")
            #expect(outcome.errors == "Ended at the sequence 9.\n")
        }
    }

    @Test func `shows what is summed up, and brings the index up to date`() async throws {
        try await withShop { path in
            let added = try await tool.run([
                "indexes", "add", path, "--name", "types", "--key", "type", "--key", "price",
                "--reduce", "count",
            ])
            #expect(added.status == 0, "\(added)")
            try await withOpenShop(path) { database in
                try await database.add(["id": "plum", "type": "fruit", "price": 9])
                let words = ["watch", path, "--index", "types", "--group-level", "1"]
                let running = try tool.start(words)
                let first = try #require(await running.lines(reach: 3))
                #expect(first == ["type       count", "fruit          3", "vegetable      1"])
                try await database.write { transaction in
                    for number in 0..<10 {
                        try transaction.add([
                            "id": .some("f\(number)"), "type": "fruit", "price": .some(number),
                        ])
                    }
                }
                let lines = try #require(await running.lines(reach: 6))
                #expect(lines.dropFirst(4) == ["At the sequence 14:", "~  1  fruit  13"])
                running.interrupt()
                let outcome = await running.outcome()
                #expect(outcome.status == 0, "\(outcome)")
                let rows = try await tool.run(
                    ["watch", path, "--index", "types", "--no-reduce", "--once", "--limit", "2"])
                #expect(rows.lines.count == 4, "\(rows)")
                #expect(try database.indexStatus(named: "types").isCurrent)
            }
        }
    }

    @Test func `refuses options that contradict each other`() async throws {
        try await withShop { path in
            let wrong: [([String], String)] = [
                (["--limit", "2"], "go with --index NAME"),
                (["--no-reduce"], "go with --index NAME"),
                (["--from", "1", "--once"], "go with --index NAME"),
                (["--index", "byPrice", "--since", "1"], "--since goes without --index"),
                (["--index", "byPrice", "--type", "fruit"], "--type goes without --index"),
                (["--index", "byPrice", "--documents"], "--include-documents shows"),
                (["--index", "byPrice", "--group", "--no-reduce"], "goes without --no-reduce"),
                (["--index", "byPrice", "--keys", "[1]", "--from", "1"], "--keys goes without"),
                (["--index", ""], "1 to 200 bytes"),
            ]
            for (words, text) in wrong {
                let outcome = try await tool.run(["watch", path] + words)
                #expect(outcome.status == 64 && outcome.output.isEmpty, "\(words): \(outcome)")
                #expect(outcome.errors.contains(text), "\(words): \(outcome)")
            }
        }
    }

    @Test func `says why an index cannot be watched`() async throws {
        try await withShop { path in
            let code = Database.Index(name: "code", version: "1") { document, addIndexRow in
                addIndexRow(document.id, nil)
            }
            try await withOpenShop(path, indexes: [code]) { database in
                _ = try await database.runQuery(on: "code")
            }
            let added = try await tool.run([
                "indexes", "add", path, "--name", "stats", "--key", "type", "--value", "name",
                "--reduce", "stats",
            ])
            #expect(added.status == 0, "\(added)")
            let wrong: [([String], String)] = [
                (["none"], "There is no index 'none'"),
                (["code"], "is made by the code of an application"),
                (["byPrice", "--group"], "does not sum up"),
                (["stats", "--include-documents"], "sums up, and such rows have no documents"),
                // Names are no numbers.
                (["stats"], "_stats"),
            ]
            for (words, text) in wrong {
                let outcome = try await tool.run(["watch", path, "--json", "--index"] + words)
                #expect(outcome.status == 1 && outcome.output.isEmpty, "\(words): \(outcome)")
                #expect(outcome.errors.contains(text), "\(words): \(outcome)")
            }
            let missing = try await tool.run(["watch", path + "2", "--index", "byPrice"])
            #expect(missing.status == 1 && missing.errors.contains("There is no database 'shop2'"))
        }
    }

    @Test func `ends when the index is taken away`() async throws {
        try await withShop { path in
            let running = try tool.start(["watch", path, "--index", "byPrice", "--json"])
            _ = await running.firstLine()
            let removed = try await tool.run(["indexes", "remove", path, "byPrice"])
            #expect(removed.status == 0, "\(removed)")
            try await withOpenShop(path) { try await changeAll($0) }
            let outcome = await running.outcome()
            #expect(outcome.status == 1 && outcome.lines.count == 1, "\(outcome)")
            #expect(outcome.errors.contains("was removed by another process"), "\(outcome)")
        }
    }

    @Test func `ends when the database is taken away`() async throws {
        try await withShop { path in
            let running = try tool.start(["watch", path, "--index", "byPrice", "--json"])
            _ = await running.firstLine()
            try FileManager.default.removeItem(atPath: path + ".settle")
            let outcome = await running.outcome()
            #expect(outcome.status == 1 && outcome.lines.count == 1, "\(outcome)")
            #expect(outcome.errors.contains("'shop' was removed or replaced"), "\(outcome)")
        }
    }

    @Test func `ends when another index takes the name, and leaves that in place`() async throws {
        try await withShop { path in
            let running = try tool.start(["watch", path, "--index", "byPrice", "--json"])
            _ = await running.firstLine()
            let replaced = try await tool.run([
                "indexes", "add", path, "--name", "byPrice", "--key", "name", "--replace",
            ])
            #expect(replaced.status == 0, "\(replaced)")
            let outcome = await running.outcome()
            #expect(outcome.status == 1 && outcome.lines.count == 1, "\(outcome)")
            #expect(outcome.errors.contains("was replaced while it was watched"), "\(outcome)")
            let asked = try await tool.run(["query", path, "--index", "byPrice", "--json"])
            let keys = try asked.lines.map { try JSONValue(jsonText: $0)["key"] }
            #expect(keys == ["Apple", "Leek", "Pear\u{1b}"], "\(asked)")
        }
    }
}
