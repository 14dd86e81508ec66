import SettleDocuments
import TestSupport

@testable import SettleOData

/// Makes random trees of all nodes that have a text, and items that they say something about.
///
/// Columns are called by words of the language and like variables, strings have quotes in them, and
/// members are sometimes of a wrong kind.
struct RandomFilter {
    var generator: SeededGenerator
    /// The variables of the lambdas around.
    private var variables: [String] = []

    init(generator: SeededGenerator) {
        self.generator = generator
    }

    // MARK: Conditions

    mutating func condition(_ depth: Int) -> ODataNode {
        switch pick(depth > 0 ? 13 : 3) {
        case 0: return place()
        case 1: return .literal([.bool(true), .bool(false), .null][pick(3)])
        case 2, 3, 4:
            return .comparing(
                among(ODataNode.Comparison.allCases), value(depth - 1), value(depth - 1))
        case 5: return .not(condition(depth - 1))
        case 6: return .conjunction((0..<(2 + pick(2))).map { _ in condition(depth - 1) })
        case 7: return .disjunction((0..<(2 + pick(2))).map { _ in condition(depth - 1) })
        case 8:
            let list = (0..<pick(4)).map { _ in value(depth - 2) }
            let sought = value(depth - 1)
            return .searching(list, for: sought) ?? .comparing(.equal, sought, sought)
        case 9:
            let function = among([ODataFunction.startsWith, .endsWith, .contains])
            return .call(function, [value(depth - 1), value(depth - 1)])
        case 10: return .any(place(), variable: "", condition: nil)
        case 11: return lambda(depth)
        default: return cast(depth, to: .boolean)
        }
    }

    private mutating func lambda(_ depth: Int) -> ODataNode {
        guard variables.count < 3 else { return condition(depth - 1) }
        let list = place()
        let variable = among(["c", "c1", "x", "eq", "tags", "true", "not", "größe"])
        guard !variables.contains(variable) else { return condition(depth - 1) }
        variables.append(variable)
        let condition = condition(depth - 1)
        variables.removeLast()
        return pick(2) == 0
            ? .any(list, variable: variable, condition: condition)
            : .all(list, variable: variable, condition: condition)
    }

    // MARK: Values

    mutating func value(_ depth: Int) -> ODataNode {
        switch pick(depth > 0 ? 12 : 4) {
        case 0, 1: return place()
        case 2, 3: return literal()
        case 4, 5:
            return .arithmetic(
                among(ODataNode.Arithmetic.allCases), value(depth - 1), value(depth - 1))
        case 6: return .negated(value(depth - 1))
        case 7: return .count(place())
        case 8: return cast(depth, to: among([.int32, .double, .string, .guid, .dateTimeOffset]))
        case 9: return condition(depth - 1)
        default: return call(depth)
        }
    }

    private mutating func call(_ depth: Int) -> ODataNode {
        let function = among(ODataFunction.allCases)
        if function == .date || function == .time { return .call(function, [place()]) }
        let count = among(Array(function.argumentCount))
        var arguments = (0..<count).map { _ in value(depth - 1) }
        // What version 3 takes.
        if function == .replace {
            arguments = [place(), arguments[1], .literal(.string(text()))]
            if arguments[1].contains(.replace) { arguments[1] = place() }
        }
        return .call(function, arguments)
    }

    /// The cast of a literal is a literal.
    private mutating func cast(_ depth: Int, to type: ODataType) -> ODataNode {
        let value = value(depth - 1)
        return .cast(value.constant == nil ? value : place(), type)
    }

    private mutating func place() -> ODataNode {
        if let variable = variables.last, pick(2) == 0 {
            return .variable(among(variables + [variable]), pick(3) == 0 ? ["name"] : [])
        }
        let first = among(Self.columns.filter { !variables.contains($0) })
        return .path(pick(4) == 0 ? [first, among(["name", "any", "true", "a"])] : [first])
    }

    private mutating func literal() -> ODataNode {
        switch pick(12) {
        case 0: .literal(.null)
        case 1: .literal(.bool(pick(2) == 0))
        case 2, 3: .literal(.integer(Int64(pick(7)) - 3))
        case 4: .literal(.integer(among([.min, .max, 4_000_000_000])))
        case 5: .literal(.double(among([0.5, -1.5, 2.5, 1e300, -1e-300, -1, 1e16])))
        case 6, 7: .literal(.string(text()))
        case 8: .literal(.instant(Instant(ticks: Self.noon + Int64(pick(4)) * 1_234_567)))
        case 9: .literal(.guid("abcdef01-2345-6789-abcd-ef0123456789"))
        case 10:
            pick(2) == 0
                ? .day("2021-03-2\(pick(10))") : .timeOfDay("12:00:0\(pick(10)).\(pick(1000))")
        default:
            .spelled(
                among([
                    .single(0.1), .single(2.5), .decimal("1.50"), .decimal("-2"),
                    .dateTime(Instant(ticks: Self.noon)),
                    .timestamp("2021-03-24T13:00:00.1234567+01:00"),
                    .received("2021-03-24T12:00:00"),
                ]))
        }
    }

    // MARK: Items

    mutating func item() -> SampleItem {
        var members: [String: JSONValue] = [:]
        for column in Self.columns where pick(3) > 0 { members[column] = json(2) }
        var item = SampleItem(members)
        item.updatedAt = Instant(ticks: Self.noon + Int64(pick(3)) * 1_234_567)
        return item
    }

    private mutating func json(_ depth: Int) -> JSONValue {
        switch pick(depth > 0 ? 12 : 8) {
        case 0: .null
        case 1, 2: .bool(pick(2) == 0)
        case 3, 4: .integer(Int64(pick(7)) - 3)
        case 5: .double(Double(pick(12)) / 2 - 3)
        case 6, 7: .string(text())
        case 8: .object(["name": json(depth - 1), "any": json(depth - 1), "a": json(0)])
        default: .array((0..<pick(3)).map { _ in json(depth - 1) })
        }
    }

    // MARK: Choices

    private mutating func text() -> String {
        among([
            "", "'", "it's", "a", "b", "ab", "e\u{301}", "\u{1F600}", "2021-03-24", "12:00:05",
            "2021-03-24T12:00:00Z", "ABCDEF01-2345-6789-ABCD-EF0123456789", ") or (", "true",
        ])
    }

    private static let columns = [
        "f", "n", "s", "tags", "c", "c1", "x", "eq", "and", "in", "asc", "mul", "any", "cast",
        "length", "@a", "_b", "a-b", "größe", "updatedAt", "id", "datetime",
    ]
    /// 2021-03-24T12:00:00Z.
    private static let noon: Int64 = 1_616_587_200 * Instant.ticksPerSecond

    private mutating func pick(_ count: Int) -> Int {
        Int.random(in: 0..<count, using: &generator)
    }

    private mutating func among<Choice>(_ choices: [Choice]) -> Choice {
        choices[pick(choices.count)]
    }
}

extension ODataNode {
    /// Whether a function is called somewhere in the tree.
    func contains(_ function: ODataFunction) -> Bool {
        if case .call(function, _) = self { return true }
        return children.contains { $0.contains(function) }
    }
}
