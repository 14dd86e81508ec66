import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleCommand

@Suite(.serialized, .timeLimit(.minutes(60))) struct `Listing with the tool` {
    private let tool: BuiltTool

    init() throws {
        tool = try BuiltTool()
    }

    private func withShops(_ body: (ScratchDirectory) async throws -> Void) async throws {
        try await withScratchDirectory("list") { scratch in
            let shop = (1...120).map { number in
                "{\"id\":\"\(number < 100 ? "item" : "note")-\(100 + number)\",\"type\":\"t\"}\n"
            }
            let many = try await tool.run(
                ["import", scratch.file("shop").path, "-"],
                input: shop.joined() + "{\"id\":\"item\"}\n")
            #expect(many.status == 0, "\(many)")
            _ = try await tool.run(["put", scratch.file("tiny").path, "{\"id\":\"a\"}"])
            try await body(scratch)
        }
    }

    private func run(_ arguments: String...) async throws -> BuiltTool.Outcome {
        try await tool.run(arguments)
    }

    private func ids(_ outcome: BuiltTool.Outcome) throws -> [String] {
        #expect(outcome.status == 0, "\(outcome)")
        return try outcome.lines.map { try JSONValue(jsonText: $0)["id"]?.stringValue ?? "" }
    }

    @Test func `shows the databases of a folder`() async throws {
        try await withShops { scratch in
            let listed = try await run("ls", scratch.path)
            #expect(listed.status == 0 && listed.lines.count == 3, "\(listed)")
            #expect(listed.lines[0].hasPrefix("database  documents  last sequence"))
            #expect(listed.lines[1].hasPrefix("shop            121            121"))
            let json = try await run("ls", scratch.path + "/", "--json")
            let entries = try json.lines.map { try JSONValue(jsonText: $0) }
            #expect(entries.map { $0["name"] } == ["shop", "tiny"])
            #expect(entries.map { $0["documents"] } == [121, 1])
            let empty = try scratch.folder("empty").path
            #expect(try await run("ls", empty).lines == ["No databases."])
            let none = try await run("ls", scratch.path + "/none/")
            #expect(none.status == 1 && none.errors.contains("There is no folder"), "\(none)")
        }
    }

    @Test func `ends with status 1 when a database of the list cannot be opened`() async throws {
        try await withShops { scratch in
            let broken = try scratch.folder("broken.settle")
            try Data(repeating: 9, count: 9_000).write(
                to: broken.appendingPathComponent("data.mdb"))
            let listed = try await run("ls", scratch.path)
            #expect(listed.status == 1, "\(listed)")
            #expect(listed.lines[0].hasSuffix("problem") && listed.lines.count == 4, "\(listed)")
            #expect(listed.lines[1].hasPrefix("broken") && listed.lines[2].hasPrefix("shop"))
            #expect(listed.errors.contains("1 database could not be opened"))
            let json = try await run("ls", scratch.path, "--json")
            #expect(json.status == 1)
            #expect(try JSONValue(jsonText: json.lines[0])["error"]?.stringValue != nil)
        }
    }

    @Test func `shows documents by prefix, from an identifier, and so many`() async throws {
        try await withShops { scratch in
            let shop = scratch.file("shop").path
            let people = try await run("ls", shop)
            #expect(people.status == 0 && people.lines.count == 102, "\(people)")
            #expect(people.lines[0].hasPrefix("id") && people.lines[0].hasSuffix("type"))
            #expect(people.lines[101] == "100 of 121 documents shown. --all shows the others.")
            #expect(try await run("ls", shop, "--all").lines.count == 122)
            #expect(try await run("ls", shop + ".settle/").lines == people.lines)
            let all = try ids(await run("ls", shop, "--json"))
            #expect(all.count == 121 && all == all.sorted())
            let notes = try ids(await run("ls", shop, "--prefix", "note-", "--json"))
            #expect(notes == all.filter { $0.hasPrefix("note-") })
            // What the prefix itself names is among them.
            let items = try ids(await run("ls", shop, "--prefix", "item", "--json", "--limit", "2"))
            #expect(items == ["item", "item-101"])
            let later = try ids(
                await run("ls", shop, "--prefix", "item", "--after", "item", "--json"))
            #expect(later == all.filter { $0.hasPrefix("item-") })
            let last = try ids(await run("ls", shop, "--after", "note-219", "--json"))
            #expect(last == ["note-220"])
            #expect(try await run("ls", shop, "--prefix", "x").lines == ["No documents."])
            #expect(try await run("ls", shop, "--all", "--limit", "1").status == 64)
        }
    }
}
