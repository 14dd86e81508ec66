/// Reads the text of a pattern into steps.
struct CouchPatternReader {
    private typealias Steps = [CouchPattern.Step]

    /// What letters in the pattern mean from a place on, up to the end of its group.
    private struct Flags {
        var ignoresCase = false
        var hasLines = false
        var dotIsAll = false
        var isSpaced = false

        /// Sets what a letter stands for; false for one that stands for nothing.
        mutating func set(_ letter: Unicode.Scalar, to value: Bool) -> Bool {
            switch letter {
            case "i": ignoresCase = value
            case "m": hasLines = value
            case "s": dotIsAll = value
            case "x": isSpaced = value
            default: return false
            }
            return true
        }
    }

    private let text: [Unicode.Scalar]
    private var place = 0
    private var depth = 0
    private var flags = Flags()
    /// Whether all letters stand for themselves, up to `\E`.
    private var isQuoting = false
    private static let lengthMax = 20_000
    private static let stepCountMax = 4_000
    private static let depthMax = 50

    init(_ text: String) {
        // One more than there may be tells that it is too long.
        self.text = Array(text.unicodeScalars.prefix(Self.lengthMax + 1))
    }

    private var next: Unicode.Scalar? { place < text.count ? text[place] : nil }

    /// Passes over a text when it comes next.
    private mutating func take(_ expected: String) -> Bool {
        guard text[place...].starts(with: expected.unicodeScalars) else { return false }
        place += expected.unicodeScalars.count
        return true
    }

    /// Passes over what comes next; a pattern that ends before is none.
    private mutating func take() throws(CouchPattern.Fault) -> Unicode.Scalar {
        guard let letter = next else { throw CouchPattern.Fault() }
        place += 1
        return letter
    }

    mutating func pattern() throws(CouchPattern.Fault) -> [CouchPattern.Step] {
        guard text.count <= Self.lengthMax else { throw CouchPattern.Fault() }
        let steps = try alternatives()
        guard place == text.count else { throw CouchPattern.Fault() }
        return steps
    }

    private mutating func alternatives() throws(CouchPattern.Fault) -> Steps {
        let outer = flags
        depth += 1
        defer {
            depth -= 1
            flags = outer
        }
        guard depth <= Self.depthMax else { throw CouchPattern.Fault() }
        var all = [try sequence()]
        // Each but the last has a step before it and one behind it.
        var count = all[0].count
        while take("|") {
            all.append(try sequence())
            count += all[all.count - 1].count + 2
            guard count <= Self.stepCountMax else { throw CouchPattern.Fault() }
        }
        var steps: Steps = []
        for one in all.dropLast() {
            steps.append(.fork(1, one.count + 2))
            steps += one
            steps.append(.jump(count - steps.count))
        }
        return steps + all[all.count - 1]
    }

    private mutating func sequence() throws(CouchPattern.Fault) -> Steps {
        var steps: Steps = []
        while true {
            skipBlanks()
            if take("\\E") {
                isQuoting = false
                continue
            }
            if !isQuoting {
                if takeFlags() { continue }
                isQuoting = take("\\Q")
                if isQuoting { continue }
            }
            guard let letter = next, isQuoting || letter != "|" && letter != ")" else { break }
            var one: Steps
            if isQuoting {
                place += 1
                one = [step(of: letter)]
                if take("\\E") { isQuoting = false }
            } else {
                one = try atom()
            }
            skipBlanks()
            if !isQuoting { one = try repeated(one) }
            steps += one
            guard steps.count <= Self.stepCountMax else { throw CouchPattern.Fault() }
        }
        return steps
    }

    /// Passes over what only parts a pattern from itself, where it is written so.
    private mutating func skipBlanks() {
        while !isQuoting {
            if text[place...].starts(with: "(?#".unicodeScalars) {
                while let letter = next, letter != ")" { place += 1 }
                place = min(place + 1, text.count)
            } else if flags.isSpaced, let letter = next, letter.properties.isWhitespace {
                place += 1
            } else if flags.isSpaced, next == "#" {
                while let letter = next, letter != "\n" { place += 1 }
            } else {
                return
            }
        }
    }

    /// Takes flags for the rest of the group, such as `(?i)`; false when there are none.
    private mutating func takeFlags() -> Bool {
        guard text[place...].starts(with: "(?".unicodeScalars) else { return false }
        let start = place
        place += 2
        guard let found = flagsHere(), next == ")" else {
            place = start
            return false
        }
        place += 1
        flags = found
        return true
    }

    /// The flags that letters here lead to; nil when there is none.
    private mutating func flagsHere() -> Flags? {
        var (found, value, count) = (flags, true, 0)
        while let letter = next {
            if letter == "-", value {
                value = false
            } else if !found.set(letter, to: value) {
                break
            }
            count += 1
            place += 1
        }
        return count > 0 ? found : nil
    }

    private func step(of letter: Unicode.Scalar) -> CouchPattern.Step {
        step(CouchPatternLetters([letter.value...letter.value]))
    }

    private func step(_ letters: CouchPatternLetters) -> CouchPattern.Step {
        .letter(letters, ignoringCase: flags.ignoresCase)
    }

    private mutating func atom() throws(CouchPattern.Fault) -> Steps {
        let letter = try take()
        switch letter {
        case "^": return [.begin(ofLine: flags.hasLines)]
        case "$": return [.end(ofLine: flags.hasLines)]
        case ".":
            let refused: [ClosedRange<UInt32>] = flags.dotIsAll ? [] : [0x0A...0x0A]
            return [step(CouchPatternLetters(refused, isExcluding: true))]
        case "*", "+", "?": throw CouchPattern.Fault()
        case "(": return try group()
        case "[":
            let letters = try letters()
            return [step(letters)]
        case "\\": return try [escaped()]
        default: return [step(of: letter)]
        }
    }

    /// A group, behind its parenthesis.
    private mutating func group() throws(CouchPattern.Fault) -> Steps {
        let outer = flags
        if take("?") {
            if let end = take("P<") || take("<") ? ">" : take("'") ? "'" : nil {
                // Its name is never asked for; what looks behind has none.
                guard let first = next, first.properties.isAlphabetic || first == "_" else {
                    throw CouchPattern.Fault()
                }
                while !take(end) { _ = try take() }
            } else {
                flags = flagsHere() ?? flags
                guard take(":") else { throw CouchPattern.Fault() }
            }
        }
        let inner = try alternatives()
        guard take(")") else { throw CouchPattern.Fault() }
        flags = outer
        return inner
    }

    /// What an escaped letter stands for, behind the `\`.
    private mutating func escaped() throws(CouchPattern.Fault) -> CouchPattern.Step {
        let letter = try take()
        switch letter {
        case "b", "B": return .edge(letter == "b")
        case "A": return .begin(ofLine: false)
        case "Z": return .end(ofLine: false)
        case "z": return .last
        default:
            if let letters = try set(letter) { return step(letters) }
            let value = try plain(letter)
            return step(CouchPatternLetters([value...value]))
        }
    }

    /// The letters that an escaped one stands for; nil when it is one letter.
    private mutating func set(
        _ letter: Unicode.Scalar
    ) throws(CouchPattern.Fault) -> CouchPatternLetters? {
        guard letter == "p" || letter == "P" else { return CouchPatternLetters(escaped: letter) }
        var name = ""
        var isExcluding = letter == "P"
        if take("{") {
            if take("^") { isExcluding.toggle() }
            while !take("}") { name.unicodeScalars.append(try take()) }
        } else {
            name.unicodeScalars.append(try take())
        }
        guard var letters = CouchPatternLetters(category: name) else { throw CouchPattern.Fault() }
        letters.isExcluding = isExcluding
        return letters
    }

    /// The letter that an escaped one stands for.
    private mutating func plain(
        _ letter: Unicode.Scalar
    ) throws(CouchPattern.Fault) -> UInt32 {
        switch letter {
        case "n": return 0x0A
        case "r": return 0x0D
        case "t": return 0x09
        case "f": return 0x0C
        case "a": return 0x07
        case "e": return 0x1B
        case "0": return try number(ofDigits: 0...2, radix: 8)
        case "x":
            guard take("{") else { return try number(ofDigits: 0...2, radix: 16) }
            let value = try number(ofDigits: 1...6, radix: 16)
            guard take("}") else { throw CouchPattern.Fault() }
            return value
        case "a"..."z", "A"..."Z", "1"..."9": throw CouchPattern.Fault()
        default: return letter.value
        }
    }

    /// The number of a letter.
    private mutating func number(
        ofDigits counts: ClosedRange<Int>, radix: UInt32
    ) throws(CouchPattern.Fault) -> UInt32 {
        var (value, count): (UInt32, Int) = (0, 0)
        while count < counts.upperBound, let letter = next,
            let digit = Character(letter).hexDigitValue, digit < radix, letter.isASCII
        {
            value = value * radix + UInt32(digit)
            count += 1
            place += 1
        }
        guard count >= counts.lowerBound, value <= 0x10_FFFF else { throw CouchPattern.Fault() }
        return value
    }

    /// A class, behind its bracket.
    private mutating func letters() throws(CouchPattern.Fault) -> CouchPatternLetters {
        let isExcluding = take("^")
        var ranges: [ClosedRange<UInt32>] = []
        var sets: [CouchPatternLetters] = []
        var isFirst = true
        while isFirst || next != "]" {
            isFirst = false
            if take("[:") {
                sets.append(try namedSet())
                continue
            }
            let letter = try take()
            if letter == "\\", let escaped = next, let set = try classSet(escaped) {
                sets.append(set)
                continue
            }
            let low = try edge(letter)
            guard next == "-", place + 1 < text.count, text[place + 1] != "]" else {
                ranges.append(low...low)
                continue
            }
            place += 1
            let high = try edge(try take())
            guard low <= high else { throw CouchPattern.Fault() }
            ranges.append(low...high)
        }
        place += 1
        var found = CouchPatternLetters.union(sets + [CouchPatternLetters(ranges)])
        found.isExcluding = isExcluding
        return found
    }

    /// The letters that an escaped one stands for in a class, which is passed over then.
    private mutating func classSet(
        _ escaped: Unicode.Scalar
    ) throws(CouchPattern.Fault) -> CouchPatternLetters? {
        let start = place
        place += 1
        if let found = try set(escaped) { return found }
        place = start
        return nil
    }

    /// A letter of a class, which may be an escaped one.
    private mutating func edge(
        _ letter: Unicode.Scalar
    ) throws(CouchPattern.Fault) -> UInt32 {
        guard letter == "\\" else { return letter.value }
        let escaped = try take()
        return escaped == "b" ? 0x08 : try plain(escaped)
    }

    /// A class of POSIX, behind `[:`.
    private mutating func namedSet() throws(CouchPattern.Fault) -> CouchPatternLetters {
        let isExcluding = take("^")
        var name = ""
        while !take(":]") { name.unicodeScalars.append(try take()) }
        guard var letters = CouchPatternLetters(named: name) else { throw CouchPattern.Fault() }
        letters.isExcluding = isExcluding
        return letters
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
        _ = take("?")
        // Numbers are compared before anything is worked out from them.
        let countMax = Self.stepCountMax
        guard low <= countMax, high ?? low <= countMax, low <= high ?? low,
            (high ?? low + 1) * (steps.count + 1) <= countMax
        else { throw CouchPattern.Fault() }
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
        var end = place + 1
        func digits() -> Int? {
            var value: Int?
            while end < text.count, let digit = Int(String(text[end])), text[end].isASCII {
                // More than any pattern may have is enough to know.
                value = min((value ?? 0) * 10 + digit, Self.stepCountMax + 1)
                end += 1
            }
            return value
        }
        guard let low = digits() else { return nil }
        var high: Int? = low
        if end < text.count, text[end] == "," {
            end += 1
            high = digits()
        }
        guard end < text.count, text[end] == "}" else { return nil }
        place = end
        return (low, high)
    }
}
