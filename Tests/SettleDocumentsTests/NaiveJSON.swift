import SettleDocuments

/// The plainest reader of JSON one can write: it looks at an array of scalars, knows nothing of
/// speed or places, and gives nil for whatever is not allowed.
struct NaiveJSON {
    private var rest: [Unicode.Scalar]

    static func value(_ bytes: [UInt8]) -> JSONValue? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var reader = NaiveJSON(rest: text.unicodeScalars.reversed())
        guard let value = reader.value() else { return nil }
        reader.space()
        return reader.rest.isEmpty ? value : nil
    }

    private mutating func space() {
        while let next = rest.last, " \n\r\t".unicodeScalars.contains(next) { rest.removeLast() }
    }

    private mutating func take(_ word: String) -> Bool {
        guard rest.suffix(word.unicodeScalars.count).elementsEqual(word.unicodeScalars.reversed())
        else { return false }
        rest.removeLast(word.unicodeScalars.count)
        return true
    }

    private mutating func value() -> JSONValue? {
        space()
        if take("null") { return .null }
        if take("true") { return .bool(true) }
        if take("false") { return .bool(false) }
        if take("[") { return array() }
        if take("{") { return object() }
        if rest.last == "\"" { return string().map { .string($0) } }
        return number()
    }

    private mutating func array() -> JSONValue? {
        var elements: [JSONValue] = []
        space()
        if take("]") { return .array([]) }
        while let element = value() {
            elements.append(element)
            space()
            if take("]") { return .array(elements) }
            guard take(",") else { return nil }
        }
        return nil
    }

    private mutating func object() -> JSONValue? {
        var members: [String: JSONValue] = [:]
        space()
        if take("}") { return .object([:]) }
        while true {
            space()
            guard let name = string(), members[name] == nil else { return nil }
            space()
            guard take(":"), let member = value() else { return nil }
            members[name] = member
            space()
            if take("}") { return .object(members) }
            guard take(",") else { return nil }
        }
    }

    private mutating func string() -> String? {
        guard take("\"") else { return nil }
        var units: [UInt16] = []
        while let next = rest.popLast() {
            if next == "\"" { return String(validating: units, as: UTF16.self) }
            guard next.value >= 0x20 else { return nil }
            guard next == "\\" else {
                units.append(contentsOf: String(next).utf16)
                continue
            }
            guard let letter = rest.popLast() else { return nil }
            let simple: [Unicode.Scalar: UInt16] = [
                "\"": 0x22, "\\": 0x5C, "/": 0x2F, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9,
            ]
            if let unit = simple[letter] {
                units.append(unit)
            } else {
                var digits = ""
                for _ in 0..<4 { digits.unicodeScalars.append(rest.popLast() ?? "?") }
                guard letter == "u", digits.allSatisfy(\.isHexDigit), digits.utf8.count == 4,
                    let unit = UInt16(digits, radix: 16)
                else { return nil }
                units.append(unit)
            }
        }
        return nil
    }

    private mutating func number() -> JSONValue? {
        var text = ""
        while let next = rest.last, "+-.eE0123456789".unicodeScalars.contains(next) {
            text.unicodeScalars.append(next)
            rest.removeLast()
        }
        let isWhole = /-?(0|[1-9][0-9]*)/
        let isNumber = /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/
        if text == "-0" { return .double(-0.0) }
        if text.wholeMatch(of: isWhole) != nil { return Int64(text).map { .integer($0) } }
        guard text.wholeMatch(of: isNumber) != nil, let value = Double(text), value.isFinite else {
            return nil
        }
        let mantissa = text.prefix { $0 != "e" && $0 != "E" }
        if value == 0, mantissa.contains(where: { "123456789".contains($0) }) { return nil }
        return .double(value)
    }
}
