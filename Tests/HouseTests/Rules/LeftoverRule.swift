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

    private static func contains(_ word: String, in line: Substring) -> Bool {
        line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.contains { $0 == word }
    }
}
