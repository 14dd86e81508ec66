package import SettleDocuments
import SettlePrimitives
import SettleStorage

/// The key of a row of an index: emitted key, document, and which of its emits.
///
/// Shape (Docs/Formats/Indexes.md): collation key, which ends itself; document id in UTF-8, which
/// holds no 00; 00; the number. The number counts the rows of one document that have the same
/// collation key, in the order of the emits: 0 is `00`, 1 to 255 is `01 n`, up to 65,535 is
/// `02 hi lo`. Byte order is therefore: by key, then by document, then in the order of the emits;
/// and no row key is the start of another.
package enum IndexRowKey {
    /// The most rows that one document can have with one key.
    package static let numberCountMax = 0x1_0000

    /// Appends the key of a row.
    ///
    /// - Precondition: The number is less than `numberCountMax`.
    package static func append(
        collationKey: Span<UInt8>, id: Span<UInt8>, number: Int, to key: inout [UInt8]
    ) {
        precondition(
            number >= 0 && number < numberCountMax, "A row's number does not fit its key.")
        key.reserveCapacity(key.count + collationKey.count + id.count + 4)
        for index in 0..<collationKey.count { key.append(collationKey[index]) }
        for index in 0..<id.count { key.append(id[index]) }
        key.append(0)
        switch number {
        case 0: key.append(0)
        case ...0xFF:
            key.append(1)
            key.append(UInt8(number))
        default:
            key.append(2)
            key.append(UInt8(number >> 8))
            key.append(UInt8(number & 0xFF))
        }
    }

    /// Takes a row key apart.
    ///
    /// Whether the id is UTF-8 is not looked at. Cost: one pass, no memory.
    /// - Returns: Where the collation key ends, where the id lies, and the number; nil when the bytes
    ///   are not exactly what `append` writes for an id of 1 to 255 bytes.
    package static func parts(
        of key: Span<UInt8>
    ) -> (keyEnd: Int, id: Range<Int>, number: Int)? {
        guard let keyEnd = CollationKey.end(in: key, at: 0),
            let id = id(in: key, after: keyEnd), let number = number(in: key, at: id.upperBound + 1)
        else { return nil }
        return (keyEnd, id, number)
    }

    /// Where the document's id lies in a row key whose collation key is known; nil as in `parts`.
    static func id(in key: Span<UInt8>, after keyEnd: Int) -> Range<Int>? {
        var mark = keyEnd
        while mark < key.count, key[mark] != 0 { mark += 1 }
        guard mark > keyEnd, mark - keyEnd <= DocumentIdentifier.byteCountMax,
            number(in: key, at: mark + 1) != nil
        else { return nil }
        return keyEnd..<mark
    }

    /// The number that fills the rest of the key; nil when it is not written in the one way.
    private static func number(in key: Span<UInt8>, at start: Int) -> Int? {
        switch key.count - start {
        case 1: return key[start] == 0 ? 0 : nil
        case 2: return key[start] == 1 && key[start + 1] > 0 ? Int(key[start + 1]) : nil
        case 3:
            guard key[start] == 2, key[start + 1] > 0 else { return nil }
            return Int(key[start + 1]) << 8 | Int(key[start + 2])
        default: return nil
        }
    }

    /// The keys of all rows of a document, from its back pointer.
    ///
    /// - Parameters:
    ///   - head: The packed key of the first row.
    ///   - tail: The packed keys of the others, each counted.
    ///   - id: The document's id.
    ///   - encoder: Encodes with the index's collation.
    /// - Returns: The keys, ascending.
    /// - Throws: ``IndexError/corrupted(place:)`` when the pointer's bytes are damaged.
    package static func keys(
        ofPointer head: Span<UInt8>, tail: Span<UInt8>, id: Span<UInt8>, encoder: KeyEncoder
    ) throws(IndexError) -> [[UInt8]] {
        var collationKeys = [try collationKey(of: head, encoder)]
        var position = 0
        while position < tail.count {
            guard let length = tail.variable(at: &position),
                length <= UInt64(tail.count - position)
            else { throw damagedPointer }
            let end = position + Int(length)
            collationKeys.append(
                try collationKey(of: tail.extracting(position..<end), encoder))
            position = end
        }
        // Equal keys are numbered in the order of the emits, which the numbers alone tell then.
        collationKeys.sort { $0.span.precedes($1.span) }
        var keys: [[UInt8]] = []
        keys.reserveCapacity(collationKeys.count)
        var number = 0
        for (index, collationKey) in collationKeys.enumerated() {
            number = index > 0 && collationKeys[index - 1] == collationKey ? number + 1 : 0
            guard number < numberCountMax else { throw damagedPointer }
            var key: [UInt8] = []
            append(collationKey: collationKey.span, id: id, number: number, to: &key)
            keys.append(key)
        }
        return keys
    }

    private static func collationKey(
        of packed: Span<UInt8>, _ encoder: KeyEncoder
    ) throws(IndexError) -> [UInt8] {
        var key: [UInt8] = []
        do {
            try encoder.append(packed: packed, to: &key)
        } catch {
            throw damagedPointer
        }
        return key
    }

    private static var damagedPointer: IndexError {
        .corrupted(place: "a back pointer of a document")
    }
}
