import SettlePrimitives

/// The strings of JSON text that are more than a few plain ASCII characters.
enum JSONString {
    /// Where a string lies and where the text goes on after its closing quote.
    struct Found {
        var range: Range<Int>
        var isOwn: Bool
        var isASCII: Bool
        var end: Int
    }

    /// Reads on in a string.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - start: The place after the opening quote.
    ///   - place: The place up to which everything is plain ASCII.
    ///   - own: Takes the string when it holds escapes.
    /// - Returns: Where the string lies.
    /// - Throws: `JSONError` when the string is no UTF-8, not closed, or has a wrong escape.
    static func scan(
        _ text: Span<UInt8>, from start: Int, at place: Int, to own: inout [UInt8]
    ) throws(JSONError) -> Found {
        let ownStart = own.count
        var plain = start
        var index = place
        var isASCII = true
        var isOwn = false
        while true {
            while index + 8 <= text.count {
                let special = ByteWord.special(text.word(at: index))
                if special != 0 {
                    index += special.trailingZeroBitCount >> 3
                    break
                }
                index += 8
            }
            guard index < text.count else {
                throw .ended(text, "the closing quote")
            }
            let byte = text[index]
            if byte >= 0x80 {
                isASCII = false
                repeat {
                    guard
                        let count = UTF8Sequence.length(in: text, at: index, before: text.count)
                    else {
                        throw JSONError(.invalidUTF8, "A string is not UTF-8.", at: index, in: text)
                    }
                    index += count
                } while index < text.count && text[index] >= 0x80
            } else if byte == UInt8(ascii: "\"") {
                guard isOwn else {
                    return Found(
                        range: start..<index, isOwn: false, isASCII: isASCII, end: index + 1)
                }
                own.append(text, in: plain..<index)
                let range = ownStart..<own.count
                return Found(
                    range: range, isOwn: true, isASCII: UTF8Sequence.isASCII(own.span, in: range),
                    end: index + 1)
            } else if byte == UInt8(ascii: "\\") {
                isOwn = true
                own.append(text, in: plain..<index)
                try JSONEscape.scan(text, at: &index, to: &own)
                plain = index
            } else if byte < 0x20 {
                throw JSONError(
                    .controlCharacter,
                    "A control character stands in a string; write it as an escape such as \\n "
                        + "or \\u0001.", at: index, in: text)
            } else {
                index += 1
            }
        }
    }
}
