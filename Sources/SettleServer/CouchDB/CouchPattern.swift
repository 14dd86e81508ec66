/// A regular expression of a selector, whose search takes time in proportion to the text, whatever it is.
///
/// It knows what Perl's do, but for what looks back or ahead: letters, `.`, classes in brackets with the names of POSIX,
/// general categories of Unicode, anchors, groups, `|`, repetitions, and the flags `i`, `m`, `s` and `x`. Lazy
/// repetitions are repetitions, as what is searched for is whether there is a match. It is read once into steps, and all
/// ways through those are gone at the same time.
struct CouchPattern: Sendable {
    /// The text is no pattern that is known here.
    struct Fault: Error {}

    enum Step: Sendable {
        /// A letter that fits or, when the case does not matter, one whose other case does.
        case letter(CouchPatternLetters, ignoringCase: Bool)
        /// Goes on at both places, relative to this one.
        case fork(Int, Int)
        case jump(Int)
        /// The beginning of the text, or of a line.
        case begin(ofLine: Bool)
        /// The end of the text, and a line that ends there, or the end of any line.
        case end(ofLine: Bool)
        /// The end of the text alone.
        case last
        /// Between a letter of a word and another one, or not.
        case edge(Bool)
    }

    private let steps: [Step]
    private let ignoresCase: Bool

    /// Reads a pattern.
    ///
    /// - Throws: ``Fault`` for one that is none, or has more than 4,000 steps or 20,000 letters.
    /// - Complexity: Linear in the pattern and its steps.
    init(_ text: String) throws(Fault) {
        var reader = CouchPatternReader(text)
        steps = try reader.pattern()
        ignoresCase = steps.contains { if case .letter(_, true) = $0 { true } else { false } }
    }

    /// Whether a part of a text fits.
    ///
    /// - Complexity: The length of the text times the steps of the pattern.
    func matches(_ text: String) -> Bool {
        let letters = text.unicodeScalars.map(\.value)
        // At which letter a step was last reached, and which steps wait for a letter.
        var seen = [Int](repeating: -1, count: steps.count + 1)
        var (open, waiting): ([Int], [Int]) = ([], [])
        for place in 0...letters.count {
            swap(&open, &waiting)
            open.append(0)
            waiting.removeAll(keepingCapacity: true)
            let other =
                ignoresCase && place < letters.count
                ? CouchPatternLetters.otherCases(of: letters[place]) : nil
            while let step = open.popLast() {
                if step == steps.count { return true }
                guard seen[step] != place else { continue }
                seen[step] = place
                switch steps[step] {
                case .letter(let wanted, let ignoresCase):
                    guard place < letters.count,
                        wanted.contains(letters[place], or: ignoresCase ? other : nil)
                    else { continue }
                    waiting.append(step + 1)
                case .fork(let first, let second):
                    open.append(step + first)
                    open.append(step + second)
                case .jump(let distance): open.append(step + distance)
                default: if isMet(steps[step], at: place, letters) { open.append(step + 1) }
                }
            }
        }
        return false
    }

    /// Whether a step that takes no letter is passed at a place.
    private func isMet(_ step: Step, at place: Int, _ letters: [UInt32]) -> Bool {
        let newLine: UInt32 = 0x0A
        switch step {
        case .begin(let ofLine): return place == 0 || ofLine && letters[place - 1] == newLine
        case .end(let ofLine):
            return place == letters.count
                || letters[place] == newLine && (ofLine || place == letters.count - 1)
        case .last: return place == letters.count
        case .edge(let isEdge):
            let isBehind = place > 0 && CouchPatternLetters.word.contains(letters[place - 1])
            let isBefore =
                place < letters.count && CouchPatternLetters.word.contains(letters[place])
            return (isBehind != isBefore) == isEdge
        case .letter, .fork, .jump: return false
        }
    }
}
