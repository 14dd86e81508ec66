import Settle

/// What a model table understands of `$filter`.
///
/// Enough for a pull and a look-up: comparisons, `and`, `or`, `not`, `any` over an array, texts and
/// times in the words of OData 3 and 4.
struct TableFilter {
    struct NotUnderstood: Error, CustomStringConvertible {
        let description: String
    }

    indirect enum Condition {
        case all([Condition])
        case any([Condition])
        case not(Condition)
        case compares(Operand, String, Operand)
        /// An array column with an element for which the condition holds.
        case hasElement(column: String, variable: String, Condition)
    }

    enum Operand {
        case name(String)
        case text(String)
        case time(TableTime)
        case other(JSONValue)
    }

    private enum Token: Equatable {
        case word(String)
        case text(String)
        case sign(Character)
    }

    private var tokens: [Token] = []
    private var next = 0

    /// Reads a filter.
    ///
    /// - Throws: ``NotUnderstood``.
    static func condition(_ text: String) throws -> Condition {
        var reader = TableFilter()
        try reader.tokenize(text)
        let condition = try reader.alternatives()
        guard reader.next == reader.tokens.count else {
            throw NotUnderstood(description: "There is more than a condition in: \(text)")
        }
        return condition
    }

    private mutating func tokenize(_ text: String) throws {
        var rest = Substring(text)
        while let first = rest.first {
            if first == " " {
                rest.removeFirst()
            } else if "(),:".contains(first) {
                tokens.append(.sign(first))
                rest.removeFirst()
            } else if first == "'" {
                rest.removeFirst()
                var value = ""
                while true {
                    guard let character = rest.popFirst() else {
                        throw NotUnderstood(description: "A text does not end in: \(text)")
                    }
                    if character == "'" {
                        guard rest.first == "'" else { break }
                        rest.removeFirst()
                    }
                    value.append(character)
                }
                tokens.append(.text(value))
            } else if tokens.suffix(2) == [.word("cast"), .sign("(")] {
                // A time in a cast has colons and stands without quotes.
                let word = rest.prefix { $0 != "," }
                tokens.append(.word(String(word)))
                rest = rest.dropFirst(word.count)
            } else {
                let word = rest.prefix { !" (),:'".contains($0) }
                tokens.append(.word(String(word)))
                rest = rest.dropFirst(word.count)
            }
        }
    }

    private mutating func take(_ token: Token) -> Bool {
        guard next < tokens.count, tokens[next] == token else { return false }
        next += 1
        return true
    }

    private mutating func expect(_ token: Token) throws {
        guard take(token) else {
            throw NotUnderstood(description: "\(token) is missing at \(next) in \(tokens)")
        }
    }

    private mutating func word() throws -> String {
        guard next < tokens.count, case .word(let word) = tokens[next] else {
            throw NotUnderstood(description: "A word is missing at \(next) in \(tokens)")
        }
        next += 1
        return word
    }

    private mutating func alternatives() throws -> Condition {
        var parts = [try conjunction()]
        while take(.word("or")) { parts.append(try conjunction()) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func conjunction() throws -> Condition {
        var parts = [try term()]
        while take(.word("and")) { parts.append(try term()) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func term() throws -> Condition {
        if take(.word("not")) { return .not(try term()) }
        if take(.sign("(")) {
            let inner = try alternatives()
            try expect(.sign(")"))
            return inner
        }
        let left = try operand()
        if case .name(let name) = left, name.hasSuffix("/any"), take(.sign("(")) {
            let variable = try word()
            try expect(.sign(":"))
            let inner = try alternatives()
            try expect(.sign(")"))
            return .hasElement(
                column: String(name.dropLast("/any".count)), variable: variable, inner)
        }
        let comparison = try word()
        guard ["eq", "ne", "gt", "ge", "lt", "le"].contains(comparison) else {
            throw NotUnderstood(description: "'\(comparison)' compares nothing.")
        }
        return .compares(left, comparison, try operand())
    }

    private mutating func operand() throws -> Operand {
        if next < tokens.count, case .text(let text) = tokens[next] {
            next += 1
            return .text(text)
        }
        let word = try word()
        switch word {
        case "datetime", "datetimeoffset":
            guard next < tokens.count, case .text(let text) = tokens[next],
                let time = TableTime(text)
            else { throw NotUnderstood(description: "A time is missing at \(next) in \(tokens)") }
            next += 1
            return .time(time)
        case "cast":
            try expect(.sign("("))
            guard let time = TableTime(try self.word()) else {
                throw NotUnderstood(description: "A time is missing at \(next) in \(tokens)")
            }
            try expect(.sign(","))
            try expect(.word("Edm.DateTimeOffset"))
            try expect(.sign(")"))
            return .time(time)
        case "true", "false": return .other(.bool(word == "true"))
        case "null": return .other(.null)
        default:
            if let number = Int64(word) { return .other(.integer(number)) }
            return .name(word)
        }
    }
}
