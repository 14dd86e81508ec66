extension Span where Element == UInt8 {
    /// Below, at, or above zero as the text's UTF-8 comes before, equals, or comes after the range.
    @inline(__always)
    func order(of text: String, and range: Range<Int>) -> Int {
        var index = range.lowerBound
        for byte in text.utf8 {
            guard index < range.upperBound else { return 1 }
            if byte != self[index] { return Int(byte) - Int(self[index]) }
            index += 1
        }
        return index == range.upperBound ? 0 : -1
    }
}
