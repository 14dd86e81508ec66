import Foundation

/// Words that were given up for the field's own, and must not come back.
///
/// Only phrases and identifiers that mean nothing else: single words of everyday English are no matter
/// for a test.
enum PhraseRule {
    /// What is not said any more, and what is said instead.
    static let replacements: KeyValuePairs = [
        "far side": "remote, or server",
        "conflicts" + "Settled": "conflictsResolved",
        "settle a conflict": "resolve a conflict",
        "settles conflicts": "resolves conflicts",
        "conflict is settled": "conflict is resolved",
    ]

    /// The lines that have one of the phrases, also across the end of a line.
    static func violations(in file: PackageTree.TextFile) -> [String] {
        let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false).map(plain)
        return lines.indices.flatMap { index in
            let next = index + 1 < lines.count ? " " + lines[index + 1] : ""
            return replacements.filter { phrase, _ in
                let both = lines[index] + next
                guard let place = both.range(of: phrase, options: .caseInsensitive) else {
                    return false
                }
                return place.lowerBound < both.index(both.startIndex, offsetBy: lines[index].count)
            }.map { phrase, word in
                "\(file.path):\(index + 1): '\(phrase)'. Say: \(word)."
            }
        }
    }

    /// A line without the signs of a comment.
    private static func plain(_ line: Substring) -> String {
        String(line.drop { " \t/*".contains($0) })
    }
}
