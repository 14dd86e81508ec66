import SettlePrimitives

/// Writes compact JSON text.
enum JSONWriter {
    static func write(_ value: JSONValue, to output: inout [UInt8]) {
        switch value {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): write(value, to: &output)
        case .double(let value): write(value, to: &output)
        case .string(let value): write(value, to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                write(element, to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            let sorted = members.sorted { left, right in
                left.key.utf8.lexicographicallyPrecedes(right.key.utf8)
            }
            output.append(UInt8(ascii: "{"))
            for (index, member) in sorted.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                write(member.key, to: &output)
                output.append(UInt8(ascii: ":"))
                write(member.value, to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    /// Writes the packed value at the range's start; gives where it ends.
    static func write(
        _ bytes: Span<UInt8>, in range: Range<Int>, depth: Int, to output: inout [UInt8]
    ) throws(PackedError) -> Int {
        let (content, end) = try PackedForm.content(of: bytes, in: range)
        switch content {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): write(value, to: &output)
        case .double(let value): write(value, to: &output)
        case .string(let text): try writeString(bytes, in: text, to: &output)
        case .array(let area):
            guard depth < PackedForm.depthMax else {
                throw PackedError(.tooDeep, at: range.lowerBound)
            }
            output.append(UInt8(ascii: "["))
            var next = area.lowerBound
            while next < area.upperBound {
                if next > area.lowerBound { output.append(UInt8(ascii: ",")) }
                next = try write(bytes, in: next..<area.upperBound, depth: depth + 1, to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            guard depth < PackedForm.depthMax else {
                throw PackedError(.tooDeep, at: range.lowerBound)
            }
            try PackedForm.checkNames(of: members, in: bytes)
            output.append(UInt8(ascii: "{"))
            for index in 0..<members.count {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                let (name, value) = try members.member(index, in: bytes)
                try writeString(bytes, in: name, to: &output)
                output.append(UInt8(ascii: ":"))
                let end = try write(bytes, in: value, depth: depth + 1, to: &output)
                guard end == value.upperBound else { throw PackedError(.trailingBytes, at: end) }
            }
            output.append(UInt8(ascii: "}"))
        }
        return end
    }

    static func writeString(
        _ bytes: Span<UInt8>, in range: Range<Int>, to output: inout [UInt8]
    ) throws(PackedError) {
        output.append(UInt8(ascii: "\""))
        var plain = range.lowerBound
        var index = range.lowerBound
        while index < range.upperBound {
            while index <= range.upperBound &- 8 {
                let special = ByteWord.special(bytes.word(at: index))
                guard special == 0 else {
                    index &+= special.trailingZeroBitCount &>> 3
                    break
                }
                index &+= 8
            }
            guard index < range.upperBound else { break }
            let byte = bytes[index]
            if byte >= 0x80 {
                guard
                    let count = UTF8Sequence.length(in: bytes, at: index, before: range.upperBound)
                else { throw PackedError(.invalidUTF8, at: index) }
                index += count
            } else {
                if needsEscape(byte) {
                    output.append(bytes, in: plain..<index)
                    writeEscape(byte, to: &output)
                    plain = index + 1
                }
                index += 1
            }
        }
        output.append(bytes, in: plain..<range.upperBound)
        output.append(UInt8(ascii: "\""))
    }

    static func write(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        let start = output.count
        // As a whole, which is what most texts are; looking afterwards costs less than before.
        output.append(contentsOf: text.utf8)
        var plain = start
        while plain < output.count, !needsEscape(output[plain]) { plain += 1 }
        if plain < output.count {
            output.removeLast(output.count - plain)
            for byte in text.utf8.dropFirst(plain - start) {
                if needsEscape(byte) {
                    writeEscape(byte, to: &output)
                } else {
                    output.append(byte)
                }
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    @inline(__always)
    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func writeEscape(_ byte: UInt8, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: output.append(UInt8(ascii: "b"))
        case 0x09: output.append(UInt8(ascii: "t"))
        case 0x0A: output.append(UInt8(ascii: "n"))
        case 0x0C: output.append(UInt8(ascii: "f"))
        case 0x0D: output.append(UInt8(ascii: "r"))
        case 0..<0x20:
            output.append(contentsOf: "u00".utf8)
            output.append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
            let digit = byte & 0x0F
            output.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        default: output.append(byte)
        }
    }

    private static func write(_ value: Int64, to output: inout [UInt8]) {
        output.append(contentsOf: value.description.utf8)
    }

    private static func write(_ value: Double, to output: inout [UInt8]) {
        // Swift's description is the shortest text that reads back as the same double, always has
        // a fraction or an exponent, and is JSON: `100.0`, `1e+16`, `5e-324`.
        let text = value.isFinite ? value.description : "null"
        output.append(contentsOf: text.utf8)
    }
}
