import TestSupport
import Testing

@testable import SettleOData

/// Whatever is written is read back as it was, by a reader that knows only the grammar.
@Suite struct `OData text by the grammar` {
    /// What a reader has to find for a node.
    private func form(_ node: ODataNode, _ version: ODataDialect) throws -> String {
        func forms(_ nodes: [ODataNode]) throws -> [String] {
            try nodes.map { try form($0, version) }
        }
        switch node {
        case .path(let path): return path.joined(separator: "/")
        case .literal(.string(let text)): return "<\(text)>"
        case .arithmetic(let word, let left, let right):
            return "(\(word.rawValue) \(try form(left, version)) \(try form(right, version)))"
        case .comparison(let word, let left, let right):
            return "(\(word.rawValue) \(try form(left, version)) \(try form(right, version)))"
        case .call(let function, let arguments):
            let arguments = try forms(arguments)
            switch function {
            case .contains where version == .version3:
                return "(substringof \(arguments.reversed().joined(separator: " ")))"
            case .contains: return "(contains \(arguments.joined(separator: " ")))"
            case .startsWith: return "(startswith \(arguments.joined(separator: " ")))"
            default: return "(tolower \(arguments.joined(separator: " ")))"
            }
        case .membership(let value, let list):
            if list.isEmpty { return "(eq 1 0)" }
            let value = try form(value, version)
            let values = try forms(list)
            return version == .version4
                ? "(in \(value) \(values.joined(separator: " ")))"
                : FilterReader.joined("or", values.map { "(eq \(value) \($0))" })
        case .not(let inner): return "(not \(try form(inner, version)))"
        case .and(let conditions): return FilterReader.joined("and", try forms(conditions))
        case .or(let conditions): return FilterReader.joined("or", try forms(conditions))
        case .literal(let value): return try ODataLiteral.text(of: value, version)
        default: throw FilterReader.Failure(text: "\(node)", position: 0)
        }
    }

    private func check(_ node: ODataNode, _ note: String = "") throws {
        for version in [ODataDialect.version3, .version4] {
            let text = try ODataWriter.text(of: node, for: version)
            let wanted = try form(node, version)
            let read = try FilterReader.form(of: text)
            #expect(read == wanted, "\(text) \(note)")
        }
    }

    private func written(
        _ left: ODataNode, _ right: ODataNode, _ version: ODataDialect
    ) throws -> String {
        try ODataWriter.text(of: .comparison(.equal, left, right), for: version)
    }

    @Test func `every small tree of conditions`() throws {
        let leaves: [ODataNode] = [
            .comparison(.equal, .path(["a"]), .literal(.integer(1))),
            .call(.startsWith, [.path(["b"]), .literal(.string("x"))]),
            .membership(.path(["c"]), [.literal(.integer(1)), .literal(.integer(2))]),
        ]
        var levels = [leaves]
        for _ in 0..<2 {
            let below = levels.flatMap { $0 }
            var level = below.map { ODataNode.not($0) }
            for left in below {
                for right in below {
                    level.append(.and([left, right]))
                    level.append(.or([left, right]))
                }
            }
            levels.append(level)
        }
        for tree in levels.flatMap({ $0 }) { try check(tree) }
    }

    @Test func `every small tree of arithmetic`() throws {
        let leaves: [ODataNode] = [.path(["a"]), .literal(.integer(-1))]
        var trees = leaves
        for _ in 0..<2 {
            let below = trees
            trees = leaves
            for operation in ODataNode.Arithmetic.allCases {
                for left in below {
                    for right in below {
                        trees.append(.arithmetic(operation, left, right))
                    }
                }
            }
        }
        for tree in trees { try check(.comparison(.greater, tree, .literal(.integer(0)))) }
    }

    @Test func `random trees`() throws {
        for seed in 0..<UInt64(1_500) {
            var generator = SeededGenerator(seed: seed)
            try check(condition(depth: 4, &generator), "seed \(seed)")
        }
    }

    @Test func `random strings, which never end before their end`() throws {
        let parts: [String] = [
            "'", "''", "'\u{301}", "\u{301}", "\\", "\\'", ")", "(", " or ", " and true ", "%27",
            "\u{2019}", "\u{FF07}", "\u{0}", "\n", "\u{200D}", "a", "é", "👩‍👩‍👧", "\"", ",", "--",
            "\r\n'",
        ]
        for seed in 0..<UInt64(3_000) {
            var generator = SeededGenerator(seed: seed)
            let text = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
                parts[Int.random(in: 0..<parts.count, using: &generator)]
            }.joined()
            try check(
                .and([
                    .comparison(.equal, .path(["a"]), .literal(.string(text))),
                    .call(.contains, [.path(["b"]), .literal(.string(text))]),
                ]), "seed \(seed)")
            // As a name or as a time it is refused, or read as that very name.
            for version in [ODataDialect.version3, .version4] {
                if let written = try? written(.path([text]), .literal(.integer(1)), version) {
                    #expect(try FilterReader.form(of: written) == "(eq \(text) 1)", "seed \(seed)")
                }
                let time = "2021-03-24T12:50:44Z\(text)"
                let timestamp = ODataNode.spelled(.timestamp(time))
                if let written = try? written(.path(["a"]), timestamp, version) {
                    #expect(text.isEmpty, "seed \(seed): \(written)")
                }
            }
        }
    }

    @Test func `random numbers, with their very bits`() throws {
        var generator = SeededGenerator(seed: 20)
        for _ in 0..<3_000 {
            let value = Double(bitPattern: generator.next())
            guard value.isFinite else { continue }
            let text = try written(.path(["a"]), .literal(.double(value)), .version3)
            let digits = text.dropFirst("a eq ".count)
            #expect(Double(String(digits)) == value, "\(digits)")
            #expect(digits.contains(".") && !digits.contains("+"), "\(digits)")
            let float = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
            guard float.isFinite else { continue }
            let other = try written(.path(["a"]), .spelled(.single(float)), .version4)
            #expect(Float(String(other.dropFirst("a eq ".count).dropLast())) == float, "\(other)")
        }
    }

    private func condition(depth: Int, _ generator: inout SeededGenerator) -> ODataNode {
        let choice =
            depth == 0
            ? Int.random(in: 0...2, using: &generator)
            : Int.random(in: 0...7, using: &generator)
        switch choice {
        case 0:
            let words = ODataNode.Comparison.allCases
            return .comparison(
                words[Int.random(in: 0..<words.count, using: &generator)],
                value(depth: 3, &generator), value(depth: 2, &generator))
        case 1:
            return .call(
                .contains, [value(depth: 1, &generator), .literal(.string("it's"))])
        case 2:
            let count = Int.random(in: 0...3, using: &generator)
            return .membership(
                value(depth: 1, &generator), (0..<count).map { .literal(.integer(Int64($0))) })
        case 3: return .not(condition(depth: depth - 1, &generator))
        default:
            let conditions = (0...Int.random(in: 1...2, using: &generator)).map { _ in
                condition(depth: depth - 1, &generator)
            }
            return choice % 2 == 0 ? .and(conditions) : .or(conditions)
        }
    }

    private func value(depth: Int, _ generator: inout SeededGenerator) -> ODataNode {
        switch depth == 0
            ? Int.random(in: 0...2, using: &generator)
            : Int.random(in: 0...6, using: &generator)
        {
        case 0: return .path(["a"])
        case 1:
            return .literal(
                .integer(.random(in: -5_000_000_000...5_000_000_000, using: &generator)))
        case 2: return .path(["address", "city"])
        case 3: return .call(.toLower, [value(depth: depth - 1, &generator)])
        default:
            let words = ODataNode.Arithmetic.allCases
            return .arithmetic(
                words[Int.random(in: 0..<words.count, using: &generator)],
                value(depth: depth - 1, &generator), value(depth: depth - 1, &generator))
        }
    }
}
