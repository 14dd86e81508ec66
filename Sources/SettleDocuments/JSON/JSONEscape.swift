/// The backslash escapes of JSON strings.
enum JSONEscape {
    /// Reads one escape from its backslash on (a surrogate pair is one) and appends its UTF-8.
    static func scan(
        _ text: Span<UInt8>, at index: inout Int, to output: inout [UInt8]
    ) throws(JSONError) {
        let start = index
        guard index + 1 < text.count else { throw ended(text) }
        let letter = text[index + 1]
        index += 2
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): output.append(letter)
        case UInt8(ascii: "b"): output.append(0x08)
        case UInt8(ascii: "f"): output.append(0x0C)
        case UInt8(ascii: "n"): output.append(0x0A)
        case UInt8(ascii: "r"): output.append(0x0D)
        case UInt8(ascii: "t"): output.append(0x09)
        case UInt8(ascii: "u"):
            let unit = try scanHexadecimal(text, at: &index)
            var scalar = unit
            if (0xD800...0xDBFF).contains(unit) {
                guard
                    index + 1 < text.count, text[index] == UInt8(ascii: "\\"),
                    text[index + 1] == UInt8(ascii: "u")
                else { throw loneSurrogate(text, at: start) }
                index += 2
                let second = try scanHexadecimal(text, at: &index)
                guard (0xDC00...0xDFFF).contains(second) else {
                    throw loneSurrogate(text, at: start)
                }
                scalar = 0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(scalar) else {
                throw loneSurrogate(text, at: start)
            }
            output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        default:
            throw JSONError(
                .invalidEscape,
                "A backslash must be followed by one of \" \\ / b f n r t u.", at: start, in: text)
        }
    }

    private static func scanHexadecimal(
        _ text: Span<UInt8>, at index: inout Int
    ) throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard index < text.count else { throw ended(text) }
            let byte = text[index]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default:
                throw JSONError(
                    .invalidEscape, "\\u must be followed by four hexadecimal digits.", at: index,
                    in: text)
            }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }

    private static func ended(_ text: Span<UInt8>) -> JSONError {
        JSONError(.unexpectedEnd, "The text ends within an escape.", at: text.count, in: text)
    }

    private static func loneSurrogate(_ text: Span<UInt8>, at index: Int) -> JSONError {
        JSONError(
            .loneSurrogate,
            "A \\u escape gives one half of a surrogate pair; write both halves or neither.",
            at: index, in: text)
    }
}
