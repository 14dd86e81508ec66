import SettleDocuments
import Testing

@Suite struct CollationKeyEncoderTests {
    private func encoded(
        _ bytes: [UInt8], _ encode: (Span<UInt8>, inout [UInt8]) throws(PackedError) -> Void
    ) -> Result<[UInt8], PackedError> {
        var key: [UInt8] = [0xAA]
        do {
            try encode(bytes.span, &key)
            return .success(key)
        } catch {
            return .failure(error)
        }
    }

    private func agree(_ encoder: KeyEncoder, _ bytes: [UInt8]) -> Bool {
        let collator = Collator(encoder.strings)
        let expected = encoded(bytes) { span, key throws(PackedError) in
            try collator.append(span, in: 0..<span.count, to: &key)
        }
        let found = encoded(bytes) { span, key throws(PackedError) in
            try encoder.append(packed: span, to: &key)
        }
        return expected == found
    }

    @Test(arguments: [Collator.Strings.unicode, .raw])
    func `keys are the collator's, the first time and again`(_ strings: Collator.Strings) throws {
        var generator = SeededGenerator(seed: 0x5E77)
        let encoder = KeyEncoder(strings)
        var values: [JSONValue] = []
        for _ in 0..<4000 { values.append(.random(depth: 3, using: &generator)) }
        for value in values + values {
            #expect(agree(encoder, try PackedValue(value).bytes), "\(value)")
        }
    }

    @Test func `strings of every length keep their keys`() throws {
        let encoder = KeyEncoder(.unicode)
        for count in (0...80).map({ $0 }) + [511, 512, 513, 5000] {
            for letter in ["a", "é", "中"] {
                let text = String(repeating: letter, count: count)
                let bytes = try PackedValue(.string(text)).bytes
                #expect(agree(encoder, bytes) && agree(encoder, bytes), "\(count) of \(letter)")
            }
        }
    }

    @Test func `more strings than are remembered keep their keys`() throws {
        let encoder = KeyEncoder(.unicode)
        let stem = String(repeating: "word ", count: 20)
        for round in 0..<2 {
            for number in 0..<9000 {
                let bytes = try PackedValue(.string(stem + String(number))).bytes
                guard agree(encoder, bytes) else {
                    Issue.record("number \(number) in round \(round)")
                    return
                }
            }
        }
    }

    @Test(arguments: [Collator.Strings.unicode, .raw])
    func `damaged bytes give the collator's error`(_ strings: Collator.Strings) throws {
        var generator = SeededGenerator(seed: 0xDA3A)
        let encoder = KeyEncoder(strings)
        for _ in 0..<4000 {
            var bytes = try PackedValue(.random(depth: 3, using: &generator)).bytes
            let index = bytes.indices.randomElement(using: &generator) ?? 0
            bytes[index] = UInt8.random(in: 0...255, using: &generator)
            if Bool.random(using: &generator) { bytes.removeSubrange(index...) }
            #expect(agree(encoder, bytes), "\(bytes)")
        }
        let deep = [UInt8](repeating: 0x86, count: 3)
        #expect(agree(encoder, deep))
    }
}
