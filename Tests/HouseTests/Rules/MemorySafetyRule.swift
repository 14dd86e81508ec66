/// Code that the compiler cannot vouch for stands in SettleLMDB and SettlePQ, over C libraries, and
/// elsewhere only by name.
enum MemorySafetyRule {
    /// A file outside those rooms that may use some of the words, and why.
    struct Exception {
        /// The file.
        let path: String
        /// The words it uses.
        let words: Set<String>
        /// Why it cannot do without.
        let reason: String
    }

    /// The rooms where the words may be used freely.
    static let freeRooms: Set<String> = [
        "SettleLMDB", "SettleLMDBTests", "SettlePQ", "SettlePQTests",
    ]

    /// The unsafe words of a file, each once.
    static func words(in text: String) -> [SwiftWord] {
        var seen: Set<String> = []
        return SwiftWord.words(of: text).filter { word in
            breaksRule(word) && seen.insert(word.text).inserted
        }
    }

    /// Unsafe words that no exception allows.
    static func violations(
        in file: PackageTree.TextFile, exceptions: [Exception]
    ) -> [String] {
        if let target = file.target, freeRooms.contains(target) { return [] }
        let allowed = exceptions.first { $0.path == file.path }?.words ?? []
        return words(in: file.text).filter { !allowed.contains($0.text) }.map {
            "\(file.path):\($0.line): \($0.text). Only SettleLMDB and SettlePQ may be unsafe."
        }
    }

    /// Exceptions that are not needed or not explained.
    static func violations(
        of exceptions: [Exception], files: [PackageTree.TextFile]
    ) -> [String] {
        exceptions.flatMap { exception -> [String] in
            guard let file = files.first(where: { $0.path == exception.path }) else {
                return ["\(exception.path): an exception for a file that is not there."]
            }
            let used = Set(words(in: file.text).map(\.text))
            let faults = exception.words.subtracting(used).sorted().map {
                "\(exception.path): the exception for \($0) is not used."
            }
            let isExplained = exception.reason.split(separator: " ").count >= 4
            return isExplained ? faults : faults + ["\(exception.path): give a reason in words."]
        }
    }

    private static func breaksRule(_ word: SwiftWord) -> Bool {
        let prefixes = ["unsafe", "Unsafe", "withUnsafe"]
        return prefixes.contains { word.text.hasPrefix($0) } || word.text == "Unmanaged"
            || (word.text == "unchecked" && word.isAttribute)
    }
}
