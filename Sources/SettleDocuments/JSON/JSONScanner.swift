/// Reads JSON text into a plan of what is to be packed, in one pass and without recursion.
///
/// Strings stay where they lie in the text unless they hold escapes. Functions take the text
/// as a parameter because a struct cannot hold a span without giving up being an ordinary value.
struct JSONScanner {
    private(set) var plan: PackedPlan
    var index = 0
    private let limits: JSONLimits

    init(expectedBytes: Int, limits: JSONLimits) {
        // Typical documents have a value or name for every 10 bytes or so.
        plan = PackedPlan(expectedNodes: expectedBytes / 10 + 4)
        self.limits = limits
    }

    /// Reads the whole text, which must hold exactly one value.
    mutating func scan(_ text: Span<UInt8>) throws(JSONError) {
        if text.count >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF {
            throw JSONError(
                .byteOrderMark, "The text begins with a byte order mark (EF BB BF); remove it.",
                at: 0, in: text)
        }
        skipSpace(text)
        guard index < text.count else {
            throw JSONError(.emptyText, "The text holds no value.", at: index, in: text)
        }
        repeat {
            skipSpace(text)
            guard index < text.count else { throw ended(text, "a value") }
            if try !scanValue(text) { continue }
            try closeFinished(text)
        } while plan.depth > 0
        skipSpace(text)
        guard index == text.count else {
            throw JSONError(
                .trailingText, "Something follows the value; a text holds one value.", at: index,
                in: text)
        }
    }

    /// Reads a value or the opening of a container; false when a value inside it must follow.
    private mutating func scanValue(_ text: Span<UInt8>) throws(JSONError) -> Bool {
        switch text[index] {
        case UInt8(ascii: "\""):
            let string = try scanString(text)
            plan.string(string.range, isOwn: string.isOwn)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            switch try JSONNumber.scan(text, at: &index) {
            case .integer(let value): plan.integer(value)
            case .double(let value): plan.double(value)
            }
        case UInt8(ascii: "{"):
            try open(text, isObject: true)
            if index < text.count, text[index] == UInt8(ascii: "}") {
                index += 1
                try close(text)
            } else {
                try scanName(text)
                return false
            }
        case UInt8(ascii: "["):
            try open(text, isObject: false)
            if index < text.count, text[index] == UInt8(ascii: "]") {
                index += 1
                try close(text)
            } else {
                return false
            }
        case UInt8(ascii: "t"):
            try scanWord("true", text)
            plan.bool(true)
        case UInt8(ascii: "f"):
            try scanWord("false", text)
            plan.bool(false)
        case UInt8(ascii: "n"):
            try scanWord("null", text)
            plan.null()
        default: throw unexpected(text, "a value")
        }
        return true
    }

    /// Reads what may stand after a value: closing brackets, then a comma if anything is open.
    private mutating func closeFinished(_ text: Span<UInt8>) throws(JSONError) {
        while plan.depth > 0 {
            skipSpace(text)
            let isInObject = plan.isInObject
            guard index < text.count else {
                throw ended(text, isInObject ? "\",\" or \"}\"" : "\",\" or \"]\"")
            }
            switch text[index] {
            case UInt8(ascii: ","):
                index += 1
                skipSpace(text)
                if isInObject { try scanName(text) }
                return
            case UInt8(ascii: "}") where isInObject, UInt8(ascii: "]") where !isInObject:
                index += 1
                try close(text)
            default: throw unexpected(text, isInObject ? "\",\" or \"}\"" : "\",\" or \"]\"")
            }
        }
    }

    private mutating func open(_ text: Span<UInt8>, isObject: Bool) throws(JSONError) {
        guard plan.depth < limits.depthMax else {
            throw JSONError(
                .tooDeep,
                "Arrays and objects are nested deeper than \(limits.depthMax); flatten them.",
                at: index, in: text)
        }
        plan.open(isObject: isObject)
        index += 1
        skipSpace(text)
    }

    private mutating func close(_ text: Span<UInt8>) throws(JSONError) {
        guard let duplicate = plan.close(source: text) else { return }
        throw JSONError(
            .duplicateName,
            "An object has two members of one name (or of canonically equivalent names).",
            at: Int(duplicate.mark), in: text)
    }

    private mutating func scanName(_ text: Span<UInt8>) throws(JSONError) {
        guard index < text.count else { throw ended(text, "a name in quotes") }
        guard text[index] == UInt8(ascii: "\"") else { throw unexpected(text, "a name in quotes") }
        let start = index
        let name = try scanString(text)
        plan.name(
            name.range, isOwn: name.isOwn, isASCII: name.isASCII, mark: start, source: text)
        skipSpace(text)
        guard index < text.count else { throw ended(text, "\":\"") }
        guard text[index] == UInt8(ascii: ":") else { throw unexpected(text, "\":\"") }
        index += 1
    }

    private mutating func scanWord(
        _ word: StaticString, _ text: Span<UInt8>
    ) throws(JSONError) {
        for byte in word.description.utf8 {
            guard index < text.count else { throw ended(text, "\"\(word)\"") }
            guard text[index] == byte else { throw unexpected(text, "\"\(word)\"") }
            index += 1
        }
    }

    @inline(__always)
    private mutating func skipSpace(_ text: Span<UInt8>) {
        while index < text.count, text[index] <= 0x20 {
            switch text[index] {
            case 0x20, 0x0A, 0x0D, 0x09: index += 1
            default: return
            }
        }
    }

    /// Reads a string from its opening quote on.
    mutating func scanString(
        _ text: Span<UInt8>
    ) throws(JSONError) -> (range: Range<Int>, isOwn: Bool, isASCII: Bool) {
        index += 1
        let start = index
        // A local index, so that the loop keeps it in a register.
        var place = start
        var isASCII = true
        while place < text.count {
            let byte = text[place]
            if Self.isPlain(byte) {
                place += 1
                continue
            }
            index = place
            if byte >= 0x80 {
                isASCII = false
                try skipSequence(text)
                place = index
            } else if byte == UInt8(ascii: "\"") {
                index += 1
                return (start..<place, false, isASCII)
            } else if byte == UInt8(ascii: "\\") {
                let range = try scanEscapedString(text, from: start)
                return (range, true, UTF8Sequence.isASCII(plan.own.span, in: range))
            } else {
                throw controlCharacter(text)
            }
        }
        throw ended(text, "the closing quote")
    }

    /// Whether the byte stands in a string for itself and needs no second look.
    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func scanEscapedString(
        _ text: Span<UInt8>, from start: Int
    ) throws(JSONError) -> Range<Int> {
        let ownStart = plan.own.count
        var plain = start
        while index < text.count {
            let byte = text[index]
            if byte >= 0x80 {
                try skipSequence(text)
            } else if byte == UInt8(ascii: "\"") {
                plan.own.append(text, in: plain..<index)
                index += 1
                return ownStart..<plan.own.count
            } else if byte == UInt8(ascii: "\\") {
                plan.own.append(text, in: plain..<index)
                try JSONEscape.scan(text, at: &index, to: &plan.own)
                plain = index
            } else if byte < 0x20 {
                throw controlCharacter(text)
            } else {
                index += 1
            }
        }
        throw ended(text, "the closing quote")
    }

    @inline(__always)
    private mutating func skipSequence(_ text: Span<UInt8>) throws(JSONError) {
        guard let count = UTF8Sequence.length(in: text, at: index, before: text.count) else {
            throw JSONError(.invalidUTF8, "A string is not UTF-8.", at: index, in: text)
        }
        index += count
    }

    private func controlCharacter(_ text: Span<UInt8>) -> JSONError {
        JSONError(
            .controlCharacter,
            "A control character stands in a string; write it as an escape such as \\n or \\u0001.",
            at: index, in: text)
    }

    private func ended(_ text: Span<UInt8>, _ expected: String) -> JSONError {
        JSONError(
            .unexpectedEnd, "The text ends where \(expected) must follow.", at: text.count,
            in: text)
    }

    private func unexpected(_ text: Span<UInt8>, _ expected: String) -> JSONError {
        JSONError(.unexpectedByte, "Here \(expected) must stand.", at: index, in: text)
    }
}
