import Foundation
import Settle
import SettleEntities
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct `Entities with the tool` {
    private let tool: BuiltTool

    init() throws {
        tool = try BuiltTool()
    }

    private static let interchange = """
        {"entities": [
        {"identifier": "anna", "type": "person", "datestamp": {"date": "2026-01-01T00:00:00Z"}, "name": "Anna",
         "phone": {"entries": ["1", {"string": "2", "datestamp": "2026-01-02T00:00:00Z", "device": "laptop"}]},
         "photo": {"data": "AQI="}, "tags": ["a", 1]},
        {"identifier": "bob", "type": "person", "datestamp": {"date": "2026-01-01T00:00:00Z"}, "name": "Bob"},
        {"identifier": "club", "type": "club", "datestamp": {"date": "2026-01-01T00:00:00Z"}},
        {"identifier": "gone", "type": {"entries": [{"string": "person"},
         {"state": "deleted", "datestamp": "2026-01-03T00:00:00Z"}]}, "datestamp": {"date": "2026-01-01T00:00:00Z"}},
        {"type": "person", "name": "no identifier"}
        ]}
        """

    private func withPeople(_ body: (String, ScratchDirectory) async throws -> Void) async throws {
        try await withScratchDirectory("entities") { scratch in
            let file = try scratch.write(Self.interchange, to: "people.json").path
            let path = scratch.file("people").path
            let read = try await tool.run(["entities", "import", path, file])
            #expect(read.status == 0 && read.lines == ["4 entities read."], "\(read)")
            #expect(read.errors.contains("number 5 was passed over: it has no identifier."))
            try await body(path, scratch)
        }
    }

    @Test func `are counted by type and listed`() async throws {
        try await withPeople { path, _ in
            let types = try await tool.run(["entities", path])
            #expect(
                types.lines == ["type    entities", "club           1", "person         2"],
                "\(types)")
            let json = try await tool.run(["entities", "types", path, "--json"])
            #expect(
                json.lines == [
                    "{\"count\":1,\"type\":\"club\"}", "{\"count\":2,\"type\":\"person\"}",
                ])
            let list = try await tool.run([
                "entities", "list", path, "--type", "person", "--limit", "1",
            ])
            #expect(list.lines.count == 3, "\(list)")
            #expect(list.lines[0].hasPrefix("entity  type    name  added"))
            #expect(list.lines[1].hasPrefix("anna    person  Anna  2026-01-01T00:00:00.000Z"))
            #expect(list.lines[2] == "1 more; --all shows them.")
            let all = try await tool.run(["entities", "list", path, "--json"])
            #expect(
                try all.lines.map { try JSONValue(jsonText: $0)["id"]?.stringValue } == [
                    "club", "anna", "bob",
                ])
        }
    }

    @Test func `go through pipes as through files`() async throws {
        try await withPeople { path, scratch in
            let file = scratch.file("exported.json").path
            #expect(try await tool.run(["entities", "export", path, file]).status == 0)
            let piped = try await tool.run(["entities", "export", path, "-"])
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(piped.status == 0)
            #expect(piped.lines == text.split(separator: "\n").map(String.init))

            let other = scratch.file("other").path
            for _ in 1...2 {
                let read = try await tool.run(["entities", "import", other, "-"], input: text)
                #expect(read.status == 0 && read.lines == ["4 entities read."], "\(read)")
            }
            #expect(
                try await tool.run(["entities", "export", other, "-"]).lines == piped.lines)

            let refused = try await tool.run(["entities", "export", path, "-", "--json"])
            #expect(refused.status != 0 && refused.errors.contains("leave --json out"))
            let none = scratch.file("none").path
            #expect(
                try await tool.run(["entities", "import", none, "-"], input: "{").status != 0)
            #expect(try await tool.run(["entities", "import", none, none + ".json"]).status != 0)
        }
    }

    @Test func `of many pages are listed once each`() async throws {
        try await withScratchDirectory("entities") { scratch in
            let numbers = 0..<1_001
            let records = numbers.map {
                #"{"identifier": "n\#($0)", "type": "number", "datestamp": {"date": "2026-01-01T00:00:00Z"}}"#
            }
            let file = try scratch.write(
                "{\"entities\": [\(records.joined(separator: ","))]}", to: "numbers.json")
            let path = scratch.file("numbers").path
            #expect(try await tool.run(["entities", "import", path, file.path]).status == 0)
            let list = try await tool.run(["entities", "list", path, "--type", "number", "--json"])
            let identifiers = try list.lines.map { try JSONValue(jsonText: $0)["id"]?.stringValue }
            #expect(identifiers.count == numbers.count)
            #expect(Set(identifiers) == Set(numbers.map { "n\($0)" }))
        }
    }

    @Test func `are shown as they are, as they were, and with their history`() async throws {
        try await withPeople { path, _ in
            let now = try await tool.run(["entities", "show", path, "anna", "--json"])
            let properties = try JSONValue(jsonText: now.lines[0])["properties"]
            #expect(properties?["phone"]?["value"] == "2", "\(now)")
            #expect(properties?["photo"]?["value"] == "AQI=")
            #expect(properties?["tags"]?["value"] == ["a", 1])
            let then = try await tool.run([
                "entities", "show", path, "anna", "--as-of", "2026-01-01",
            ])
            #expect(then.lines[0] == "person 'anna', added 2026-01-01T00:00:00.000Z", "\(then)")
            #expect(then.lines.contains { $0.hasPrefix("phone     1 ") })
            let history = try await tool.run(["entities", "show", path, "anna", "--history"])
            #expect(history.lines.count { $0.contains("phone") } == 2, "\(history)")
            #expect(
                history.lines.last?.hasPrefix("*  2026-01-02T00:00:00.000Z  phone     2") == true)
            #expect(history.lines.last?.hasSuffix("laptop") == true)
            let entries = try await tool.run([
                "entities", "show", path, "gone", "--history", "--json",
            ])
            #expect(entries.lines.last?.contains("\"state\":\"deleted\"") == true, "\(entries)")
            let gone = try await tool.run(["entities", "show", path, "gone"])
            #expect(
                gone.status == 1 && gone.errors.contains("There is no entity 'gone'"), "\(gone)")
            let both = try await tool.run([
                "entities", "show", path, "anna", "--history", "--as-of", "2026-01-01",
            ])
            #expect(both.status == 64)
        }
    }

    @Test func `are exported, and imported without a change`() async throws {
        try await withPeople { path, scratch in
            let file = scratch.file("out.json").path
            let written = try await tool.run(["entities", "export", path, file])
            #expect(written.lines == ["4 entities exported."], "\(written)")
            let again = try await tool.run(["entities", "export", path, file])
            #expect(again.status == 1 && again.errors.contains("--force"))
            let other = scratch.file("other").path
            _ = try await tool.run(["entities", "import", other, file, "--json"])
            let second = scratch.file("second.json").path
            _ = try await tool.run(["entities", "export", other, second, "--json"])
            #expect(
                try Data(contentsOf: URL(fileURLWithPath: second))
                    == Data(contentsOf: URL(fileURLWithPath: file)))
            let wrong = try scratch.write(
                "{\"entities\":[{\"identifier\":\"a\",\"type\":\"p\",\"k\":null}]}",
                to: "wrong.json")
            let refused = try await tool.run(["entities", "import", other, wrong.path])
            #expect(
                refused.status == 1 && refused.errors.contains("'a'")
                    && refused.errors.contains("'k'"), "\(refused)")
            let missing = try await tool.run(["entities", "import", other, "/nowhere.json"])
            #expect(missing.status == 1 && missing.errors.contains("There is no file"))
        }
    }
}
