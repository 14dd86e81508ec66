/// Compares strings of printable ASCII as the root collation does, without asking ICU each time.
///
/// Among the characters from space to tilde the root collation has no contractions, no ignorable
/// characters, and no differences but two: which character it is, and whether it is upper case.
/// The former is looked at first, through both strings. The order of the characters is taken from
/// the collation itself, once.
package enum ASCIICollation {
    private static let printable: ClosedRange<UInt8> = 0x20...0x7E

    /// The rank of every byte, the same for upper and lower case; 0 for what is not printable ASCII.
    private static let ranks: [UInt8] = {
        let collator = Collator(.unicode)
        let ordered = printable.filter { !isUpper($0) }
            .map { (byte: $0, key: collator.key(for: .string(String(UnicodeScalar($0))))) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
        var ranks = [UInt8](repeating: 0, count: 256)
        for (index, character) in ordered.enumerated() {
            ranks[Int(character.byte)] = UInt8(index + 1)
        }
        for byte in printable where isUpper(byte) { ranks[Int(byte)] = ranks[Int(byte | 0x20)] }
        return ranks
    }()

    private static func isUpper(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    /// Below, at, or above zero as the text in the range comes before, equals, or comes after the
    /// other.
    ///
    /// - Returns: nil when either has bytes that are not printable ASCII.
    package static func order(
        of bytes: Span<UInt8>, in range: Range<Int>, and other: Span<UInt8>
    ) -> Int? {
        let ranks = ranks.span
        let common = min(range.count, other.count)
        var order = 0
        var caseOrder = 0
        for offset in 0..<common {
            let (left, right) = (bytes[range.lowerBound + offset], other[offset])
            let (leftRank, rightRank) = (ranks[Int(left)], ranks[Int(right)])
            if leftRank == 0 || rightRank == 0 { return nil }
            if order == 0, left != right {
                if leftRank != rightRank {
                    order = leftRank < rightRank ? -1 : 1
                } else if caseOrder == 0 {
                    caseOrder = isUpper(left) ? 1 : -1
                }
            }
        }
        // The rest decides nothing by itself, but may have characters of other scripts.
        for offset in common..<range.count where ranks[Int(bytes[range.lowerBound + offset])] == 0 {
            return nil
        }
        for offset in common..<other.count where ranks[Int(other[offset])] == 0 { return nil }
        if order != 0 { return order }
        return range.count != other.count ? range.count - other.count : caseOrder
    }
}
