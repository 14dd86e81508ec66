import Foundation
import Testing

@Suite struct `Documents and fixtures` {
    @Test func `link to files that are there`() throws {
        let tree = try PackageTree.house()
        let files = try [
            tree.files(ending: "README.md"), tree.files(under: "Docs/", ending: ".md"),
        ]
        let found = files.joined().flatMap { file in
            LinkRule.violations(in: file) { path in
                FileManager.default.fileExists(
                    atPath: tree.root.appendingPathComponent(path).path)
            }
        }
        #expect(found == [])
        #expect(tree.paths.contains("README.md"))
    }

    @Test func `with a link that leads nowhere are refused`() {
        let text = """
            [a](There.md) [b](../README.md#use) [c](Gone.md "title") `[d](Code.md)`
            [e](https://example.org/x) [f](#heading) [g](../../Outside.md)
            ```
            [h](Fenced.md)
            ```
            ![i](gone.png)
            """
        let file = PackageTree.TextFile(path: "Docs/A.md", text: text)
        let found = LinkRule.violations(in: file) { ["Docs/There.md", "README.md"].contains($0) }
        #expect(
            found == [
                "Docs/A.md: the link to Gone.md leads nowhere.",
                "Docs/A.md: the link to ../../Outside.md leads nowhere.",
                "Docs/A.md: the link to gone.png leads nowhere.",
            ])
    }

    @Test func `say nothing in words that were given up`() throws {
        let tree = try PackageTree.house()
        let files = try (tree.files(ending: ".swift") + tree.files(ending: ".md")).filter {
            // It names them.
            !$0.path.hasPrefix("Tests/HouseTests/")
        }
        #expect(files.flatMap { PhraseRule.violations(in: $0) } == [])
    }

    @Test func `with words that were given up are refused`() {
        let text = "/// The far\n    /// side of it.\nlet b = 1\n// Far side\n// far from this side"
        let file = PackageTree.TextFile(path: "Sources/A.swift", text: text)
        let found = PhraseRule.violations(in: file).map { $0.prefix(17) }
        #expect(found == ["Sources/A.swift:1", "Sources/A.swift:4"])
    }

    @Test(arguments: [
        ("let a = RunTable()", true), ("struct RunTableTests {}", true),
        ("let a: SortedRunTable", false),
        ("let a = runTables", false), ("let a = RunTables()", false),
        ("let prune: TRunTable", false),
        ("/// Gives a ``RemoteOutbox``.", true), ("throw Refusal.full", true), ("a refusal", false),
    ])
    func `with names that were given up are refused`(text: String, isRefused: Bool) {
        let file = PackageTree.TextFile(path: "Sources/A.swift", text: text)
        #expect(PhraseRule.violations(in: file).isEmpty != isRefused)
        let exceptions = ["Sources/A.swift": Set(["RunTable", "RemoteOutbox", "Refusal"])]
        #expect(PhraseRule.violations(in: file, exceptions: exceptions) == [])
    }

    @Test func `show no Swift that no test has`() throws {
        let tree = try PackageTree.house()
        let files = try tree.files(under: "Tests/", ending: ".swift")
        let tests = files.map { CodeBlockRule.condensed($0.text) }.joined(separator: "\n")
        let lines = Set(
            files.flatMap { $0.text.split(separator: "\n").map { $0.filter { !$0.isWhitespace } } })
        let symbols = try tree.files(under: "Sources/", ending: ".swift")
            .map(CodeBlockRule.documentation)
        let pages =
            try tree.files(ending: "README.md") + tree.files(under: "Docs/Guides/", ending: ".md")
            + tree.files(under: "Sources/", ending: ".md") + symbols
        #expect(pages.count > 100)
        #expect(
            pages.flatMap { CodeBlockRule.violations(in: $0, tests: tests, lines: lines) } == [])
    }

    @Test func `with Swift that no test has are refused`() {
        let text = """
            ```swift
            let a = b(1)  // what comes out
            let url = "http://a"
            }
            let c = d
            ```
            ```sh
            let e = f
            ```
            """
        let tests = CodeBlockRule.condensed("    let a =\n b( 1 )\n let url = \"http://a\"")
        let page = PackageTree.TextFile(path: "Docs/Guides/A.md", text: text)
        #expect(
            CodeBlockRule.violations(in: page, tests: tests) == [
                "Docs/Guides/A.md:5: no test has this line."
            ])
    }

    @Test func `show how each type that a user meets first is used`() throws {
        let tree = try PackageTree.house()
        #expect(CodeBlockRule.firstTypes.values.joined().count >= 40)
        for (target, types) in CodeBlockRule.firstTypes {
            let files = try tree.files(under: "Sources/\(target)/", ending: ".swift")
            #expect(CodeBlockRule.withoutExample(types, in: files) == [], "\(target)")
        }
    }

    @Test func `of a type without an example are refused`() {
        let text = """
            /// One.
            /// ```swift
            /// let a = A()
            /// ```
            @MainActor @Observable public final class A {}
            /// Two.
            public struct B {
                /// ```swift
                /// let c = b.c
                /// ```
                public var c = 1
            }
            """
        let file = PackageTree.TextFile(path: "Sources/Settle/A.swift", text: text)
        #expect(CodeBlockRule.withoutExample(["A", "B"], in: [file]) == ["B has no example."])
        #expect(
            CodeBlockRule.violations(in: CodeBlockRule.documentation(of: file), tests: "leta=A()")
                == ["Sources/Settle/A.swift:9: no test has this line."])
    }

    @Test func `have an origin`() throws {
        let tree = try PackageTree.house()
        let fixtures = tree.paths.filter { $0.hasPrefix("Fixtures/") }
            .map { String($0.dropFirst("Fixtures/".count)) }.filter { $0 != "Origins.md" }
        let origins = try tree.text(of: "Fixtures/Origins.md")
        #expect(!fixtures.isEmpty)
        #expect(FixtureRule.violations(fixtures: fixtures, origins: origins) == [])
    }

    @Test func `without an origin are refused, and an origin without a fixture`() {
        let origins = "# Title\n## A/b.json\ntext\n## Wire/\n## Gone/\n## c.json\n"
        let found = FixtureRule.violations(
            fixtures: ["A/b.json", "Wire/x", "Wire/y/z", "new.json"], origins: origins)
        #expect(
            found == [
                "Fixtures/new.json has no entry in Fixtures/Origins.md.",
                "Fixtures/Origins.md has an entry for Gone/, which is gone.",
                "Fixtures/Origins.md has an entry for c.json, which is gone.",
            ])
    }
}
