import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleCommand

@Suite struct `CSV by the tool` {
    private let tool: BuiltTool

    init() throws { tool = try BuiltTool() }

    @Test func `goes in, is asked for, and comes out as it was`() async throws {
        try await withScratchDirectory("csv") { scratch in
            let text = #"""
                id,city,people,note
                1,"Paris, Texas",24171,
                2,Oslo,709037,"said ""hei"""
                3,Rome,2873000,"007"
                """#
            let file = try scratch.write(text, to: "cities.csv").path
            let path = scratch.file("cities").path
            let imported = try await tool.run(["import", path, "--csv", file])
            #expect(imported.status == 0 && imported.output.contains("3 documents"), "\(imported)")
            let answer = try await tool.run(
                ["query", path, "--key", "people", "--key", "city", "--value", "note", "--csv"])
            #expect(
                answer.output == #"""
                    people,city,note,id
                    24171,"Paris, Texas",,"1"
                    709037,Oslo,"said ""hei""","2"
                    2873000,Rome,007,"3"

                    """#, "\(answer)")
            let copy = scratch.file("copy").path
            let again = try await tool.run(["import", copy, "--csv", "-"], input: answer.output)
            #expect(again.status == 0, "\(again)")
            try await DatabasePath(parsing: copy).withDatabase { database in
                let oslo = try #require(try await database.fetchDocument("2"))
                #expect(oslo.json == ["city": "Oslo", "people": 709_037, "note": "said \"hei\""])
            }
            let sums = try await tool.run(
                ["query", path, "--key", "city", "--value", "people", "--reduce", "sum", "--csv"])
            #expect(sums.output == "sum of people\n3606208\n", "\(sums)")
            let documents = try await tool.run(
                [
                    "query", path, "--key", "city", "--from", "\"Rome\"", "--include-documents",
                    "--csv",
                ])
            let titles = documents.lines.first
            #expect(titles == "city,id,document", "\(documents)")
            #expect(documents.output.contains("\"\"people\"\":2873000"), "\(documents)")
            let none = try await tool.run(["query", path, "--key", "nothing", "--csv"])
            #expect(none.output == "nothing,id\n", "\(none)")
        }
    }

    @Test func `is refused with the line, and only what stands before it is stored`() async throws {
        try await withScratchDirectory("csv") { scratch in
            let path = scratch.file("shop").path
            let wrong = try await tool.run(
                ["import", path, "--csv", "-"], input: "id;n\na;1\nb;2;3\nc;4\n")
            #expect(wrong.status == 0, "One column, whose name has a semicolon: \(wrong)")
            let cut = try await tool.run(
                ["import", path, "--csv", "--separator", ";", "-"], input: "id;n\na;1\nb;2;3\nc;4\n"
            )
            #expect(cut.status == 1 && cut.output.isEmpty, "\(cut)")
            #expect(cut.errors.contains("line 3: The row has 3 fields"), "\(cut)")
            #expect(cut.errors.contains("1 document before it is stored"), "\(cut)")
            let tabs = try await tool.run(
                ["import", path, "--csv", "--separator", "tab", "-"], input: "id\tn\nx\t1\n")
            #expect(tabs.status == 0, "\(tabs)")
            for arguments in [
                ["--separator", "ab", "--csv"], ["--separator", "\"", "--csv"],
                ["--separator", ";"], ["--text"],
            ] {
                let outcome = try await tool.run(
                    ["import", path] + arguments + ["-"], input: "a\n")
                #expect(outcome.status == 64 && outcome.output.isEmpty, "\(arguments): \(outcome)")
            }
            let both = try await tool.run(["query", path, "--key", "n", "--csv", "--json"])
            #expect(both.status == 64, "\(both)")
        }
    }
}
