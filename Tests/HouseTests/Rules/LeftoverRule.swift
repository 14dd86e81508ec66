import Foundation

/// No notes to oneself are left in what others read.
enum LeftoverRule {
    // Put together here, so that this file does not break its own rule.
    private static let words = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]

    /// The lines with such a note.
    static func violations(in file: PackageTree.TextFile) -> [String] {
        let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.enumerated().flatMap { index, line in
            words.filter { contains($0, in: line) }.map { word in
                "\(file.path):\(index + 1): \(word). Do it, or write an issue."
            }
        }
    }

    /// Whether the line has the word by itself; in quotes or backticks it is a name, not a note.
    private static func contains(_ word: String, in line: Substring) -> Bool {
        var rest = line
        while let place = rest.range(of: word) {
            let before = line[..<place.lowerBound].last ?? " "
            let after = line[place.upperBound...].first ?? " "
            let isQuoted = "`\"".contains(before) && before == after
            if !isWordPart(before), !isWordPart(after), !isQuoted { return true }
            rest = rest[place.upperBound...]
        }
        return false
    }

    private static func isWordPart(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}
