import Foundation
import Testing

@Suite struct `README` {
    /// The lines of the code block that follows a marker.
    private func command(_ name: String, in text: String) -> [String]? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let marker = lines.firstIndex(of: "<!-- command: \(name) -->") else { return nil }
        guard
            let start = lines[marker...].firstIndex(where: { $0.hasPrefix("```") }),
            let end = lines[(start + 1)...].firstIndex(where: { $0.hasPrefix("```") })
        else { return nil }
        return Array(lines[(start + 1)..<end])
    }

    @Test(arguments: [
        (
            "demo", ["liblmdb-dev", "pkg-config", "zlib1g-dev"],
            "swift run --traits Tool settle demo"
        ),
        (
            "test",
            [
                "curl", "libedit-dev", "liblmdb-dev", "libpq-dev", "pkg-config", "postgresql",
                "zlib1g-dev",
            ],
            "swift test"
        ),
    ])
    func `has one line that does all there is to do, and touches no more than it must`(
        name: String, packages: [String], end: String
    ) throws {
        let text = try PackageTree.house().text(of: "README.md")
        let lines = try #require(command(name, in: text))
        let root = "$(command -v sudo)"
        let install = "apt-get install -y --no-upgrade " + packages.joined(separator: " ")
        #expect(lines == ["\(root) apt-get update && \(root) \(install) && \(end)"])
    }

    @Test func `shows the manifest of an app that the check builds`() throws {
        let tree = try PackageTree.house()
        let shown = try #require(
            blocks(in: tree.text(of: "README.md")).first {
                $0.first?.hasPrefix("// swift-tools") == true
            })
        let built = try tree.text(of: "Tests/Consumer/Package.swift")
        let expected = shown.joined(separator: "\n").replacingOccurrences(
            of: #".package(name: "settle", path: "../settle", traits: [])"#,
            with: #".package(name: "settle", path: "../..", traits: [])"#)
        #expect(built == expected + "\n")
        let script = try String(
            contentsOf: tree.root.appendingPathComponent(".ci/run"), encoding: .utf8)
        #expect(script.contains("build_consumer"))
    }

    @Test func `is where the check takes its commands from`() throws {
        let script = try String(
            contentsOf: PackageTree.house().root.appendingPathComponent(".ci/run"), encoding: .utf8)
        #expect(script.contains("$(readme_command test)"))
        #expect(script.contains("run_readme_command demo"))
        #expect(!script.contains("swift test"))
    }

    @Test func `without a marker has no command`() {
        #expect(command("demo", in: "```sh\nswift run settle demo\n```\n") == nil)
        #expect(command("demo", in: "<!-- command: demo -->\nno block\n") == nil)
    }

    @Test func `shows a program that a test runs`() throws {
        let tree = try PackageTree.house()
        let shown = try #require(program(in: tree.text(of: "README.md")))
        let test = try tree.text(of: "Tests/SettleCommandTests/Guides/ReadmeProgramTests.swift")
        let lines = test.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let begin = try #require(lines.firstIndex { $0.hasSuffix("// README begins") })
        let end = try #require(lines.firstIndex { $0.hasSuffix("// README ends") })
        let margin = lines[begin].prefix { $0 == " " }.count
        #expect(lines[(begin + 1)..<end].map { String($0.dropFirst(margin)) } == shown)
    }

    private func program(in text: String) -> [String]? {
        blocks(in: text).first
    }

    /// The code blocks of Swift.
    private func blocks(in text: String) -> [[String]] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return lines.indices.filter { lines[$0] == "```swift" }.compactMap { begin in
            lines[begin...].firstIndex(of: "```").map { Array(lines[(begin + 1)..<$0]) }
        }
    }
}
