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

    @Test(arguments: [("demo", "swift run settle demo"), ("test", "swift test")])
    func `has one line that does all there is to do`(name: String, end: String) throws {
        let text = try PackageTree.house().text(of: "README.md")
        let lines = try #require(command(name, in: text))
        #expect(lines.count == 1)
        #expect(lines.first?.hasSuffix("&& " + end) == true)
        #expect(
            ["liblmdb-dev", "libpq-dev", "pkg-config", "zlib1g-dev"].allSatisfy {
                lines.first?.contains(" \($0)") == true
            })
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
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let begin = lines.firstIndex(of: "```swift"),
            let end = lines[begin...].firstIndex(of: "```")
        else { return nil }
        return Array(lines[(begin + 1)..<end])
    }
}
