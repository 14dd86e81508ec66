import Foundation

/// Relative links in the documents lead to files that are there.
enum LinkRule {
    /// The links of a document that lead nowhere.
    ///
    /// Links inside code are not links. Of `path#heading` the path is looked up.
    static func violations(
        in file: PackageTree.TextFile, exists: (_ path: String) -> Bool
    ) -> [String] {
        targets(in: file.text).compactMap { target in
            guard let path = target.split(separator: "#", omittingEmptySubsequences: false).first,
                !path.isEmpty, !target.contains("://"), !target.hasPrefix("mailto:")
            else { return nil }
            let folder = file.components.dropLast().joined(separator: "/")
            let resolved = resolve(String(path).removingPercentEncoding ?? String(path), in: folder)
            guard let resolved, exists(resolved) else {
                return "\(file.path): the link to \(target) leads nowhere."
            }
            return nil
        }
    }

    /// What the links of a document point to: the text in the round brackets after the square ones.
    static func targets(in text: String) -> [String] {
        var isFenced = false
        return text.split(separator: "\n").flatMap { line -> [String] in
            if line.drop(while: { $0 == " " }).hasPrefix("```") {
                isFenced.toggle()
                return []
            }
            return isFenced ? [] : targets(inLine: withoutCode(line))
        }
    }

    private static func targets(inLine line: String) -> [String] {
        line.components(separatedBy: "](").dropFirst().compactMap { rest in
            rest.split(separator: ")", omittingEmptySubsequences: false).first
                .flatMap { $0.split(separator: " ").first }.map(String.init)
        }
    }

    private static func withoutCode(_ line: Substring) -> String {
        line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 0 }.map { String($0.element) }.joined()
    }

    private static func resolve(_ path: String, in folder: String) -> String? {
        var parts = folder.split(separator: "/").map(String.init)
        for part in path.split(separator: "/") where part != "." {
            if part != ".." {
                parts.append(String(part))
            } else if parts.popLast() == nil {
                return nil
            }
        }
        return parts.joined(separator: "/")
    }
}
