import SettleDocuments
import TestSupport
import Testing

@testable import SettleOData

/// Of an item for which a filter is true, a key lies in the filter's ranges.
@Suite(.serialized) struct `The promise of key ranges` {
    /// Whether a filter is true for an item, after checking the promise for some paths.
    private static func check(
        _ filter: ODataNode, _ item: SampleItem, _ paths: [[String]],
        _ context: @autoclosure () -> String
    ) throws -> (isTrue: Bool, shutOut: Int) {
        let isTrue = try ODataEvaluator.isTrue(filter, for: item)
        var shutOut = 0
        for path in paths {
            guard let ranges = filter.keyRanges(on: path) else { continue }
            let isFound = ODataKey.keys(of: item, at: path).contains { key in
                ranges.contains { $0.contains(key) }
            }
            if !isFound { shutOut += 1 }
            if isTrue, !isFound { Issue.record("\(path): \(context())") }
        }
        return (isTrue, shutOut)
    }

    /// Values at the borders of kinds, of days and of what is cut or rounded.
    private static let values: [JSONValue] = [
        .null, true, false, 0, 1, -1, 1.5, .double(-0.0), 9_007_199_254_740_992,
        9_007_199_254_740_993, .integer(.max), 9.223372036854775807e18, "", "a", "A", "ab", "b",
        "2021-03-24", "2021-03-25", "2021-03-24T00:30:00+01:00", "2021-03-24T23:30:00-01:00",
        "2021-03-24T12:00:00Z", "2021-03-24x", "0000-01-01", "9999-12-31",
        "9999-12-31T23:59:00-23:00", "0000-01-01T00:00:00+01:00", "07:14:00", "07:14:00.0",
        "abcdef01-2345-6789-abcd-ef0123456789", "ABCDEF01-2345-6789-abcd-ef0123456789",
        .string(String(repeating: "a", count: 200)), .string(String(repeating: "a", count: 201)),
        .string(String(repeating: "a", count: 199) + "\u{1F600}"), "\u{10FFFF}", "e\u{301}",
        "\u{E9}", [], [:], ["a"], ["b", 1], [["a"]], ["a": "b"],
    ]

    private static let literals: [String] = [
        "null", "true", "false", "0", "1", "-1", "1.5", "9007199254740992", "9007199254740993",
        "9007199254740992.0", "9223372036854775807", "9.223372036854775807e18", "''", "'a'",
        "'A'", "'ab'", "'2021-03-24'", "'2021-03-24T12:00:00Z'", "2021-03-24",
        "2021-03-24T12:00:00Z", "2021-03-23T23:30:00Z", "0000-01-01", "9999-12-31",
        "9999-12-31T23:59:00-23:00", "0000-01-01T00:00:00+23:00", "07:14",
        "abcdef01-2345-6789-abcd-ef0123456789", "'\(String(repeating: "a", count: 200))'",
        "'\(String(repeating: "a", count: 200))b'", "'e\u{301}'", "'\u{10FFFF}'",
    ]

    @Test func `holds for every comparison of small values`() throws {
        var conditions: [String] = ["a", "not a", "startswith(a, 'a')", "a/any(x: x)"]
        for literal in Self.literals {
            for word in ["eq", "ne", "lt", "le", "gt", "ge"] {
                conditions += ["a \(word) \(literal)", "\(literal) \(word) a"]
                conditions.append("a/any(x: x \(word) \(literal))")
            }
            conditions += ["a in (\(literal))", "startswith(a, \(literal))"]
        }
        var (trueCount, shutOut) = (0, 0)
        for condition in conditions {
            let filter = try ODataParser.filter(condition, dialect: .version4)
            for value in Self.values {
                for held in [value, [value], [value, "b"], [[value]]] {
                    let item = SampleItem(["a": held])
                    let found = try Self.check(
                        filter, item, [["a"]], "\(condition) for \(item.members)")
                    trueCount += found.isTrue ? 1 : 0
                    shutOut += found.shutOut
                }
            }
        }
        // Ranges that shut out nothing would keep the promise too.
        #expect(trueCount > 5000)
        #expect(shutOut > 50_000)
    }

    @Test func `holds for random filters and items`() throws {
        var generator = SeededGenerator()
        var (trueCount, shutOut) = (0, 0)
        let paths = [["a"], ["b"], ["o", "a"], ["l", "a"], ["l"], ["id"], ["updatedAt"]]
        for _ in 0..<3000 {
            let text = Self.condition(3, inside: nil, &generator)
            let filter = try ODataParser.filter(text, dialect: .version4)
            for _ in 0..<6 {
                var item = SampleItem([:])
                for name in ["a", "b"] { item.members[name] = Self.value(&generator) }
                item.members["o"] = ["a": Self.value(&generator)]
                item.members["l"] = .array(
                    (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
                        ["a": Self.value(&generator)]
                    })
                item.id = ["a", "b", "ab"].randomElement(using: &generator) ?? "a"
                let found = try Self.check(
                    filter, item, paths, "\(text) for \(item.members), \(generator)")
                trueCount += found.isTrue ? 1 : 0
                shutOut += found.shutOut
            }
        }
        #expect((2000...16_000).contains(trueCount))
        #expect(shutOut > 5000)
    }

    private static func value(_ generator: inout SeededGenerator) -> JSONValue {
        if Int.random(in: 0..<3, using: &generator) == 0 {
            let count = Int.random(in: 0..<3, using: &generator)
            return .array((0..<count).map { _ in scalar(&generator) })
        }
        return scalar(&generator)
    }

    private static func scalar(_ generator: inout SeededGenerator) -> JSONValue {
        // The first few more often, so that comparisons hit.
        let few: [JSONValue] = ["a", "b", "ab", 1, true]
        return Bool.random(using: &generator)
            ? few.randomElement(using: &generator) ?? .null
            : values.filter { !($0.arrayValue != nil || $0.objectValue != nil) }
                .randomElement(using: &generator) ?? .null
    }

    private static func literal(_ generator: inout SeededGenerator) -> String {
        Bool.random(using: &generator)
            ? ["'a'", "'b'", "'ab'", "1", "true"].randomElement(using: &generator) ?? "1"
            : literals.randomElement(using: &generator) ?? "1"
    }

    private static func condition(
        _ depth: Int, inside variable: String?, _ generator: inout SeededGenerator
    ) -> String {
        let members =
            variable.map { [$0, "\($0)/a", "a"] } ?? ["a", "b", "o/a", "id", "updatedAt"]
        let member = members.randomElement(using: &generator) ?? "a"
        switch Int.random(in: 0..<(depth > 0 ? 11 : 5), using: &generator) {
        case 0: return member
        case 1: return "startswith(\(member), 'a')"
        case 2:
            let word = ["eq", "ne", "lt", "le", "gt", "ge"].randomElement(using: &generator) ?? ""
            return "\(literal(&generator)) \(word) \(member)"
        case 3, 4:
            let word =
                ["eq", "eq", "lt", "le", "gt", "ge"].randomElement(using: &generator) ?? ""
            return "\(member) \(word) \(literal(&generator))"
        case 5: return "not (\(condition(depth - 1, inside: variable, &generator)))"
        case 6 where variable == nil:
            let collection = ["a", "b", "l", "o/a"].randomElement(using: &generator) ?? "a"
            return "\(collection)/any(v: \(condition(depth - 1, inside: "v", &generator)))"
        case 7, 8:
            let parts = (0..<2).map { _ in condition(depth - 1, inside: variable, &generator) }
            return "(\(parts.joined(separator: ") and (")))"
        case 9, 10:
            let parts = (0..<2).map { _ in condition(depth - 1, inside: variable, &generator) }
            return "(\(parts.joined(separator: ") or (")))"
        default: return "\(member) in ('a', 'b', 1)"
        }
    }
}
