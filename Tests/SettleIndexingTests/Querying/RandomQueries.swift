import SettleDocuments
import TestSupport

@testable import SettleIndexing

/// Random rows and questions about them, with few different keys so that they meet.
enum RandomQueries {
    static func rows(_ random: inout SeededGenerator) -> [QueryOracle.EmittedRow] {
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
            let value = Int64.random(in: -9...9, using: &random)
            return (key(&random), value == 9 ? nil : .integer(value))
        }
    }

    static func key(_ random: inout SeededGenerator) -> JSONValue {
        func scalar() -> JSONValue {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: .null
            case 1: .bool(Bool.random(using: &random))
            case 2: .integer(.random(in: -2...2, using: &random))
            case 3: .double(Double(Int.random(in: -3...3, using: &random)) / 2)
            // Keys that are longer than the engine's, and share their beginning.
            case 4:
                .string(
                    String(repeating: "long ", count: 120)
                        + (["", "a", "b"].randomElement(using: &random) ?? ""))
            default: .string(["", "a", "A", "b", "é", "aa"].randomElement(using: &random) ?? "")
            }
        }
        if Int.random(in: 0..<3, using: &random) > 0 {
            return .array((0..<Int.random(in: 0...3, using: &random)).map { _ in scalar() })
        }
        return scalar()
    }

    static func query(_ random: inout SeededGenerator) -> IndexQuery {
        func bound() -> IndexQuery.KeyBound? {
            guard Int.random(in: 0..<3, using: &random) > 0 else { return nil }
            return IndexQuery.KeyBound(
                key: key(&random),
                documentID: Int.random(in: 0..<3, using: &random) == 0
                    ? "d\(Int.random(in: 0..<120, using: &random))" : nil,
                isInclusive: Bool.random(using: &random))
        }
        let selection: IndexQuery.Selection =
            Int.random(in: 0..<3, using: &random) == 0
            ? .keys(keys(&random)) : .range(start: bound(), end: bound())
        let summaries: [IndexQuery.Summary] = [
            .rows, .total, .exactKeys, .firstElements(1), .firstElements(2), .firstElements(4),
        ]
        return IndexQuery(
            selection: selection, isDescending: Bool.random(using: &random),
            skip: Int.random(in: 0..<3, using: &random) == 0
                ? Int.random(in: 1...40, using: &random) : 0,
            limit: Int.random(in: 0..<3, using: &random) == 0
                ? Int.random(in: 0...5, using: &random) : nil,
            summary: summaries.randomElement(using: &random) ?? .rows)
    }

    /// Up to four keys, often one of them twice.
    private static func keys(_ random: inout SeededGenerator) -> [JSONValue] {
        var keys = (0..<Int.random(in: 0...3, using: &random)).map { _ in key(&random) }
        if let key = keys.randomElement(using: &random), Bool.random(using: &random) {
            keys.insert(key, at: Int.random(in: 0...keys.count, using: &random))
        }
        return keys
    }
}
