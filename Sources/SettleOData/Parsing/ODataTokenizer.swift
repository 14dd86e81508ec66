/// Cuts a filter text into words.
///
/// Names are letters, digits, `_`, `@`, `-` and everything outside ASCII, not beginning with a
/// digit or `-`: subtraction is the word `sub` in OData, so a name may hold a hyphen. `$` begins the
/// words of OData that stand where names do, such as `$count`.
struct ODataTokenizer {
    let scalars: [Unicode.Scalar]
    var index = 0

    /// A tokenizer of a decoded text.
    init(text: String) {
        scalars = Array(text.unicodeScalars)
    }

    /// All words of the text, the end marker last.
    ///
    /// - Throws: ``ODataError`` at a character that begins no word, a string without its closing
    ///   quote, or a number that does not fit.
    mutating func tokens() throws(ODataError) -> [ODataToken] {
        var tokens: [ODataToken] = []
        while true {
            while index < scalars.count, Self.isSpace(scalars[index]) { index += 1 }
            let position = index + 1
            guard index < scalars.count else {
                tokens.append(ODataToken(kind: .end, position: position))
                return tokens
            }
            tokens.append(ODataToken(kind: try kind(), position: position))
        }
    }

    private mutating func kind() throws(ODataError) -> ODataToken.Kind {
        let scalar = scalars[index]
        if scalar == "'" { return .string(try quoted()) }
        if Self.isDigit(scalar) {
            if let literal = try bareLiteral() { return literal }
            return try number()
        }
        if Self.isNameStart(scalar) {
            let name = name()
            if index < scalars.count, scalars[index] == "'" {
                return .typed(prefix: name.lowercased(), text: try quoted())
            }
            return .name(name)
        }
        guard "(),/:-*.".unicodeScalars.contains(scalar) else {
            throw ODataError(
                message: "The character '\(scalar)' begins no word of a filter.",
                position: index + 1)
        }
        index += 1
        return .mark(Character(scalar))
    }

    private mutating func name() -> String {
        var name = String.UnicodeScalarView()
        while index < scalars.count, Self.isName(scalars[index]) {
            name.append(scalars[index])
            index += 1
        }
        return String(name)
    }

    private mutating func quoted() throws(ODataError) -> String {
        let start = index + 1
        index += 1
        var text = String.UnicodeScalarView()
        while index < scalars.count {
            let scalar = scalars[index]
            index += 1
            guard scalar == "'" else {
                text.append(scalar)
                continue
            }
            guard index < scalars.count, scalars[index] == "'" else { return String(text) }
            text.append("'")
            index += 1
        }
        throw ODataError(
            message: "A string has no closing quote; a quote inside a string is written twice.",
            position: start)
    }

    private mutating func digits() -> String {
        var digits = ""
        while index < scalars.count, Self.isDigit(scalars[index]) {
            digits.unicodeScalars.append(scalars[index])
            index += 1
        }
        return digits
    }

    private mutating func number() throws(ODataError) -> ODataToken.Kind {
        let start = index + 1
        let whole = digits()
        var text = whole
        if index + 1 < scalars.count, scalars[index] == ".", Self.isDigit(scalars[index + 1]) {
            index += 1
            text += "." + digits()
        }
        text += exponent()
        var isDouble = text != whole
        if index < scalars.count {
            switch scalars[index] {
            case "L", "l":
                guard !isDouble else {
                    throw ODataError(
                        message: "The suffix L stands after a whole number only.",
                        position: index + 1)
                }
                index += 1
            case "d", "D", "f", "F", "m", "M":
                isDouble = true
                index += 1
            default: break
            }
        }
        if index < scalars.count, Self.isNameStart(scalars[index]) {
            throw ODataError(
                message: "A number ends with L, d, f or m, not with '\(scalars[index])'.",
                position: index + 1)
        }
        if isDouble {
            guard let value = Double(text), value.isFinite else {
                throw ODataError(message: "The number does not fit a double.", position: start)
            }
            return .double(value)
        }
        guard let value = UInt64(whole) else {
            throw ODataError(message: "The number does not fit 64 bits.", position: start)
        }
        return .integer(value)
    }

    private mutating func exponent() -> String {
        guard index < scalars.count, scalars[index] == "e" || scalars[index] == "E" else {
            return ""
        }
        var ahead = index + 1
        var text = "e"
        if ahead < scalars.count, scalars[ahead] == "+" || scalars[ahead] == "-" {
            text.unicodeScalars.append(scalars[ahead])
            ahead += 1
        }
        guard ahead < scalars.count, Self.isDigit(scalars[ahead]) else { return "" }
        index = ahead
        return text + digits()
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
    }

    static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        ("0"..."9").contains(scalar)
    }

    static func isName(_ scalar: Unicode.Scalar) -> Bool {
        isNameStart(scalar) || isDigit(scalar) || scalar == "-"
    }

    private static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_"
            || scalar == "@" || scalar == "$" || scalar.value >= 0x80
    }
}
