import SettleDocuments
import TestSupport

/// Random documents and filters over a few names and values, so that they meet often.
struct RandomJSON {
    var generator: SeededGenerator

    static let names = ["a", "b", "c", "city", "amount"]

    private static let integers: [Int64] = [.min, .max, 1 << 53, 1 << 53 + 1]
    private static let doubles = [1e300, -0.0, 0x1p63, -0x1p63, 0x1p53]
    private static let texts = [
        "", "a", "A", "aa", "AB", "ab", "b", "á", "a\u{301}", "Rom", "rom", "co-op", "coop",
        "a\u{200B}", "\u{1}", "日本",
    ]

    mutating func scalar() -> JSONValue {
        switch Int.random(in: 0..<9, using: &generator) {
        case 0: .null
        case 1: .bool(Bool.random(using: &generator))
        case 2: .integer(Int64.random(in: -2...3, using: &generator))
        case 3: .double(Double(Int.random(in: -4...6, using: &generator)) / 2)
        case 4: .integer(Self.integers.randomElement(using: &generator) ?? 0)
        case 5: .double(Self.doubles.randomElement(using: &generator) ?? 0)
        default: .string(Self.texts.randomElement(using: &generator) ?? "")
        }
    }

    mutating func value(depth: Int = 2) -> JSONValue {
        switch depth > 0 ? Int.random(in: 0..<8, using: &generator) : 7 {
        case 0:
            .array(values(depth: depth - 1))
        case 1, 2: object(depth: depth - 1)
        default: scalar()
        }
    }

    private mutating func values(depth: Int) -> [JSONValue] {
        (0..<Int.random(in: 0...3, using: &generator)).map { _ in value(depth: depth) }
    }

    mutating func object(depth: Int) -> JSONValue {
        var members: [String: JSONValue] = [:]
        for name in Self.names where Int.random(in: 0..<5, using: &generator) < 2 {
            members[name] = value(depth: depth)
        }
        return .object(members)
    }

    mutating func document() -> JSONValue {
        var document = object(depth: 3)
        if Int.random(in: 0..<6, using: &generator) == 0 { document["_id"] = scalar() }
        return document
    }

    /// A filter; with `isInside`, one that stands for the condition on a member.
    mutating func filter(depth: Int, isInside: Bool = false) -> JSONValue {
        var members: [String: JSONValue] = [:]
        for _ in 0..<Int.random(in: 1...2, using: &generator) {
            let (name, argument) = part(depth: depth, isInside: isInside)
            members[name] = argument
        }
        return .object(members)
    }

    private mutating func part(depth: Int, isInside: Bool) -> (String, JSONValue) {
        let kind = Int.random(in: 0..<12, using: &generator)
        if depth > 0, kind < 3 {
            let parts = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                filter(depth: depth - 1, isInside: isInside)
            }
            return (["$and", "$or", "$nor"][kind], .array(parts))
        }
        if depth > 0, kind == 3 { return ("$not", filter(depth: depth - 1, isInside: isInside)) }
        if isInside, kind < 9 || depth == 0 { return test() }
        let name =
            (Self.names + ["a.b", "b.c", "a.b.c", "id", "_id"]).randomElement(using: &generator)
            ?? "a"
        let isPlain = kind < 6 || depth == 0
        return (name, isPlain ? value(depth: 0) : filter(depth: depth - 1, isInside: true))
    }

    private mutating func test() -> (String, JSONValue) {
        let name =
            ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$exists", "$type"]
            .randomElement(using: &generator) ?? "$eq"
        switch name {
        case "$in", "$nin":
            return (name, .array(values(depth: 1)))
        case "$exists": return (name, .bool(Bool.random(using: &generator)))
        case "$type":
            let kinds = ["null", "boolean", "number", "string", "array", "object"]
            return (name, .string(kinds.randomElement(using: &generator) ?? "null"))
        default: return (name, value(depth: 1))
        }
    }
}
