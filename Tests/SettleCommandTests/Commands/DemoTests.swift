import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct `Demo` {
    private let tool: BuiltTool

    init() throws {
        tool = try BuiltTool()
    }

    /// The cities of a few countries, in a file of their own.
    private func cities(_ countries: [String], in scratch: ScratchDirectory) throws -> String {
        let marks = countries.map { Data("\"country\":\"\($0)\"".utf8) }
        let lines = try Fixture.lines("Documents/cities.ndjson").filter { line in
            marks.contains { line.range(of: $0) != nil }
        }
        let text = lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
        return try scratch.write(text, to: "cities.ndjson").path
    }

    @Test func `tells its story to the end and leaves what it was asked to keep`() async throws {
        try await withScratchDirectory("demo") { scratch in
            let kept = scratch.file("kept").path
            let file = try cities(["FR", "CH", "NZ", "KE"], in: scratch)
            let outcome = try await tool.run(["demo", "--cities", file, "--keep", kept])
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
            #expect(outcome.output.contains("Everything was as expected: 13 steps, "))
            let there = try await tool.run(
                ["query", kept + "/client-b", "--key", "continent", "--reduce", "count", "--group"])
            #expect(there.lines.count == 2 && there.lines.last?.hasPrefix("EU ") == true)
            let renamed = try await tool.run(["get", kept + "/client-a", "city-2996944"])
            #expect(renamed.output.contains("Lugdunum"))
        }
    }

    @Test func `ends with a sentence when the world is not as expected`() async throws {
        try await withScratchDirectory("demo") { scratch in
            let file = try cities(["NZ"], in: scratch)
            let outcome = try await tool.run(
                ["demo", "--cities", file], environment: ["TMPDIR": scratch.path])
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("The demo needs cities of FR in EU"), "\(outcome)")
            let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
            #expect(left == ["cities.ndjson"])
        }
    }

    @Test func `cleans up when it is interrupted`() async throws {
        try await withScratchDirectory("demo") { scratch in
            let running = try tool.start(["demo"], environment: ["TMPDIR": scratch.path])
            _ = await running.firstLine()
            running.interrupt()
            let outcome = await running.outcome()
            #expect(outcome.status == 130, "\(outcome)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
        }
    }
}
