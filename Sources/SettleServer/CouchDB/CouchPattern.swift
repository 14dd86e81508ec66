/// A regular expression of a selector, whose search takes time in proportion to the text, whatever it is.
///
/// It knows letters, `.`, classes in brackets, `\d \w \s` and their opposites, `\b`, anchors, groups, `|`, and
/// repetitions, lazy ones too, as what is searched for is whether there is a match. It is read once into steps, and all
/// ways through those are gone at the same time; so there is nothing that looks back or ahead.
struct CouchPattern: Sendable {
    /// The text is no pattern that is known here.
    struct Fault: Error {}

    /// Which letters fit.
    struct Letters: Sendable {
        var ranges: [ClosedRange<UInt32>] = []
        var isExcluding = false

        func contains(_ letter: UInt32) -> Bool {
            ranges.contains { $0.contains(letter) } != isExcluding
        }

        /// What an escaped letter stands for; nil for none.
        init?(escaped letter: Unicode.Scalar) {
            switch letter {
            case "d", "D": ranges = [0x30...0x39]
            case "w", "W": ranges = [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
            case "s", "S": ranges = [0x09...0x0D, 0x20...0x20, 0x85...0x85, 0xA0...0xA0]
            default: return nil
            }
            isExcluding = "DWS".unicodeScalars.contains(letter)
        }

        init(_ ranges: [ClosedRange<UInt32>], isExcluding: Bool = false) {
            self.ranges = ranges
            self.isExcluding = isExcluding
        }
    }

    enum Step: Sendable {
        case letter(Letters)
        /// Goes on at both places, relative to this one.
        case fork(Int, Int)
        case jump(Int)
        case begin
        case end
        /// Between a letter of a word and another one, or not.
        case edge(Bool)
    }

    private let steps: [Step]

    /// Reads a pattern.
    ///
    /// - Throws: ``Fault`` for one that is none, or has more than some thousand steps.
    init(_ text: String) throws(Fault) {
        var reader = CouchPatternReader(text)
        steps = try reader.pattern()
    }

    /// Whether a part of a text fits.
    ///
    /// - Complexity: The length of the text times that of the pattern.
    func matches(_ text: String) -> Bool {
        let letters = text.unicodeScalars.map(\.value)
        // At which letter a step was last reached, and which steps wait for a letter.
        var seen = [Int](repeating: -1, count: steps.count + 1)
        var waiting: [Int] = []
        for place in 0...letters.count {
            var open = waiting + [0]
            waiting = []
            while let step = open.popLast() {
                if step == steps.count { return true }
                guard seen[step] != place else { continue }
                seen[step] = place
                switch steps[step] {
                case .letter(let wanted):
                    guard place < letters.count, wanted.contains(letters[place]) else { continue }
                    waiting.append(step + 1)
                case .fork(let first, let second): open += [step + first, step + second]
                case .jump(let distance): open.append(step + distance)
                case .begin: if place == 0 { open.append(step + 1) }
                case .end: if place == letters.count { open.append(step + 1) }
                case .edge(let isEdge):
                    if Self.isEdge(place, letters) == isEdge { open.append(step + 1) }
                }
            }
        }
        return false
    }

    private static func isEdge(_ place: Int, _ letters: [UInt32]) -> Bool {
        func isWord(_ place: Int) -> Bool {
            letters.indices.contains(place)
                && Letters(escaped: "w")?.contains(letters[place]) ?? false
        }
        return isWord(place - 1) != isWord(place)
    }
}

/// Reads the text of a pattern into steps.
struct CouchPatternReader {
    private typealias Steps = [CouchPattern.Step]
    private let text: [Unicode.Scalar]
    private var place = 0
    private var depth = 0
    private static let stepCountMax = 4_000
    private static let depthMax = 50

    init(_ text: String) {
        self.text = Array(text.unicodeScalars)
    }

    private var next: Unicode.Scalar? { place < text.count ? text[place] : nil }

    mutating func pattern() throws(CouchPattern.Fault) -> [CouchPattern.Step] {
        let steps = try alternatives()
        guard place == text.count else { throw CouchPattern.Fault() }
        return steps
    }

    private mutating func alternatives() throws(CouchPattern.Fault) -> Steps {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthMax else { throw CouchPattern.Fault() }
        var steps = try sequence()
        while next == "|" {
            place += 1
            let other = try sequence()
            steps =
                [.fork(1, steps.count + 2)] + steps + [.jump(other.count + 1)] + other
        }
        return steps
    }

    private mutating func sequence() throws(CouchPattern.Fault) -> Steps {
        var steps: Steps = []
        while let letter = next, letter != "|", letter != ")" {
            let one = try repeated(try atom())
            steps += one
            guard steps.count <= Self.stepCountMax else { throw CouchPattern.Fault() }
        }
        return steps
    }

    private mutating func atom() throws(CouchPattern.Fault) -> Steps {
        let letter = text[place]
        place += 1
        switch letter {
        case "^": return [.begin]
        case "$": return [.end]
        case ".":
            return [.letter(CouchPattern.Letters([0x0A...0x0A, 0x0D...0x0D], isExcluding: true))]
        case "*", "+", "?": throw CouchPattern.Fault()
        case "(":
            if next == "?" {
                guard text[place...].starts(with: "?:".unicodeScalars) else {
                    throw CouchPattern.Fault()
                }
                place += 2
            }
            let inner = try alternatives()
            guard next == ")" else { throw CouchPattern.Fault() }
            place += 1
            return inner
        case "[": return [.letter(try letters())]
        case "\\":
            guard let escaped = next else { throw CouchPattern.Fault() }
            place += 1
            if escaped == "b" || escaped == "B" { return [.edge(escaped == "b")] }
            if let letters = CouchPattern.Letters(escaped: escaped) { return [.letter(letters)] }
            return [.letter(CouchPattern.Letters([try Self.plain(escaped)]))]
        default: return [.letter(CouchPattern.Letters([letter.value...letter.value]))]
        }
    }

    /// The letter that an escaped one stands for.
    private static func plain(
        _ escaped: Unicode.Scalar
    ) throws(CouchPattern.Fault) -> ClosedRange<UInt32> {
        switch escaped {
        case "n": return 0x0A...0x0A
        case "r": return 0x0D...0x0D
        case "t": return 0x09...0x09
        case "a"..."z", "A"..."Z", "0"..."9": throw CouchPattern.Fault()
        default: return escaped.value...escaped.value
        }
    }

    /// A class, behind its bracket.
    private mutating func letters() throws(CouchPattern.Fault) -> CouchPattern.Letters {
        var found = CouchPattern.Letters([])
        if next == "^" {
            found.isExcluding = true
            place += 1
        }
        var isFirst = true
        while let letter = next, isFirst || letter != "]" {
            isFirst = false
            place += 1
            var low = letter.value...letter.value
            if letter == "\\" {
                guard let escaped = next else { throw CouchPattern.Fault() }
                place += 1
                if let letters = CouchPattern.Letters(escaped: escaped) {
                    guard !letters.isExcluding else { throw CouchPattern.Fault() }
                    found.ranges += letters.ranges
                    continue
                }
                low = try Self.plain(escaped)
            }
            guard next == "-", place + 1 < text.count, text[place + 1] != "]" else {
                found.ranges.append(low)
                continue
            }
            let high = text[place + 1].value
            guard high >= low.lowerBound, text[place + 1] != "\\" else {
                throw CouchPattern.Fault()
            }
            found.ranges.append(low.lowerBound...high)
            place += 2
        }
        guard next == "]" else { throw CouchPattern.Fault() }
        place += 1
        return found
    }

    /// Something with what follows it of repetitions.
    private mutating func repeated(_ steps: Steps) throws(CouchPattern.Fault) -> Steps {
        var (low, high): (Int, Int?) = (1, 1)
        switch next {
        case "*": (low, high) = (0, nil)
        case "+": (low, high) = (1, nil)
        case "?": (low, high) = (0, 1)
        case "{":
            guard let counts = counts() else { return steps }
            (low, high) = counts
        default: return steps
        }
        place += 1
        // A lazy one finds the same.
        if next == "?" { place += 1 }
        if let high, high < low { throw CouchPattern.Fault() }
        guard (high ?? low + 1) * (steps.count + 1) <= Self.stepCountMax else {
            throw CouchPattern.Fault()
        }
        var all: Steps = []
        for _ in 0..<low { all += steps }
        if let high {
            for left in stride(from: high - low, to: 0, by: -1) {
                all += [.fork(1, left * (steps.count + 1))] + steps
            }
        } else {
            all += [.fork(1, steps.count + 2)] + steps + [.jump(-steps.count - 1)]
        }
        return all
    }

    /// The numbers in braces, up to the brace that closes them; nil when the brace is a letter.
    private mutating func counts() -> (low: Int, high: Int?)? {
        guard let end = text[place...].firstIndex(of: "}") else { return nil }
        let inner = String(String.UnicodeScalarView(text[place + 1..<end]))
        let parts = inner.split(separator: ",", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let low = Int(parts[0]), low >= 0 else { return nil }
        let high = parts.count == 1 ? low : Int(parts[1])
        guard parts.count == 1 || parts[1].isEmpty || high != nil else { return nil }
        place = end
        return (low, high)
    }
}
