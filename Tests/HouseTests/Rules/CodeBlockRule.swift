import Foundation

/// What a page shows of Swift is run: every line stands in a test, too.
enum CodeBlockRule {
    /// The lines of the Swift blocks of a page that no test has.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - tests: The text of all tests, as ``condensed(_:)`` leaves it.
    /// - Returns: A sentence for each line.
    static func violations(in page: PackageTree.TextFile, tests: String) -> [String] {
        var isInside = false
        var found: [String] = []
        let lines = page.text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("```") {
                isInside = line == "```swift"
            } else if isInside {
                let code = condensed(line)
                // What only closes something is everywhere.
                if code.count >= 3, !tests.contains(code) {
                    found.append("\(page.path):\(index + 1): no test has this line.")
                }
            }
        }
        return found
    }

    /// Code without comments and white space.
    static func condensed(_ text: some StringProtocol) -> String {
        var result = ""
        for line in text.split(separator: "\n") {
            var code = Substring(line)
            // Not the slashes of an address.
            if let comment = line.range(of: #"(^|\s)//.*"#, options: .regularExpression) {
                code = Substring(line[..<comment.lowerBound])
            }
            result += code.filter { !$0.isWhitespace }
        }
        return result
    }
}
