import SettlePrimitives

extension Span where Element == UInt8 {
    /// Below, at, or above zero as the text's UTF-8 comes before, equals, or comes after the range.
    func order(of text: String, and range: Range<Int>) -> Int {
        let own = extracting(range)
        return text.withUTF8Bytes { text in
            let shared = text.sharedCount(with: own)
            guard shared < text.count, shared < own.count else { return text.count - own.count }
            return Int(text[shared]) - Int(own[shared])
        }
    }
}
