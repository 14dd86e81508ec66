/// Reads filter texts by the grammar of OData, as a server would, into a form with all parentheses.
///
/// Written from the grammar, not from the writer: every operator becomes `(word left right)`, chains
/// of `and` and of `or` one node, strings `<…>`.
struct FilterReader {
    struct Failure: Error {
        var text: String
        var position: Int
    }

    private let scalars: [Unicode.Scalar]
    private var position = 0

    private init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    /// The form of a text.
    static func form(of text: String) throws -> String {
        var reader = FilterReader(text)
        let form = try reader.or()
        reader.skipSpaces()
        guard reader.position == reader.scalars.count else { throw reader.failure }
        return form
    }

    private var failure: Failure {
        Failure(text: String(String.UnicodeScalarView(scalars)), position: position)
    }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func skipSpaces() {
        while next == " " { position += 1 }
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        skipSpaces()
        guard next == scalar else { return false }
        position += 1
        return true
    }

    /// Takes a word that stands by itself.
    private mutating func take(word: String) -> Bool {
        skipSpaces()
        let end = position + word.unicodeScalars.count
        guard end <= scalars.count, scalars[position..<end].elementsEqual(word.unicodeScalars),
            end == scalars.count || !Self.isNamePart(scalars[end])
        else { return false }
        position = end
        return true
    }

    private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x80 || scalar == "_" || scalar == "@" || scalar == "-"
            || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
    }

    private mutating func or() throws -> String { try chain("or") { try $0.and() } }

    private mutating func and() throws -> String { try chain("and") { try $0.comparison() } }

    private mutating func chain(
        _ word: String, _ rule: (inout FilterReader) throws -> String
    ) throws -> String {
        var parts = [try rule(&self)]
        while take(word: word) { parts.append(try rule(&self)) }
        return Self.joined(word, parts)
    }

    /// A chain, with chains of the same word inside laid out flat.
    static func joined(_ word: String, _ parts: [String]) -> String {
        guard parts.count > 1 else { return parts[0] }
        let start = "(\(word) "
        let flat = parts.map {
            $0.hasPrefix(start) ? String($0.dropFirst(start.count).dropLast()) : $0
        }
        return start + flat.joined(separator: " ") + ")"
    }

    private mutating func comparison() throws -> String {
        let left = try additive()
        if take(word: "in") {
            guard take("(") else { throw failure }
            return "(in \(left) \(try list().joined(separator: " ")))"
        }
        for word in ["eq", "ne", "gt", "ge", "lt", "le"] where take(word: word) {
            return "(\(word) \(left) \(try additive()))"
        }
        return left
    }

    private mutating func additive() throws -> String {
        try leftToRight(["add", "sub"]) { try $0.multiplicative() }
    }

    private mutating func multiplicative() throws -> String {
        try leftToRight(["mul", "div", "mod"]) { try $0.unary() }
    }

    private mutating func leftToRight(
        _ words: [String], _ rule: (inout FilterReader) throws -> String
    ) throws -> String {
        var left = try rule(&self)
        while let word = words.first(where: { take(word: $0) }) {
            left = "(\(word) \(left) \(try rule(&self)))"
        }
        return left
    }

    private mutating func unary() throws -> String {
        if take(word: "not") { return "(not \(try unary()))" }
        return try primary()
    }

    /// What stands up to the closing parenthesis, between commas.
    private mutating func list() throws -> [String] {
        if take(")") { return [] }
        var parts = [try or()]
        while take(",") { parts.append(try or()) }
        guard take(")") else { throw failure }
        return parts
    }

    private mutating func primary() throws -> String {
        if take("(") {
            let inner = try or()
            guard take(")") else { throw failure }
            return inner
        }
        guard let first = next else { throw failure }
        if first == "'" { return "<\(try quoted())>" }
        if first == "-" || ("0"..."9").contains(first) { return number() }
        guard Self.isNamePart(first) else { throw failure }
        let name = name()
        if next == "'" { return "\(name)<\(try quoted())>" }
        if name == "cast", next == "(" { return try cast() }
        if next == "(" {
            position += 1
            let arguments = try list()
            return arguments.isEmpty && name.hasSuffix("/any")
                ? "(\(name))" : "(\(([name] + arguments).joined(separator: " ")))"
        }
        return name
    }

    /// A number as it stands there.
    private mutating func number() -> String {
        let start = position
        position += 1
        while let scalar = next,
            "0123456789.eLfM".unicodeScalars.contains(scalar)
                || scalar == "-" && scalars[position - 1] == "e"
        {
            position += 1
        }
        return String(String.UnicodeScalarView(scalars[start..<position]))
    }

    /// A name, with those below it; a lambda's variable and colon are left away.
    private mutating func name() -> String {
        let start = position
        while let scalar = next, Self.isNamePart(scalar) || scalar == "/" { position += 1 }
        let end = position
        if take(":") { return "" }
        position = end
        return String(String.UnicodeScalarView(scalars[start..<end]))
    }

    private mutating func quoted() throws -> String {
        var text = String.UnicodeScalarView()
        position += 1
        while let scalar = next {
            position += 1
            if scalar == "'" {
                guard next == "'" else { return String(text) }
                position += 1
            }
            text.append(scalar)
        }
        throw failure
    }

    private mutating func cast() throws -> String {
        let start = position
        while let scalar = next, scalar != ")" {
            // What stands in a cast is not quoted: only what times and identifiers are made of.
            guard Self.isNamePart(scalar) || "(,:.+".unicodeScalars.contains(scalar) else {
                throw failure
            }
            position += 1
        }
        guard take(")") else { throw failure }
        return "cast" + String(String.UnicodeScalarView(scalars[start..<position]))
    }
}
