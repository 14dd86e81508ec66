import SettleDocuments
import TestSupport

/// Documents with rows such as maps emit them: few keys and many, equal ones, long ones, none.
struct RandomMapping {
    var generator: SeededGenerator
    /// Keys that are taken again and again.
    private var favourites: [JSONValue] = []

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
            favourites.append(key(depth: 2))
        }
    }

    mutating func documents(count: Int, rowCountMax: Int = 4) -> [MappedDocument] {
        var ids: Set<String> = []
        while ids.count < count { ids.insert(id()) }
        let sorted = ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return sorted.map { id in
            let rowCount =
                Int.random(in: 0..<60, using: &generator) == 0
                ? Int.random(in: 0...270, using: &generator)
                : Int.random(in: 0...rowCountMax, using: &generator)
            return MappedDocument(
                id: id, rows: (0..<rowCount).map { _ in (emittedKey(), value()) })
        }
    }

    private mutating func id() -> String {
        let stem = ["", "doc-", "é", "document-of-some-length-"].randomElement(using: &generator)
        let length = Int.random(in: 0..<40, using: &generator) == 0 ? 200 : 5
        let letters = (1...Int.random(in: 1...length, using: &generator)).map { _ in
            ["0", "1", "a", "ß", "\u{1}"].randomElement(using: &generator) ?? ""
        }
        return (stem ?? "") + letters.joined()
    }

    private mutating func emittedKey() -> JSONValue {
        if Int.random(in: 0..<3, using: &generator) > 0 {
            return favourites.randomElement(using: &generator) ?? .null
        }
        return key(depth: 2)
    }

    private mutating func key(depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &generator) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &generator))
        case 2: return .integer(Int64.random(in: -3...3, using: &generator))
        case 3: return .double(Double(Int.random(in: -6...6, using: &generator)) / 2)
        case 4, 5, 6: return .string(text())
        case 7, 8:
            let count = Int.random(in: 0...3, using: &generator)
            return .array((0..<count).map { _ in key(depth: depth - 1) })
        default: return .object([text(): key(depth: depth - 1)])
        }
    }

    private mutating func text() -> String {
        let isLong = Int.random(in: 0..<40, using: &generator) == 0
        let count = isLong ? 700 : Int.random(in: 0...9, using: &generator)
        // Long texts differ at their end, if at all.
        let stem = String(repeating: "x", count: count)
        let ends = ["", "a", "b", "A", "\u{200B}", "\u{0}", "é", "e\u{301}", "中"]
        return stem + (ends.randomElement(using: &generator) ?? "")
            + (ends.randomElement(using: &generator) ?? "")
    }

    private mutating func value() -> JSONValue? {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: nil
        case 1: .null
        case 2: .integer(Int64.random(in: 0...1000, using: &generator))
        default: .string(text())
        }
    }
}
