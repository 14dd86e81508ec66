import Settle
import TestSupport

/// A value of the naive evaluator; numbers are doubles, which the samples keep exact.
enum NaiveValue: Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case text([Unicode.Scalar])
}

/// An item of the naive evaluator.
struct NaiveItem {
    var values: [String: NaiveValue]
    var tags: [[Unicode.Scalar]]?

    /// The same item in JSON.
    var members: [String: JSONValue] {
        var members = values.mapValues { value -> JSONValue in
            switch value {
            case .null: .null
            case .bool(let flag): .bool(flag)
            case .number(let number):
                number == number.rounded() ? .integer(Int64(number)) : .double(number)
            case .text(let scalars): .string(String(scalars))
            }
        }
        if let tags { members["tags"] = .array(tags.map { .string(String($0)) }) }
        return members
    }
}

extension String {
    fileprivate init(_ scalars: [Unicode.Scalar]) {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        self.init(view)
    }
}

/// Makes random filters together with what they mean: each rule returns its text and a closure
/// that says its value for an item, so nothing of the parser or the evaluator is used.
struct NaiveFilter {
    typealias Part = (text: String, value: (NaiveItem) -> NaiveValue)

    var generator: SeededGenerator
    private var variable: String?

    init(generator: SeededGenerator) {
        self.generator = generator
    }

    mutating func item() -> NaiveItem {
        var values: [String: NaiveValue] = [:]
        for name in ["n", "m"] where pick(4) > 0 {
            values[name] = pick(8) == 0 ? .null : .number(Double(pick(9)) - 4)
        }
        for name in ["s", "t"] where pick(4) > 0 { values[name] = .text(scalars()) }
        if pick(3) > 0 { values["f"] = .bool(pick(2) == 0) }
        return NaiveItem(
            values: values, tags: pick(4) == 0 ? nil : (0..<pick(4)).map { _ in scalars() })
    }

    mutating func condition(_ depth: Int) -> Part {
        switch pick(depth > 0 ? 10 : 3) {
        case 0: return member("f")
        case 1: return comparison(text(max(0, depth - 1)), text(max(0, depth - 1)))
        case 2: return comparison(number(max(0, depth - 1)), number(max(0, depth - 1)))
        case 3, 4: return chain("and", decidedBy: false, depth)
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
        switch pick(depth > 0 ? 8 : 4) {
        case 0: return member("n")
        case 1: return member("m")
        case 2:
            let value = pick(9) - 4
            return ("\(value)\(pick(3) == 0 ? "L" : "")", { _ in .number(Double(value)) })
        case 3:
            let value = Double(pick(9) - 4) / 2
            return ("\(value)\(["", "d", "m"][pick(3)])", { _ in .number(value) })
        case 4:
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
