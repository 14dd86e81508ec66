/// Divides the text of a query into tokens.
struct QueryLexer {
    private let text: [Character]
    private var index = 0

    /// The tokens of a text, with one for the end.
    ///
    /// - Throws: ``ServiceFailure`` with 400 at what is no token.
    static func tokens(of text: [Character]) throws(ServiceFailure) -> [QueryToken] {
        var lexer = QueryLexer(text)
        var tokens: [QueryToken] = []
        repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
        return tokens
    }

    private init(_ text: [Character]) { self.text = text }

    private mutating func next() throws(ServiceFailure) -> QueryToken {
        skipBlanks()
        let start = index
        guard let first = peek() else { return QueryToken(kind: .end, range: start..<start) }
        let kind: QueryToken.Kind
        if first == "\"" || first == "'" {
            kind = .string(try string(until: first))
        } else if first.isNumber || (first == "." && peek(1)?.isNumber == true) {
            kind = try number()
        } else if first == "@" {
            index += 1
            kind = .parameter("@" + word())
        } else if Self.isPartOfWord(first) {
            kind = .word(word())
        } else {
            kind = .symbol(try symbol())
        }
        return QueryToken(kind: kind, range: start..<index)
    }

    private func peek(_ offset: Int = 0) -> Character? {
        index + offset < text.count ? text[index + offset] : nil
    }

    private mutating func skipBlanks() {
        while let character = peek() {
            if character == "-", peek(1) == "-" {
                while let character = peek(), !character.isNewline { index += 1 }
            } else if character.isWhitespace {
                index += 1
            } else {
                return
            }
        }
    }

    private static func isPartOfWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "$"
    }

    private mutating func word() -> String {
        let start = index
        while let character = peek(), Self.isPartOfWord(character) { index += 1 }
        return String(text[start..<index])
    }

    private mutating func number() throws(ServiceFailure) -> QueryToken.Kind {
        let start = index
        while let character = peek() {
            let isSign = character == "-" || character == "+"
            let isAfterExponent =
                index > start && (text[index - 1] == "e" || text[index - 1] == "E")
            guard
                character.isNumber || character == "." || character == "e" || character == "E"
                    || (isSign && isAfterExponent)
            else { break }
            index += 1
        }
        let digits = String(text[start..<index])
        if let value = Int64(digits) { return .integer(value) }
        guard let value = Double(digits) else { throw Self.failure("the number '\(digits)'") }
        return .double(value)
    }

    private mutating func string(until quote: Character) throws(ServiceFailure) -> String {
        var result = ""
        index += 1
        while let character = peek() {
            index += 1
            if character == quote { return result }
            if character == "\\" {
                result.append(contentsOf: try escape())
            } else {
                result.append(character)
            }
        }
        throw Self.failure("a string without an end")
    }

    private mutating func escape() throws(ServiceFailure) -> String {
        guard let character = peek() else { throw Self.failure("a string without an end") }
        index += 1
        switch character {
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u":
            var unit = try hexUnit()
            // A high surrogate needs the low one in the next escape.
            if (0xD800..<0xDC00).contains(unit), peek() == "\\", peek(1) == "u" {
                index += 2
                unit = 0x10000 + (unit - 0xD800) << 10 + (try hexUnit() - 0xDC00)
            }
            guard let scalar = UnicodeScalar(unit) else { throw Self.failure("an escape") }
            return String(Character(scalar))
        case "\"", "'", "\\", "/": return String(character)
        default: throw Self.failure("the escape '\\\(character)'")
        }
    }

    private mutating func hexUnit() throws(ServiceFailure) -> UInt32 {
        guard index + 4 <= text.count, let unit = UInt32(String(text[index..<index + 4]), radix: 16)
        else { throw Self.failure("an escape") }
        index += 4
        return unit
    }

    private static let symbols = [
        ">>>", "<=", ">=", "!=", "<>", "||", "??", "<<", ">>", "(", ")", "[", "]", "{", "}", ",",
        ".", ":", "?", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "~",
    ]

    private mutating func symbol() throws(ServiceFailure) -> String {
        for symbol in Self.symbols where text[index...].starts(with: symbol) {
            index += symbol.count
            return symbol
        }
        throw Self.failure("'\(text[index])'")
    }

    private static func failure(_ what: String) -> ServiceFailure {
        .badRequest("The query has a syntax error at \(what).")
    }
}
