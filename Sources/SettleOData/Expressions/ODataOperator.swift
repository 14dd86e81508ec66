/// How tightly a part of a text holds together, from loose to tight.
enum ODataRank: Int, Sendable, Comparable {
    case or
    case and
    /// `eq ne gt ge lt le in`.
    case comparison
    /// `add sub`.
    case sum
    /// `mul div mod`.
    case product
    /// `not` and the minus before an operand.
    case sign
    /// A literal, a path, a call, a lambda, or something in parentheses.
    case operand

    static func < (left: ODataRank, right: ODataRank) -> Bool { left.rawValue < right.rawValue }

    /// The next one, which the right side of an operator from left to right needs.
    var tighter: ODataRank { ODataRank(rawValue: rawValue + 1) ?? .operand }
}

/// The operators between two operands: the table that the parser and the writer both read.
///
/// > Source: OData version 3.0, "URI Conventions", 10.2.3.6; OData version 4.01, Part 2, 5.1.1.
enum ODataOperator: Sendable, Hashable {
    case or
    case and
    case comparison(ODataNode.Comparison)
    /// `value in (a, b)`, in version 4 alone.
    case membership
    case arithmetic(ODataNode.Arithmetic)

    /// All of them.
    static let all: [ODataOperator] =
        [.or, .and, .membership] + ODataNode.Comparison.allCases.map { .comparison($0) }
        + ODataNode.Arithmetic.allCases.map { .arithmetic($0) }

    private static let byWord = Dictionary(uniqueKeysWithValues: all.map { ($0.word, $0) })

    /// The operator of a word in lower case; nil when there is none.
    init?(word: String) {
        guard let known = Self.byWord[word] else { return nil }
        self = known
    }

    /// How it is written.
    var word: String {
        switch self {
        case .or: "or"
        case .and: "and"
        case .comparison(let comparison): comparison.rawValue
        case .membership: "in"
        case .arithmetic(let operation): operation.rawValue
        }
    }

    /// How tightly it binds.
    var rank: ODataRank {
        switch self {
        case .or: .or
        case .and: .and
        case .comparison, .membership: .comparison
        case .arithmetic(.add), .arithmetic(.subtract): .sum
        case .arithmetic(.multiply), .arithmetic(.divide), .arithmetic(.remainder): .product
        }
    }
}

/// The other words of the language.
enum ODataWord {
    static let not = "not"
    static let any = "any"
    static let all = "all"
    static let cast = "cast"
    static let count = "$count"
    static let ascending = "asc"
    static let descending = "desc"

    /// The value of a word that is a literal; nil for any other.
    static func constant(_ word: String) -> ODataValue? {
        switch word {
        case "true": .bool(true)
        case "false": .bool(false)
        case "null": .null
        default: nil
        }
    }

    /// Whether a word behind `not` makes that one a member's name: it goes on as an operator does.
    static func followsOperand(_ word: String) -> Bool {
        ODataOperator(word: word) != nil || word == ascending || word == descending
    }
}
