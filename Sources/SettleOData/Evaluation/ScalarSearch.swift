/// Searching in strings by Unicode scalars, where Swift's own would take `e` and a combining
/// accent for one character that contains no `e`.
enum ScalarSearch {
    /// The offset in scalars of the first place where `needle` stands in `hay`.
    static func offset(of needle: String, in hay: String) -> Int64? {
        guard let start = byteOffset(of: Array(needle.utf8), in: Array(hay.utf8), from: 0) else {
            return nil
        }
        let index = hay.utf8.index(hay.utf8.startIndex, offsetBy: start)
        return Int64(hay.unicodeScalars.distance(from: hay.startIndex, to: index))
    }

    /// The pieces between the places where `separator` stands, and the number of those places; an
    /// empty separator stands nowhere.
    static func split(_ text: String, at separator: String) -> (pieces: [String], count: Int) {
        let needle = Array(separator.utf8)
        guard !needle.isEmpty else { return ([text], 0) }
        let bytes = Array(text.utf8)
        var pieces: [String] = []
        var start = 0
        while let found = byteOffset(of: needle, in: bytes, from: start) {
            pieces.append(String(decoding: bytes[start..<found], as: UTF8.self))
            start = found + needle.count
        }
        pieces.append(String(decoding: bytes[start...], as: UTF8.self))
        return (pieces, pieces.count - 1)
    }

    /// The text without white space at its ends.
    static func trimmed(_ text: String) -> String {
        let isSpace: (Unicode.Scalar) -> Bool = { $0.properties.isWhitespace }
        let tail = text.unicodeScalars.drop(while: isSpace)
        guard let last = tail.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(tail[...last])
    }

    /// The first place at or after `start` where the bytes of `needle` stand.
    ///
    /// A match of UTF-8 bytes begins and ends at scalar borders, since no scalar's bytes stand
    /// inside another's. Linear in both lengths (Knuth, Morris and Pratt): the needle comes from
    /// a request and the hay from a document, so a quadratic search could be asked for.
    private static func byteOffset(of needle: [UInt8], in hay: [UInt8], from start: Int) -> Int? {
        guard !needle.isEmpty else { return start }
        guard needle.count <= hay.count - start else { return nil }
        let borders = borders(of: needle)
        var matched = 0
        for index in start..<hay.count {
            while matched > 0, needle[matched] != hay[index] { matched = borders[matched - 1] }
            if needle[matched] == hay[index] { matched += 1 }
            if matched == needle.count { return index + 1 - matched }
        }
        return nil
    }

    /// For each prefix, the length of the longest proper prefix of it that also ends it.
    private static func borders(of needle: [UInt8]) -> [Int] {
        var borders = [Int](repeating: 0, count: needle.count)
        var length = 0
        for index in 1..<max(1, needle.count) {
            while length > 0, needle[length] != needle[index] { length = borders[length - 1] }
            if needle[length] == needle[index] { length += 1 }
            borders[index] = length
        }
        return borders
    }
}
