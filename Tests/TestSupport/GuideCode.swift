import Foundation

/// The Swift code that a guide shows, held against the test that runs it.
package struct GuideCode {
    /// The number of lines of code in the guide.
    package let lineCount: Int
    /// Those that the test does not have, indentation aside.
    package let missing: [String]

    /// Compares a guide with a test.
    ///
    /// - Parameters:
    ///   - guide: The guide's path in the package.
    ///   - testFile: The path of the test's source, as `#filePath` gives it.
    /// - Throws: What Foundation throws when one of the files cannot be read.
    package init(of guide: String, runBy testFile: String) throws {
        let text = try String(
            contentsOf: Fixture.packageRoot.appendingPathComponent(guide), encoding: .utf8)
        let source = try String(contentsOf: URL(fileURLWithPath: testFile), encoding: .utf8)
        let run = Set(source.split(separator: "\n").map(Self.trimmed))
        var isCode = false
        var code: [String] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("```") {
                isCode = line == "```swift"
            } else if isCode {
                code.append(Self.trimmed(line))
            }
        }
        lineCount = code.count
        missing = code.filter { !run.contains($0) }
    }

    private static func trimmed(_ line: Substring) -> String {
        line.trimmingCharacters(in: .whitespaces)
    }
}
