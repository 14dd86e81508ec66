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
        count = text.utf8.count
        var prefix: UInt64 = 0
        var shift: UInt64 = 64
        var bytes = text.utf8.makeIterator()
        while shift > 0, let byte = bytes.next() {
            shift &-= 8
            prefix |= UInt64(byte) &<< shift
        }
        self.prefix = prefix
    }

    /// Whether this is the name, byte by byte; nil is no name.
    func isNamed(_ name: String?) -> Bool {
        name.map { $0.utf8.elementsEqual(text.utf8) } ?? false
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
