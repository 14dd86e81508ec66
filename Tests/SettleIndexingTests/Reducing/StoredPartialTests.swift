import Foundation
import SettleDocuments
import SettleIndexing
import TestSupport
import Testing

/// The stored form of partials: what Docs/Formats/Reductions.md says, and nothing else.
@Suite(.serialized) struct `Stored partials` {
    /// Gives back what it is given on a rereduce.
    private static let echo = IndexReducer.custom { _, values, isRereduce in
        isRereduce ? values[0] ?? .null : .array(values.map { $0 ?? .null })
    }

    private static func reducer(named name: String) throws -> IndexReducer {
        name == "custom" ? echo : .builtIn(try #require(ReducerKind(rawValue: name)))
    }

    private static func values(_ text: String) throws -> [JSONValue?] {
        guard case .array(let values) = try JSONValue(jsonText: text) else { return [] }
        // "none" stands for a row without a value.
        return values.map { $0 == "none" ? nil : $0 }
    }

    private static func bytes(_ text: some StringProtocol) -> [UInt8] {
        text.split(separator: " ").compactMap { UInt8($0, radix: 16) }
    }

    /// The rows of the page's table of examples: function, values, bytes.
    private static func examples() throws -> [(name: String, values: String, bytes: String)] {
        let page = try String(
            contentsOf: Fixture.packageRoot.appendingPathComponent("Docs/Formats/Reductions.md"),
            encoding: .utf8)
        return page.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
            }
            guard cells.count == 3, cells[1].hasPrefix("["), cells[1].hasSuffix("]") else {
                return nil
            }
            return (cells[0], cells[1], cells[2])
        }
    }

    /// The result or what is said instead of it.
    private func outcome(_ reduction: inout Reduction) -> String {
        do {
            return try reduction.result().jsonText
        } catch {
            return "\(error)"
        }
    }

    @Test func `the examples of the page are what is written and read`() throws {
        let examples = try Self.examples()
        #expect(examples.count >= 20)
        for example in examples {
            let reducer = try Self.reducer(named: example.name)
            let rows = try ReductionRow.rows(try Self.values(example.values))
            var reduction = try Reduction(reducer, rows: rows)
            let expected = Self.bytes(example.bytes)
            let shown = try reduction.encoded().map { String($0, radix: 16) }.joined(separator: " ")
            #expect(
                try reduction.encoded() == expected, "\(example.name) \(example.values): \(shown)")
            var merged = Reduction(reducer)
            try merged.merge(stored: expected)
            #expect(try merged.encoded() == expected, "\(example.name) \(example.values)")
            #expect(outcome(&reduction) == outcome(&merged))
        }
    }

    @Test func `empty bytes and unknown kinds are no partials`() throws {
        for name in ReducerKind.allCases.map(\.rawValue) + ["custom"] {
            for bytes: [UInt8] in [[], [0x80, 0x80], [0x80, 0x00], [0xFF, 0xFF]] {
                var reduction = Reduction(try Self.reducer(named: name))
                #expect(throws: IndexError.corrupted(place: "a stored reduction"), "\(name)") {
                    try reduction.merge(stored: bytes)
                }
            }
        }
    }

    @Test func `partials nested without end are refused`() throws {
        var array: [UInt8] = []
        for _ in 0..<100_000 { array += [0x02, 0x01] }
        var object: [UInt8] = []
        for _ in 0..<100_000 { object += [0x03, 0x01, 0x01, 0x61] }
        for (kind, bytes) in [(ReducerKind.stats, array), (.sum, object)] {
            var reduction = Reduction(.builtIn(kind))
            #expect(throws: IndexError.corrupted(place: "a stored reduction")) {
                try reduction.merge(stored: bytes + [0x01, 0x00])
            }
        }
    }

    /// Merges the bytes; if they are taken, they must be what would be written again.
    private func tryPartial(_ bytes: [UInt8], _ name: String, _ note: String) throws {
        var reduction = Reduction(try Self.reducer(named: name))
        do {
            try reduction.merge(stored: bytes)
        } catch IndexError.corrupted {
            return
        }
        #expect(try reduction.encoded() == bytes, "\(name): \(note)")
        do {
            _ = try reduction.result()
        } catch IndexError.reduceFailed {
            // A failure or a number beyond the doubles is a legible partial.
        }
    }

    @Test func `damaged partials are refused, or are what would have been written`() throws {
        var generator = SeededGenerator(seed: 0x81)
        for example in try Self.examples() {
            let bytes = Self.bytes(example.bytes)
            for index in bytes.indices {
                for value in [0, 1, 2, 3, 4, 5, 0x1F, 0x20, 0x40, 0x7F, 0x80, 0xFF] as [UInt8] {
                    var changed = bytes
                    changed[index] = value
                    try tryPartial(changed, example.name, "\(example.values), \(index), \(value)")
                }
                try tryPartial(
                    Array(bytes[..<index]), example.name, "\(example.values), \(index), cut")
                try tryPartial(
                    Array(bytes[index...]), example.name, "\(example.values), \(index), begun late")
            }
            try tryPartial(bytes + [0], example.name, "\(example.values), longer")
            for round in 0..<100 {
                var changed = bytes
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let index = Int.random(in: 0..<changed.count, using: &generator)
                    changed[index] = .random(in: .min ... .max, using: &generator)
                }
                try tryPartial(changed, example.name, "\(generator), round \(round)")
            }
        }
    }

    @Test func `counts that no store can have are refused`() throws {
        var reduction = Reduction(.builtIn(.count))
        let one: [UInt8] = [0x01]
        let half: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
        try reduction.merge(stored: half)
        #expect(try reduction.result() == .integer(.max))
        #expect(throws: IndexError.corrupted(place: "a stored reduction")) {
            try reduction.merge(stored: one)
        }
    }
}
