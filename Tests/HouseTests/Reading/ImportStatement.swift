import Foundation

/// An `import` in a Swift source file.
struct ImportStatement: Equatable {
    /// The module, without what is imported from it.
    let module: String
    /// Its line, from 1.
    let line: Int
    /// Whether it is imported with `@testable`.
    let isTestable: Bool
    /// Whether it is handed on with `@_exported`.
    let isExported: Bool

    private static let modifiers: Set<String> = [
        "public", "package", "internal", "fileprivate", "private",
    ]
    private static let kinds: Set<String> = [
        "struct", "class", "enum", "protocol", "func", "var", "let", "typealias", "actor",
    ]

    /// The imports of a source text, in order.
    static func imports(in text: String) -> [ImportStatement] {
        let lines = SwiftBlanking.code(of: text).split(
            separator: "\n", omittingEmptySubsequences: false)
        return lines.enumerated().flatMap { index, line in
            line.split(separator: ";").compactMap { statement(String($0), line: index + 1) }
        }
    }

    private static func statement(_ text: String, line: Int) -> ImportStatement? {
        var words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        var attributes: [String] = []
        while let first = words.first, first.hasPrefix("@") || modifiers.contains(first) {
            attributes.append(words.removeFirst())
        }
        guard words.first == "import" else { return nil }
        words.removeFirst()
        if let first = words.first, kinds.contains(first) { words.removeFirst() }
        guard let path = words.first, let module = path.split(separator: ".").first else {
            return nil
        }
        return ImportStatement(
            module: String(module), line: line,
            isTestable: attributes.contains("@testable"),
            isExported: attributes.contains("@_exported"))
    }
}
