/// One word of a filter text.
struct ODataToken: Sendable, Equatable {
    /// What the word is.
    enum Kind: Sendable, Equatable {
        /// A member's, function's or operator's name; which one is the parser's business.
        case name(String)
        /// A quoted string, with doubled quotes made single.
        case string(String)
        /// `datetime'...'` and its like: the prefix in lower case, and the quoted text; also a
        /// literal of version 4 without prefix and quotes, under the prefix it might have.
        case typed(prefix: String, text: String)
        /// A whole number without its sign.
        case integer(UInt64)
        /// A number with a fraction, an exponent or a suffix.
        case double(Double)
        /// One of `( ) , / : - * .`.
        case mark(Character)
        /// After the last word.
        case end
    }

    var kind: Kind
    /// Where the word begins, counted in characters from 1.
    var position: Int
}

extension ODataToken.Kind {
    /// How the word is named in an error.
    var described: String {
        switch self {
        case .name(let name): "'\(name)'"
        case .string: "a string"
        case .typed(let prefix, _): "a \(prefix) literal"
        case .integer, .double: "a number"
        case .mark(let mark): "'\(mark)'"
        case .end: "the end"
        }
    }
}
