import SettlePrimitives

/// Encodes packed values as collation keys, remembering the sort keys of strings seen lately.
///
/// The bytes are those of `Collator`; see there for what they mean. Asking ICU is the dear part, and
/// the keys of an index say the same words again and again.
///
/// Memory: at most about 1 MiB, none before the first string. Not `Sendable`: one a worker.
package final class KeyEncoder {
    /// How strings are ordered.
    package let strings: Collator.Strings

    private let collator: Collator
    private var cache = SortKeyCache()

    /// An encoder that has seen nothing yet.
    package init(_ strings: Collator.Strings) {
        self.strings = strings
        collator = Collator(strings)
    }

    /// Appends the encoded key of the packed value that fills the bytes exactly.
    ///
    /// Cost: one pass, and a sort key of ICU for each string that was not seen lately when strings
    /// are `.unicode`; objects are made trees of.
    /// - Throws: `PackedError` when the packed bytes are damaged; what was appended until then stays.
    package func append(
        packed bytes: Span<UInt8>, to key: inout [UInt8]
    ) throws(PackedError) {
        let end = try append(bytes, in: 0..<bytes.count, depth: 0, to: &key)
        guard end == bytes.count else { throw PackedError(.trailingBytes, at: end) }
    }

    private func append(
        _ bytes: Span<UInt8>, in range: Range<Int>, depth: Int, to key: inout [UInt8]
    ) throws(PackedError) -> Int {
        let (content, end) = try PackedForm.content(of: bytes, in: range)
        switch content {
        case .null: key.append(CollationTag.null)
        case .bool(let value): key.append(value ? CollationTag.true : CollationTag.false)
        case .integer(let value): NumberKey.append(value, to: &key)
        case .double(let value): NumberKey.append(value, to: &key)
        case .string(let text):
            key.append(CollationTag.string)
            switch strings {
            case .unicode: try cache.append(bytes, in: text, to: &key)
            case .raw: try appendRaw(bytes, in: text, to: &key)
            }
        case .array(let area):
            guard depth < PackedForm.depthMax else {
                throw PackedError(.tooDeep, at: range.lowerBound)
            }
            key.append(CollationTag.array)
            var next = area.lowerBound
            while next < area.upperBound {
                next = try append(bytes, in: next..<area.upperBound, depth: depth + 1, to: &key)
            }
            key.append(CollationTag.end)
        case .object:
            // Members are ordered by the sort keys of their names, which the collator sees to.
            try collator.append(bytes, in: range.lowerBound..<end, to: &key)
        }
        return end
    }

    private func appendRaw(
        _ bytes: Span<UInt8>, in text: Range<Int>, to key: inout [UInt8]
    ) throws(PackedError) {
        guard UTF8Sequence.isValid(bytes, in: text) else {
            throw PackedError(.invalidUTF8, at: text.lowerBound)
        }
        var start = text.lowerBound
        for index in text where bytes[index] <= 1 {
            // 00 would end the string, so 00 and 01 are written as 01 01 and 01 02.
            key.append(bytes, in: start..<index)
            key.append(1)
            key.append(bytes[index] + 1)
            start = index + 1
        }
        key.append(bytes, in: start..<text.upperBound)
        key.append(CollationTag.end)
    }
}

/// The sort keys of strings seen lately, found by the strings' UTF-8.
///
/// A string has one slot, by its hash, and pushes out the one that was there. Texts and sort keys
/// lie in one array; when that is full, everything is forgotten.
private struct SortKeyCache {
    private struct Slot {
        var hash: UInt64 = 0
        /// Where the text begins; its sort key follows it.
        var start = 0
        var textCount = 0
        /// 0 in a slot not used yet: a sort key has at least the 00 that ends it.
        var keyCount = 0
    }

    private static let slotCount = 4096
    private static let byteCountMax = 0xC_0000
    /// Longer strings are not kept; they would push out many short ones.
    private static let textCountMax = 512

    private var slots: [Slot] = []
    private var bytes: [UInt8] = []
    /// Chosen anew for every cache, so that no document can make all strings meet in one slot.
    private let seed = UInt64.random(in: .min ... .max)

    /// Appends the sort key of the text in that range.
    ///
    /// - Throws: `PackedError` when it is not UTF-8.
    mutating func append(
        _ source: Span<UInt8>, in text: Range<Int>, to key: inout [UInt8]
    ) throws(PackedError) {
        guard text.count <= Self.textCountMax else {
            let string = try PackedForm.utf8(of: source, in: text)
            return RootCollation.shared.appendSortKey(of: string, to: &key)
        }
        let hash = hash(source, in: text)
        let index = Int(truncatingIfNeeded: hash) & (Self.slotCount - 1)
        if !slots.isEmpty, slots[index].hash == hash, slots[index].keyCount > 0,
            slots[index].textCount == text.count,
            bytes.span.isEqual(source, in: text, at: slots[index].start)
        {
            let start = slots[index].start + text.count
            return key.append(bytes.span, in: start..<start + slots[index].keyCount)
        }
        let keyStart = key.count
        if UTF8Sequence.isASCII(source, in: text) {
            RootCollation.shared.appendSortKey(ofASCII: source, in: text, to: &key)
        } else {
            let string = try PackedForm.utf8(of: source, in: text)
            RootCollation.shared.appendSortKey(of: string, to: &key)
        }
        let keyCount = key.count - keyStart
        if slots.isEmpty || bytes.count + text.count + keyCount > Self.byteCountMax {
            slots = Array(repeating: Slot(), count: Self.slotCount)
            bytes.removeAll(keepingCapacity: true)
        }
        guard text.count + keyCount <= Self.byteCountMax else { return }
        slots[index] = Slot(
            hash: hash, start: bytes.count, textCount: text.count, keyCount: keyCount)
        bytes.append(source, in: text)
        bytes.append(key.span, in: keyStart..<key.count)
    }

    private func hash(_ source: Span<UInt8>, in text: Range<Int>) -> UInt64 {
        var hash = seed ^ UInt64(text.count)
        var index = text.lowerBound
        while index < text.upperBound {
            let next = Swift.min(index + 8, text.upperBound)
            let product = (hash ^ source.prefix(in: index..<next))
                .multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
            hash = product.high ^ product.low
            index = next
        }
        return hash ^ (hash >> 32)
    }
}

extension Span where Element == UInt8 {
    /// Whether the range of the other has the same bytes as this has from that place on.
    fileprivate func isEqual(_ other: Span<UInt8>, in range: Range<Int>, at start: Int) -> Bool {
        var offset = 0
        while offset + 8 <= range.count {
            if word(at: start + offset) != other.word(at: range.lowerBound + offset) {
                return false
            }
            offset += 8
        }
        while offset < range.count {
            if self[start + offset] != other[range.lowerBound + offset] { return false }
            offset += 1
        }
        return true
    }
}
