import TestSupport

@testable import SettleOData

/// Makes random filters together with what they mean: each rule returns its text and a closure
/// that says its value for an item, so nothing of the parser or the evaluator is used.
struct NaiveFilter {
    typealias Part = (text: String, value: (NaiveItem) -> NaiveValue)

    var generator: SeededGenerator
    /// How `round` rounds.
    let dialect: ODataDialect
    private var variable: String?

    init(generator: SeededGenerator, dialect: ODataDialect) {
        self.generator = generator
        self.dialect = dialect
    }

    mutating func item() -> NaiveItem {
        var values: [String: NaiveValue] = [:]
        for name in ["n", "m"] where pick(4) > 0 {
            values[name] = pick(8) == 0 ? .null : .number(Double(pick(9)) - 4)
        }
        for name in ["s", "t"] where pick(4) > 0 { values[name] = .text(scalars()) }
        if pick(3) > 0 { values["f"] = .bool(pick(2) == 0) }
        if pick(4) > 0 { values["d"] = .text(Array(Self.days[pick(Self.days.count)].text)) }
        return NaiveItem(
            values: values, tags: pick(4) == 0 ? nil : (0..<pick(4)).map { _ in scalars() })
    }

    mutating func condition(_ depth: Int) -> Part {
        switch pick(depth > 0 ? 11 : 4) {
        case 3: return dayTest()
        case 10: return chain("and", decidedBy: false, depth)
        case 0: return member("f")
        case 1: return comparison(text(max(0, depth - 1)), text(max(0, depth - 1)))
        case 2: return comparison(number(max(0, depth - 1)), number(max(0, depth - 1)))
        case 4: return chain("and", decidedBy: false, depth)
        case 5, 6: return chain("or", decidedBy: true, depth)
        case 7:
            let inner = condition(depth - 1)
            return (
                "not (\(inner.text))",
                { item in
                    guard case .bool(let flag) = inner.value(item) else { return .null }
                    return .bool(!flag)
                }
            )
        case 8: return textTest(depth - 1)
        default: return variable == nil && pick(2) == 0 ? lambda(depth - 1) : list(depth - 1)
        }
    }

    private mutating func chain(_ word: String, decidedBy decider: Bool, _ depth: Int) -> Part {
        let parts = (0..<(2 + pick(2))).map { _ in condition(depth - 1) }
        return (
            parts.map { "(\($0.text))" }.joined(separator: " \(word) "),
            { item in
                let values = parts.map { $0.value(item) }
                if values.contains(.bool(decider)) { return .bool(decider) }
                return values.allSatisfy { $0 == .bool(!decider) } ? .bool(!decider) : .null
            }
        )
    }

    private mutating func comparison(_ left: Part, _ right: Part) -> Part {
        let word = ["eq", "ne", "lt", "le", "gt", "ge"][pick(6)]
        return (
            "\(left.text) \(word) \(right.text)",
            { item in
                let (left, right) = (left.value(item), right.value(item))
                if word == "eq" { return .bool(left == right) }
                if word == "ne" { return .bool(left != right) }
                let order: Int
                switch (left, right) {
                case (.number(let left), .number(let right)):
                    order = left < right ? -1 : (left > right ? 1 : 0)
                case (.text(let left), .text(let right)):
                    order =
                        left.lexicographicallyPrecedes(right)
                        ? -1 : (right.lexicographicallyPrecedes(left) ? 1 : 0)
                default: return .bool(false)
                }
                switch word {
                case "lt": return .bool(order < 0)
                case "le": return .bool(order <= 0)
                case "gt": return .bool(order > 0)
                default: return .bool(order >= 0)
                }
            }
        )
    }

    private mutating func list(_ depth: Int) -> Part {
        let subject = text(depth)
        let others = (0..<(1 + pick(3))).map { _ in text(0) }
        return (
            "\(subject.text) in (\(others.map(\.text).joined(separator: ", ")))",
            { item in .bool(others.contains { $0.value(item) == subject.value(item) }) }
        )
    }

    private mutating func lambda(_ depth: Int) -> Part {
        variable = "v"
        defer { variable = nil }
        let inner = condition(depth)
        let isAny = pick(2) == 0
        return (
            "tags/\(isAny ? "any" : "all")(v: \(inner.text))",
            { item in
                let hits = (item.tags ?? []).map { tag in
                    var bound = item
                    bound.values["v"] = .text(tag)
                    return inner.value(bound) == .bool(true)
                }
                return .bool(isAny ? hits.contains(true) : !hits.contains(false))
            }
        )
    }

    /// Days of March 2021 in UTC that texts say; nil for what says none.
    private static let days: [(text: String.UnicodeScalarView, day: Int?)] = [
        ("2021-03-23", 23), ("2021-03-24", 24), ("2021-03-24T12:00:00Z", 24), ("2021-03-25", 25),
        ("2021-03-24T00:30:00+01:00", 23), ("2021-03-24T23:30:00-01:00", 25), ("soon", nil),
    ].map { ($0.0.unicodeScalars, $0.1) }

    private mutating func dayTest() -> Part {
        let wanted = 22 + pick(5)
        let literal = [
            "2021-03-\(wanted)", "cast(2021-03-\(wanted),Edm.Date)", "date'2021-03-\(wanted)'",
        ][pick(3)]
        let word = ["eq", "ne", "lt", "le", "gt", "ge"][pick(6)]
        return (
            "d \(word) \(literal)",
            { item in
                guard case .text(let scalars)? = item.values["d"],
                    let day = Self.days.first(where: { $0.text.elementsEqual(scalars) })?.day
                else { return .bool(word == "ne") }
                switch word {
                case "eq": return .bool(day == wanted)
                case "ne": return .bool(day != wanted)
                case "lt": return .bool(day < wanted)
                case "le": return .bool(day <= wanted)
                case "gt": return .bool(day > wanted)
                default: return .bool(day >= wanted)
                }
            }
        )
    }

    private mutating func textTest(_ depth: Int) -> Part {
        let (first, second) = (text(depth), text(depth))
        let name = ["startswith", "endswith", "substringof", "contains"][pick(4)]
        return (
            "\(name)(\(first.text), \(second.text))",
            { item in
                guard case .text(let first) = first.value(item),
                    case .text(let second) = second.value(item)
                else { return .null }
                switch name {
                case "startswith": return .bool(first.starts(with: second))
                case "endswith": return .bool(first.reversed().starts(with: second.reversed()))
                case "substringof": return .bool(Self.find(first, in: second) != nil)
                default: return .bool(Self.find(second, in: first) != nil)
                }
            }
        )
    }

    private mutating func number(_ depth: Int) -> Part {
        switch pick(depth > 0 ? 11 : 5) {
        case 4: return ("tags/$count", { .number(Double($0.tags?.count ?? 0)) })
        case 8: return rounded(depth - 1)
        case 0: return member("n")
        case 1: return member("m")
        case 2:
            let value = pick(9) - 4
            return ("\(value)\(pick(3) == 0 ? "L" : "")", { _ in .number(Double(value)) })
        case 3:
            let value = Double(pick(9) - 4) / 2
            return ("\(value)\(["", "d", "m"][pick(3)])", { _ in .number(value) })
        case 6:
            let inner = text(depth - 1)
            return (
                "length(\(inner.text))",
                { item in
                    guard case .text(let text) = inner.value(item) else { return .null }
                    return .number(Double(text.count))
                }
            )
        case 5:
            let (hay, needle) = (text(depth - 1), text(depth - 1))
            return (
                "indexof(\(hay.text), \(needle.text))",
                { item in
                    guard case .text(let hay) = hay.value(item),
                        case .text(let needle) = needle.value(item)
                    else { return .null }
                    return .number(Double(Self.find(needle, in: hay) ?? -1))
                }
            )
        default:
            let (left, right) = (number(depth - 1), number(depth - 1))
            let word = ["add", "sub", "mul"][pick(3)]
            return (
                "(\(left.text) \(word) \(right.text))",
                { item in
                    guard case .number(let left) = left.value(item),
                        case .number(let right) = right.value(item)
                    else { return .null }
                    switch word {
                    case "add": return .number(left + right)
                    case "sub": return .number(left - right)
                    default: return .number(left * right)
                    }
                }
            )
        }
    }

    private mutating func rounded(_ depth: Int) -> Part {
        let inner = number(depth)
        let rule = ["round", "floor", "ceiling", "cast"][pick(4)]
        let dialect = dialect
        return (
            rule == "cast"
                ? "cast(\(inner.text), Edm.Int64)" : "\(rule)(\(inner.text))",
            { item in
                guard case .number(let number) = inner.value(item) else { return .null }
                let below = Double(Int(number)) > number ? Int(number) - 1 : Int(number)
                let isWhole = Double(below) == number
                switch rule {
                case "floor": return .number(Double(below))
                case "ceiling": return .number(Double(isWhole ? below : below + 1))
                case "cast": return .number(Double(Int(number)))
                default:
                    let rest = number - Double(below)
                    let isUp: Bool
                    if rest == 0.5 {
                        isUp = dialect == .version3 ? number > 0 : below % 2 != 0
                    } else {
                        isUp = rest > 0.5
                    }
                    return .number(Double(isUp ? below + 1 : below))
                }
            }
        )
    }

    private mutating func text(_ depth: Int) -> Part {
        switch pick(depth > 0 ? 6 : 4) {
        case 0: return member("s")
        case 1: return member(variable ?? "t")
        case 2, 3:
            let value = scalars()
            let quoted = String(value.flatMap { $0 == "'" ? [$0, $0] : [$0] })
            return ("'\(quoted)'", { _ in .text(value) })
        case 4:
            let (first, second) = (text(depth - 1), text(depth - 1))
            return (
                "concat(\(first.text), \(second.text))",
                { item in
                    guard case .text(let first) = first.value(item),
                        case .text(let second) = second.value(item)
                    else { return .null }
                    return .text(first + second)
                }
            )
        default:
            let inner = text(depth - 1)
            let (start, count) = (pick(4), pick(4))
            return (
                "substring(\(inner.text), \(start), \(count))",
                { item in
                    guard case .text(let text) = inner.value(item) else { return .null }
                    return .text(Array(text.dropFirst(start).prefix(count)))
                }
            )
        }
    }

    private func member(_ name: String) -> Part {
        (name, { $0.values[name] ?? .null })
    }

    private mutating func scalars() -> [Unicode.Scalar] {
        (0..<pick(4)).map { _ in Self.alphabet[pick(Self.alphabet.count)] }
    }

    private mutating func pick(_ count: Int) -> Int {
        Int.random(in: 0..<count, using: &generator)
    }

    /// A quote, a letter with its combining accent apart, and one beyond 16 bits are among them.
    private static let alphabet: [Unicode.Scalar] = ["a", "b", "'", "e", "\u{301}", "\u{1F600}"]

    private static func find(_ needle: [Unicode.Scalar], in hay: [Unicode.Scalar]) -> Int? {
        (0...max(0, hay.count - needle.count)).first {
            hay.dropFirst($0).starts(with: needle)
        }
    }
}
