/// A pattern of LIKE: `%` for any characters, `_` for one, `[a-f]` for one of some, `[^a]` for any other.
struct LikePattern {
    private enum Part {
        case one(Character)
        case any
        case anyOne
        case oneOf([ClosedRange<Character>], isNegated: Bool)
    }
    private var parts: [Part] = []

    /// Reads a pattern.
    init(_ pattern: String, escape: Character?) {
        var rest = Array(pattern)[...]
        while let character = rest.popFirst() {
            if character == escape, let next = rest.popFirst() {
                parts.append(.one(next))
            } else if character == "%" {
                parts.append(.any)
            } else if character == "_" {
                parts.append(.anyOne)
            } else if character == "[", let end = rest.firstIndex(of: "]") {
                var inner = rest[..<end]
                rest = rest[(end + 1)...]
                let isNegated = inner.first == "^"
                if isNegated { inner.removeFirst() }
                parts.append(.oneOf(Self.ranges(inner), isNegated: isNegated))
            } else {
                parts.append(.one(character))
            }
        }
    }

    /// Whether a text fits it as a whole.
    func matches(_ text: String) -> Bool { Self.matches(parts[...], Array(text)[...]) }

    private static func ranges(_ inner: ArraySlice<Character>) -> [ClosedRange<Character>] {
        var ranges: [ClosedRange<Character>] = []
        var rest = inner
        while let low = rest.popFirst() {
            if rest.count >= 2, rest.first == "-" {
                rest.removeFirst()
                let high = rest.removeFirst()
                if low <= high { ranges.append(low...high) }
            } else {
                ranges.append(low...low)
            }
        }
        return ranges
    }

    private static func matches(
        _ parts: ArraySlice<Part>, _ text: ArraySlice<Character>
    ) -> Bool {
        guard let part = parts.first else { return text.isEmpty }
        let rest = parts.dropFirst()
        if case .any = part {
            return (text.startIndex...text.endIndex).contains { matches(rest, text[$0...]) }
        }
        guard let character = text.first else { return false }
        let fits =
            switch part {
            case .one(let expected): character == expected
            case .oneOf(let ranges, let isNegated):
                ranges.contains { $0.contains(character) } != isNegated
            default: true
            }
        return fits && matches(rest, text.dropFirst())
    }
}
