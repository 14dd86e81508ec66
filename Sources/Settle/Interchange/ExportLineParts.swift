import SettleDocuments

/// A line of an export, cut in two: the members of its document and all else.
///
/// They are read apart, because a document may be nested as deep, and its text be longer, than JSON
/// is read anywhere else.
struct ExportLineParts {
    /// All members of the line but for `members`.
    let members: ExportMembers
    /// The object in the member `members`; nil when there is none.
    let body: PackedValue?

    private static let bodyMember = "members"

    /// Reads a line.
    ///
    /// - Throws: ``ExportFault`` without its line number.
    init(_ text: [UInt8]) throws(ExportFault) {
        let range = Self.bodyRange(in: text)
        body = try range.map { range throws(ExportFault) in try Self.body(text, in: range) }
        var head = text
        if let range { head.replaceSubrange(range, with: "null".utf8) }
        let value: JSONValue
        do {
            value = try JSONText.value(
                from: head, limits: JSONLimits(sizeMax: ExportLine.lengthMax))
        } catch {
            let moved = range.map { error.byteOffset >= $0.lowerBound ? $0.count - 4 : 0 } ?? 0
            throw Self.fault(error, at: error.byteOffset + moved, in: text)
        }
        guard case .object(var members) = value else {
            throw ExportFault("A line of an export is a JSON object. Export again.")
        }
        if range != nil { members[Self.bodyMember] = nil }
        self.members = ExportMembers(members)
    }

    private static func body(
        _ text: [UInt8], in range: Range<Int>
    ) throws(ExportFault) -> PackedValue {
        let body: PackedValue
        do {
            body = try JSONText.packedObject(
                from: text.span.extracting(range), taking: nil,
                limits: JSONLimits(sizeMax: ExportLine.lengthMax)
            ).packed
        } catch {
            throw fault(error, at: range.lowerBound + error.byteOffset, in: text)
        }
        guard body.bytes.count <= JSONLimits.default.sizeMax else {
            throw ExportFault(
                "The document has \(body.bytes.count) bytes, the limit is "
                    + "\(JSONLimits.default.sizeMax); split it.")
        }
        return body
    }

    private static func fault(_ error: JSONError, at offset: Int, in text: [UInt8]) -> ExportFault {
        let column = text.prefix(offset).count { $0 & 0xC0 != 0x80 } + 1
        return ExportFault(error.message, column: column)
    }

    /// Where the value of `members` stands in the outermost object; nil when it is not to be found.
    ///
    /// In text that is not JSON the answer may be wrong; what is read then is not JSON either.
    static func bodyRange(in text: [UInt8]) -> Range<Int>? {
        let text = text.span
        var depth = 0
        var index = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""):
                let start = index + 1
                index = endOfString(from: start, in: text)
                if depth == 1, isBodyMember(start..<index, in: text),
                    let value = valueStart(after: index, in: text)
                {
                    return value..<valueEnd(from: value, in: text)
                }
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            index += 1
        }
        return nil
    }

    /// The place of the closing quote, or the end of the text.
    private static func endOfString(from start: Int, in text: Span<UInt8>) -> Int {
        var index = start
        while index < text.count, text[index] != UInt8(ascii: "\"") {
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index, text.count)
    }

    private static func isBodyMember(_ range: Range<Int>, in text: Span<UInt8>) -> Bool {
        guard range.count == bodyMember.utf8.count else { return false }
        return zip(range, bodyMember.utf8).allSatisfy { text[$0] == $1 }
    }

    /// The first byte of the value when a colon follows the closing quote; else it was a string.
    private static func valueStart(after quote: Int, in text: Span<UInt8>) -> Int? {
        var index = quote + 1
        while index < text.count, isSpace(text[index]) { index += 1 }
        guard index < text.count, text[index] == UInt8(ascii: ":") else { return nil }
        index += 1
        while index < text.count, isSpace(text[index]) { index += 1 }
        return index < text.count ? index : nil
    }

    private static func valueEnd(from start: Int, in text: Span<UInt8>) -> Int {
        var depth = 0
        var index = start
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""):
                index = endOfString(from: index + 1, in: text)
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return index }
                depth -= 1
                if depth == 0 { return index + 1 }
            case UInt8(ascii: ",") where depth == 0:
                return index
            default: break
            }
            index += 1
        }
        return text.count
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
    }
}
