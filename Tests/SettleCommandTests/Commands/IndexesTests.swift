import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleCommand

@Suite(.serialized, .timeLimit(.minutes(60))) struct `Indexes with the tool` {
    private let tool: BuiltTool
    private let orders = """
        {"id":"a","type":"order","address":{"city":"Rome"},"amount":3,"name":"Émile"}
        {"id":"b","type":"order","address":{"city":"Oslo"},"amount":8,"name":"eve"}
        {"id":"c","type":"order","address":{"city":"Rome"},"amount":9,"name":"Zoe"}
        {"id":"d","type":"offer","address":{"city":"Rome"},"amount":70,"name":"adam"}
        {"id":"e","type":"note","name":"Adam"}

        """
    private let byCity = [
        "--name", "byCity", "--key", "type", "--key", "address.city", "--value", "amount",
        "--filter", "{\"type\":{\"$in\":[\"order\",\"offer\"]}}", "--reduce", "sum",
    ]

    init() throws {
        tool = try BuiltTool()
    }

    private func withOrders(
        _ body: (_ path: String, ScratchDirectory) async throws -> Void
    ) async throws {
        try await withScratchDirectory("indexes") { scratch in
            let path = scratch.file("shop").path
            let outcome = try await tool.run(["import", path, "-"], input: orders)
            #expect(outcome.status == 0, "\(outcome)")
            try await body(path, scratch)
        }
    }

    private func run(_ arguments: [String]) async throws -> BuiltTool.Outcome {
        let outcome = try await tool.run(arguments)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(arguments): \(outcome)")
        return outcome
    }

    private func values(_ arguments: [String]) async throws -> [JSONValue] {
        try await run(arguments + ["--json"]).lines.map { try JSONValue(jsonText: $0) }
    }

    private func ids(_ path: String, _ arguments: [String]) async throws -> [String] {
        try await values(["query", path] + arguments).compactMap { $0["id"]?.stringValue }
    }

    /// What is told on standard error with this status.
    private func refusal(_ arguments: [String], status: Int32) async throws -> String {
        let outcome = try await tool.run(arguments)
        #expect(outcome.status == status && outcome.output.isEmpty, "\(arguments): \(outcome)")
        return outcome.errors
    }

    @Test(arguments: ["list", "add", "remove", "errors"])
    func `are explained with examples`(name: String) async throws {
        let help = try await run(["indexes", name, "--help"])
        #expect(help.output.contains("Examples:\n  settle indexes "))
        #expect(try await run(["indexes", "--help"]).output.contains("\n  \(name) "))
    }

    @Test func `are stored, listed, and removed`() async throws {
        try await withOrders { path, _ in
            #expect(try await run(["indexes", path]).lines == ["No indexes."])
            #expect(try await run(["indexes", path, "--json"]).lines == [])
            let added = try await run(["indexes", "add", path] + byCity)
            #expect(added.output.hasPrefix("Index 'byCity' has 4 rows. ("), "\(added)")
            let lines = try await run(["indexes", path]).lines
            #expect(lines.count == 2, "\(lines)")
            #expect(lines[0].hasPrefix("index   version  rows  errors  state       made of"))
            #expect(lines[1].hasPrefix("byCity  1           4       0  up to date  "), "\(lines)")
            #expect(
                lines[1].hasSuffix(
                    "  type, address.city -> amount; sum; "
                        + "where {\"type\":{\"$in\":[\"order\",\"offer\"]}}"), "\(lines)")

            let more = "{\"id\":\"f\",\"type\":\"order\"}"
            _ = try await tool.run(["import", path, "-"], input: more)
            let behind = try #require(try await values(["indexes", "list", path]).first)
            #expect(behind["isCurrent"] == false && behind["isBuilt"] == true)
            #expect(behind["lastSequence"] == 6 && behind["sequence"] == 5, "\(behind)")
            #expect(try await run(["indexes", path]).lines[1].contains("  1 change behind  "))

            #expect(
                try await run(["indexes", "remove", path, "byCity"]).lines
                    == ["Index 'byCity' removed."])
            #expect(try await run(["indexes", path]).lines == ["No indexes."])
        }
    }

    @Test func `are declared by a file, which the listing gives back`() async throws {
        try await withOrders { path, scratch in
            _ = try await run(
                ["indexes", "add", path, "--version", "2.0", "--collation", "raw"] + byCity)
            let listed = try #require(try await values(["indexes", path]).first)
            let declaration = try #require(listed["declaration"])
            #expect(declaration["keys"] == [["type"], ["address", "city"]])
            #expect(declaration["version"] == "2.0" && declaration["collation"] == "raw")
            #expect(declaration["reduce"] == "_sum" && declaration["value"] == ["amount"])
            let text = JSONRendering.indented(declaration)
            let file = try scratch.write(text, to: "byCity.json").path
            let copy = scratch.file("copy").path
            _ = try await tool.run(["import", copy, "-"], input: orders)
            _ = try await run(["indexes", "add", copy, "--declaration", file])
            let copied = try #require(try await values(["indexes", copy]).first)
            #expect(copied["declaration"] == declaration && copied["rows"] == 4, "\(copied)")
            #expect(copied["version"] == "2.0")
            let called = #"{"name":"m","keys":[["id"]],"identifier":"_id"}"#
            let other = try scratch.write(called, to: "m.json").path
            _ = try await run(["indexes", "add", copy, "--declaration", other])
            let line = try #require(try await run(["indexes", copy]).lines.last)
            #expect(line.hasSuffix("  id; the identifier is _id"), "\(line)")
            #expect(line.contains("  0  "), "\(line)")
        }
    }

    @Test func `are asked by their names alone`() async throws {
        try await withOrders { path, _ in
            _ = try await run(["indexes", "add", path] + byCity)
            let ask = ["query", path, "--index", "byCity"]
            #expect(try await values(ask) == [["key": .null, "value": 90]])
            #expect(
                try await values(ask + ["--group-level", "1"]) == [
                    ["key": ["offer"], "value": 70], ["key": ["order"], "value": 20],
                ])
            #expect(
                try await run(ask + ["--group"]).lines == [
                    "type   address.city  sum of amount", "offer  Rome                     70",
                    "order  Oslo                      8", "order  Rome                     12",
                ])
            let rows = ["--index", "byCity", "--no-reduce"]
            #expect(try await ids(path, rows) == ["d", "b", "a", "c"])
            #expect(try await ids(path, rows + ["--include-documents"]).count == 4)
            let order = "[\"order\",\"Rome\"]"
            let from = rows + ["--from", order]
            #expect(try await ids(path, from) == ["a", "c"])
            #expect(try await ids(path, from + ["--start-id", "b"]) == ["c"])
            #expect(try await ids(path, from + ["--exclusive-start"]) == [])
            #expect(
                try await ids(path, rows + ["--to", order, "--end-id", "a"]) == ["d", "b", "a"])
            #expect(try await ids(path, rows + ["--to", order, "--exclusive-end"]) == ["d", "b"])
            #expect(try await ids(path, rows + ["--prefix", "[\"order\"]"]) == ["b", "a", "c"])
        }
    }

    @Test func `are asked as they are, or brought up to date first`() async throws {
        try await withOrders { path, _ in
            _ = try await run(["indexes", "add", path] + byCity)
            let more = "{\"id\":\"f\",\"type\":\"order\",\"amount\":100}\n"
            _ = try await tool.run(["import", path, "-"], input: more)
            let ask = ["query", path, "--index", "byCity"]
            #expect(try await values(ask + ["--stale"]).map { $0["value"] } == [90])
            #expect(try await values(ask).map { $0["value"] } == [190])
            #expect(try await values(ask + ["--stale"]).map { $0["value"] } == [190])
        }
    }

    @Test func `are stored by a query that names them`() async throws {
        try await withOrders { path, _ in
            let declare = ["--key", "name", "--collation", "raw", "--index", "byName"]
            #expect(try await ids(path, declare) == ["e", "c", "d", "b", "a"])
            #expect(try await ids(path, ["--index", "byName"]) == ["e", "c", "d", "b", "a"])
            #expect(try await ids(path, ["--key", "name"]) == ["d", "e", "a", "b", "c"])
            let names = try await values(["indexes", path]).map { $0["name"] }
            #expect(names == ["byName"])
        }
    }

    @Test func `a query can filter, and take what begins with a text`() async throws {
        try await withOrders { path, _ in
            let rich = ["--key", "name", "--filter", "{\"amount\":{\"$gt\":5}}"]
            let found = try await ids(path, rich)
            #expect(found == ["d", "b", "c"])
            #expect(try await ids(path, ["--key", "name", "--prefix", "\"Z\""]) == ["c"])
            #expect(try await ids(path, ["--key", "name", "--prefix", "\"ev\""]) == ["b"])
            let count = ["--key", "type", "--reduce", "approx_count_distinct"]
            #expect(try await values(["query", path] + count).map { $0["value"] } == [3])
            #expect(try await run(["indexes", path]).lines == ["No indexes."])
        }
    }

    @Test func `a table says how many rows its range has`() async throws {
        try await withOrders { path, _ in
            func last(_ arguments: [String]) async throws -> String? {
                try await run(["query", path, "--key", "type"] + arguments).lines.last
            }
            let all = try await last([])
            #expect(all == "5 rows.")
            #expect(try await last(["--skip", "1", "--limit", "3"]) == "Rows 2 to 4 of 5.")
            #expect(try await last(["--from", "\"order\"", "--limit", "1"]) == "1 of 3 rows.")
            #expect(
                try await last(["--from", "\"order\"", "--skip", "1", "--limit", "1"])
                    == "Row 2 of 3.")
            #expect(
                try await last(["--to", "\"order\"", "--limit", "2", "--descending"])
                    == "2 of 3 rows.")
            #expect(try await last(["--prefix", "\"or\"", "--limit", "2"]) == "2 of 3 rows.")
            #expect(try await last(["--from", "\"order\""]) == "3 rows.")
            #expect(try await last(["--keys", "[\"note\",\"order\"]"]) == "4 rows.")
            #expect(try await last(["--reduce", "count"]) == "    5")
        }
    }

    @Test func `what begins with a text is found whatever its case and accents, unless raw`()
        async throws
    {
        try await withOrders { path, _ in
            let byName = ["--key", "name", "--prefix"]
            let found = try await ids(path, byName + ["\"AD\""])
            #expect(found == ["d", "e"])
            #expect(try await ids(path, byName + ["\"em\""]) == ["a"])
            #expect(try await ids(path, byName + ["\"Ad\"", "--collation", "raw"]) == ["e"])
            #expect(try await ids(path, byName + ["\"em\"", "--collation", "raw"]) == [])
        }
    }

    @Test func `are asked by every application that opens the database`() async throws {
        try await withOrders { path, _ in
            _ = try await run(["indexes", "add", path] + byCity)
            try await DatabasePath(parsing: path).withDatabase { database in
                #expect(try database.storedIndexes().map(\.name) == ["byCity"])
                let total = try await database.runQuery(on: "byCity").rows
                #expect(total.map(\.valueJSON) == [90])
                // The tool finds the database open, and what is stored meanwhile.
                try await database.save(["id": "f", "type": "order", "amount": 10])
                let found = try await values(["query", path, "--index", "byCity"])
                #expect(found == [["key": .null, "value": 100]])
                _ = try await run(["indexes", "add", path, "--name", "second", "--key", "type"])
                #expect(try database.indexStatus(named: "second").isBuilt)
            }
        }
    }

    @Test func `are replaced by another declaration or version, but only when that is said`()
        async throws
    {
        try await withOrders { path, _ in
            let add = ["indexes", "add", path, "--name", "a", "--key"]
            _ = try await run(add + ["type"])
            let listed = try await values(["indexes", path])
            let same = try await run(add + ["type"])
            #expect(same.output.hasPrefix("Index 'a' has 5 rows. ("), "\(same)")
            let others = [
                add + ["name"], add + ["type", "--version", "2"],
                add + ["type", "--value", "name"],
                ["query", path, "--key", "name", "--index", "a"],
            ]
            for other in others {
                let errors = try await refusal(other, status: 1)
                #expect(errors.contains("There is another index 'a', so nothing was changed."))
                let both = "It is version '1': type. Given was version '"
                #expect(errors.contains(both), "\(errors)")
                #expect(errors.contains("--replace"), "\(errors)")
            }
            #expect(try await values(["indexes", path]) == listed)
            #expect(try await ids(path, ["--key", "type", "--index", "a"]).count == 5)
            _ = try await run(add + ["name", "--version", "2", "--replace"])
            #expect(try await ids(path, ["--index", "a"]) == ["d", "e", "a", "b", "c"])
            let replaced = try await values(["indexes", path])
            #expect(replaced.map { $0["version"] } == ["2"] && replaced[0]["isCurrent"] == true)
        }
    }

    @Test func `are looked at by a check, and named with their sizes`() async throws {
        try await withOrders { path, _ in
            _ = try await run(["indexes", "add", path, "--name", "a/1/rows", "--key", "type"])
            _ = try await run(["indexes", "add", path] + byCity)
            #expect(try await run(["check", path]).output.hasPrefix("Nothing is wrong."))
            let lines = try await run(["stats", path]).lines
            let title = try #require(lines.firstIndex { $0.hasPrefix("index ") })
            #expect(lines.count == title + 3, "\(lines)")
            #expect(lines[title + 1].hasPrefix("a/1/rows     5  "), "\(lines)")
            #expect(lines[title + 2].hasPrefix("byCity       4  "), "\(lines)")
            #expect(!lines.contains { $0.contains("guest/view/") }, "\(lines)")
            let statistics = try #require(try await values(["stats", path]).first)
            let indexes = statistics["indexes"]?.arrayValue ?? []
            #expect(indexes.map { $0["name"] } == ["a/1/rows", "byCity"])
            #expect(indexes.map { $0["rows"] } == [5, 4])
            #expect(indexes.allSatisfy { $0["bytes"]?.integerValue ?? 0 > 0 })
        }
    }

    @Test func `errors are listed by document`() async throws {
        try await withOrders { path, _ in
            struct NoAmount: Error, CustomStringConvertible {
                var description: String { "there is no amount" }
            }
            try await DatabasePath(parsing: path).withDatabase { database in
                try await database.addIndex(
                    Database.Index(name: "byAmount", version: "1.5", builtInReduce: .count) {
                        document, addIndexRow in
                        guard let amount = document["amount"] else { throw NoAmount() }
                        addIndexRow(amount, nil)
                    })
            }

            let found = try await values(["indexes", "errors", path, "byAmount"])
            #expect(found.count == 1 && found[0]["id"] == "e", "\(found)")
            #expect(found[0]["reason"]?.stringValue?.contains("there is no amount") == true)
            #expect(found[0]["isCrash"] == false)
            let table = try await run(["indexes", "errors", path, "byAmount"]).lines
            #expect(table.count == 2 && table[1].hasPrefix("e  "), "\(table)")
            let lines = try await run(["indexes", path]).lines
            #expect(lines[1].hasSuffix("  up to date  code of an application; count"), "\(lines)")
            #expect(lines[1].hasPrefix("byAmount  1.5      "), "\(lines)")
            let taken = ["indexes", "add", path, "--name", "byAmount", "--key", "amount"]
            #expect(
                try await refusal(taken, status: 1).contains(
                    "It is version '1.5': code of an application; count."))
            let refusal = try await refusal(["query", path, "--index", "byAmount"], status: 1)
            #expect(refusal.contains("made by the code of an application"))
            _ = try await run(["indexes", "remove", path, "byAmount"])
            #expect(try await run(["indexes", path]).lines == ["No indexes."])
        }
    }

    @Test(arguments: [
        ["indexes"], ["indexes", "add", "./x"], ["indexes", "add", "./x", "--name", "a"],
        ["indexes", "add", "./x", "--key", "a"],
        ["indexes", "add", "./x", "--name", "", "--key", "a"],
        ["indexes", "add", "./x", "--name", "a", "--key", "a", "--filter", "[1]"],
        ["indexes", "add", "./x", "--name", "a", "--key", "a", "--filter", "{\"a\":{\"$x\":1}}"],
        ["indexes", "add", "./x", "--name", "a", "--key", "a", "--collation", "german"],
        ["indexes", "add", "./x", "--name", "a", "--key", "a", "--filter", "{\"a\":"],
        ["indexes", "add", "./x", "--name", "a", "--declaration", "f"],
        ["indexes", "add", "./x", "--key", "a", "--declaration", "f"],
        ["indexes", "remove", "./x"], ["indexes", "errors", "./x"],
        ["indexes", "errors", "./x", "a", "--limit", "0"],
        ["query", "./x", "--index", "a", "--value", "b"],
        ["query", "./x", "--index", "a", "--filter", "{}"],
        ["query", "./x", "--index", "a", "--group", "--no-reduce"],
        ["query", "./x", "--key", "a", "--stale"],
        ["query", "./x", "--key", "a", "--start-id", "x"],
        ["query", "./x", "--key", "a", "--exclusive-end"],
        ["query", "./x", "--key", "a", "--prefix", "1"],
        ["query", "./x", "--key", "a", "--prefix", "[]"],
        ["query", "./x", "--key", "a", "--prefix", "\"a\"", "--from", "1"],
    ])
    func `a wrong command line is answered with status 64`(arguments: [String]) async throws {
        #expect(try await !refusal(arguments, status: 64).isEmpty)
    }

    @Test func `what the world refuses is told in a sentence`() async throws {
        try await withOrders { path, scratch in
            _ = try await run(["indexes", "add", path, "--name", "plain", "--key", "type"])
            let none = scratch.file("none").path
            let broken = try scratch.write("{\"name\":\"a\"}", to: "broken.json").path
            let noJSON = try scratch.write("keys: type", to: "no.json").path
            let cases: [([String], String)] = [
                (["indexes", none], "There is no database 'none'"),
                (["indexes", "remove", path, "ghost"], "There is no index 'ghost'"),
                (["indexes", "errors", path, "ghost"], "There is no index 'ghost'"),
                (["query", path, "--index", "ghost"], "There is no index 'ghost'"),
                (["query", path, "--index", "plain", "--group"], "does not sum up"),
                (["indexes", "add", path, "--declaration", none], "cannot be read"),
                (["indexes", "add", path, "--declaration", broken], "'keys'"),
                (["indexes", "add", path, "--declaration", noJSON], "holds no declaration"),
            ]
            for (arguments, sentence) in cases {
                let errors = try await refusal(arguments, status: 1)
                #expect(errors.contains(sentence), "\(arguments): \(errors)")
            }
            _ = try await run(["indexes", "add", path] + byCity)
            let documents = ["query", path, "--index", "byCity", "--include-documents"]
            #expect(try await refusal(documents, status: 1).contains("give --no-reduce"))
        }
    }
}
