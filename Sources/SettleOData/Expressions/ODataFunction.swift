/// The functions that a filter may call; ``ODataFunctionName`` has what they are called.
package enum ODataFunction: Sendable, Hashable, CaseIterable {
    case startsWith
    case endsWith
    /// `contains(hay, needle)`, in version 3 `substringof(needle, hay)`; the hay comes first here.
    case contains
    case toLower
    case toUpper
    case trim
    case length
    case indexOf
    case concat
    case replace
    case substring
    case year
    case month
    case day
    case hour
    case minute
    case second
    case fractionalSeconds
    /// The day of a moment, as a string.
    case date
    /// The time of day of a moment, as a string.
    case time
    case floor
    case ceiling
    /// Version 3's `round`.
    case roundAwayFromZero
    /// Version 4's `round`.
    case roundToEven

    /// How many arguments the function takes.
    var argumentCount: ClosedRange<Int> {
        switch self {
        case .startsWith, .endsWith, .contains, .indexOf, .concat: 2...2
        case .replace: 3...3
        case .substring: 2...3
        case .toLower, .toUpper, .trim, .length, .year, .month, .day, .hour, .minute, .second,
            .fractionalSeconds, .date, .time, .floor, .ceiling, .roundAwayFromZero, .roundToEven:
            1...1
        }
    }

    /// Whether it answers true or false.
    var isBoolean: Bool {
        switch self {
        case .startsWith, .endsWith, .contains: true
        default: false
        }
    }

    /// Why a function of OData that people ask for is not here; nil for any other name.
    static func reasonForAbsence(of name: String) -> String? {
        switch name.lowercased() {
        case "now":
            "it would have another value on each page of one list; write the time itself"
        case "matchespattern":
            "a pattern of a request could keep the server busy without end; use startswith, "
                + "endswith or contains"
        case "isof": "members have no declared type; compare with a value of the kind"
        case "totaloffsetminutes": "all times are taken in UTC"
        case "totalseconds": "there are no durations in JSON"
        case "mindatetime", "maxdatetime": "write the time itself"
        case let name where name.hasPrefix("geo."): "places have no distance here"
        default: nil
        }
    }
}
