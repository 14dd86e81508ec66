import SettlePrimitives

/// A name to look for, laid out so that most others are told from it by one comparison.
struct ByteName {
    let text: String
    /// How many bytes of UTF-8 it has.
    let count: Int
    /// Its first eight bytes, as `Span.prefix(in:)` gives them.
    let prefix: UInt64

    @inline(__always)
    init(_ text: String) {
        self.text = text
        (count, prefix) = text.withUTF8Bytes { ($0.count, $0.prefix(in: 0..<$0.count)) }
    }

    /// Whether the other has the same bytes.
    func isSame(as other: ByteName) -> Bool {
        prefix == other.prefix && count == other.count
            && (count <= 8 || text.utf8.elementsEqual(other.text.utf8))
    }

    /// Whether the range has the bytes of this name.
    @inline(__always)
    func isSame(in bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        range.count == count && bytes.prefix(in: range) == prefix
            && (count <= 8 || bytes.order(of: text, and: range) == 0)
    }

    /// Below, at, or above zero as the name comes before, equals, or comes after the range.
    @inline(__always)
    func order(in bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        let other = bytes.prefix(in: range)
        if prefix != other { return prefix < other ? -1 : 1 }
        // With eight bytes or less, equal prefixes differ at most in zero bytes at the end.
        if count <= 8 || range.count <= 8 { return count - range.count }
        return bytes.order(of: text, and: range)
    }
}
