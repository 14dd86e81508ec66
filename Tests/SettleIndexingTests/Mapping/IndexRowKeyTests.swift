import SettleDocuments
import SettleIndexing
import TestSupport
import Testing

@Suite(.serialized) struct IndexRowKeyTests {
    private let collator = Collator(.unicode)

    private func key(_ value: JSONValue, _ id: String, _ number: Int) -> [UInt8] {
        var key: [UInt8] = []
        IndexRowKey.append(
            collationKey: collator.key(for: value).span, id: Array(id.utf8).span, number: number,
            to: &key)
        return key
    }

    private func taken(apart key: [UInt8]) -> (keyEnd: Int, id: Range<Int>, number: Int)? {
        IndexRowKey.parts(of: key.span)
    }

    @Test func `every number has its bytes, and comes back`() throws {
        #expect(key(.null, "a", 0) == [2, 0x61, 0, 0])
        #expect(key(.null, "a", 1) == [2, 0x61, 0, 1, 1])
        #expect(key(.null, "a", 255) == [2, 0x61, 0, 1, 255])
        #expect(key(.null, "a", 256) == [2, 0x61, 0, 2, 1, 0])
        #expect(key(.null, "a", 65_535) == [2, 0x61, 0, 2, 255, 255])
        var last: [UInt8] = []
        for number in 0...65_535 {
            let bytes = key(.null, "a", number)
            #expect(last.lexicographicallyPrecedes(bytes))
            last = bytes
            let parts = try #require(taken(apart: bytes))
            #expect(parts.keyEnd == 1 && parts.id == 1..<2 && parts.number == number)
        }
    }

    @Test func `keys order by key, document and number, and none is the start of another`() {
        var keys: [[UInt8]] = []
        for value in [.null, 1, "a", "b", ["a"], ["a", "b"], ["a": 1]] as [JSONValue] {
            for id in ["a", "a\u{1}", "aa", "b", "\u{10FFFF}"] {
                for number in [0, 1, 2, 255, 256, 257, 65_535] {
                    keys.append(key(value, id, number))
                }
            }
        }
        for (left, right) in zip(keys, keys.dropFirst()) {
            #expect(left.lexicographicallyPrecedes(right))
            #expect(!right.starts(with: left))
        }
    }

    @Test func `the parts of a key are where they were put`() throws {
        var mapping = RandomMapping(seed: 11)
        for document in mapping.documents(count: 200) {
            for row in document.rows.prefix(3) {
                let bytes = key(row.key, document.id, 300)
                let parts = try #require(taken(apart: bytes))
                #expect(Array(bytes[..<parts.keyEnd]) == collator.key(for: row.key))
                #expect(Array(bytes[parts.id]) == Array(document.id.utf8))
                #expect(parts.number == 300)
            }
        }
    }

    /// All strings of up to six bytes out of those that mean something.
    @Test func `what parts accepts is what append writes, and nothing else`() {
        let alphabet: [UInt8] = [0, 1, 2, 5, 6, 7, 0x61]
        var strings: [[UInt8]] = [[]]
        var accepted = 0
        for _ in 0..<6 {
            strings = strings.flatMap { string in alphabet.map { string + [$0] } }
            for string in strings {
                guard let parts = taken(apart: string) else { continue }
                var again: [UInt8] = []
                IndexRowKey.append(
                    collationKey: string.span.extracting(0..<parts.keyEnd),
                    id: string.span.extracting(parts.id), number: parts.number, to: &again)
                accepted += 1
                guard again == string, !parts.id.isEmpty else {
                    Issue.record("\(string)")
                    return
                }
            }
        }
        #expect(accepted > 900)
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `damaged row keys are refused or are keys in their own right`(_ seed: UInt64) {
        var mapping = RandomMapping(seed: seed)
        for document in mapping.documents(count: 5) {
            for row in document.rows {
                var bytes = key(row.key, document.id, 2)
                let index = bytes.indices.randomElement(using: &mapping.generator) ?? 0
                bytes[index] = UInt8.random(in: 0...255, using: &mapping.generator)
                if Bool.random(using: &mapping.generator) { bytes.removeSubrange(index...) }
                guard let parts = taken(apart: bytes) else { continue }
                var again: [UInt8] = []
                IndexRowKey.append(
                    collationKey: bytes.span.extracting(0..<parts.keyEnd),
                    id: bytes.span.extracting(parts.id), number: parts.number, to: &again)
                #expect(again == bytes, "seed \(seed)")
            }
        }
    }

    @Test func `an id longer than any document's is refused`() {
        #expect(taken(apart: key(1, String(repeating: "x", count: 255), 0)) != nil)
        #expect(taken(apart: key(1, String(repeating: "x", count: 256), 0)) == nil)
    }

    @Test func `damaged back pointers are refused`() throws {
        let one = try PackedValue(1).bytes
        let encoder = KeyEncoder(.unicode)
        func keys(_ head: [UInt8], _ tail: [UInt8]) throws -> [[UInt8]] {
            try IndexRowKey.keys(
                ofPointer: head.span, tail: tail.span, id: [0x61].span, encoder: encoder)
        }
        #expect(try keys(one, []) == [key(1, "a", 0)])
        #expect(try keys(one, [1] + one) == [key(1, "a", 0), key(1, "a", 1)])
        let damaged: [(head: [UInt8], tail: [UInt8])] = [
            ([], []), ([0xFF], []), (one + one, []), (one, [0]), (one, [2] + one), (one, [0x80]),
            (one, [1, 0xFF]), (one, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]),
        ]
        for (head, tail) in damaged {
            #expect(throws: IndexError.corrupted(place: "a back pointer of a document")) {
                try keys(head, tail)
            }
        }
    }
}
