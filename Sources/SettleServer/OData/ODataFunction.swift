/// The functions of OData version 3 that a filter may call, and `contains` of version 4.
enum ODataFunction: String, Sendable, CaseIterable {
    case startsWith = "startswith"
    case endsWith = "endswith"
    /// `substringof(needle, hay)`: the other order than `contains(hay, needle)`.
    case substringOf = "substringof"
    case contains
    case toLower = "tolower"
    case toUpper = "toupper"
    case trim
    case length
    case indexOf = "indexof"
    case concat
    case replace
    case substring
    case year
    case month
    case day
    case hour
    case minute
    case second
    case floor
    case ceiling
    case round

    /// How many arguments the function takes.
    var argumentCount: ClosedRange<Int> {
        switch self {
        case .startsWith, .endsWith, .substringOf, .contains, .indexOf, .concat: 2...2
        case .replace: 3...3
        case .substring: 2...3
        case .toLower, .toUpper, .trim, .length, .year, .month, .day, .hour, .minute, .second,
            .floor, .ceiling, .round:
            1...1
        }
    }

    /// Whether it answers true or false.
    var isBoolean: Bool {
        switch self {
        case .startsWith, .endsWith, .substringOf, .contains: true
        default: false
        }
    }
}
