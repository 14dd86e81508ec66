/// A condition on items, in the words of OData v3.
///
/// > Source: the literals and functions that the Azure Mobile Apps servers understand.
indirect enum ODataFilter: Sendable, Hashable {
    /// A column that equals a string.
    case equalsText(column: String, String)
    /// A column that is greater than a string.
    case isAfterText(column: String, String)
    /// A column that equals a point in time, written as the server wrote it.
    case equalsTime(column: String, String)
    /// A column that is a point in time or later.
    case isSinceTime(column: String, String)
    /// A column that is later than a point in time.
    case isAfterTime(column: String, String)
    /// A column that is an array with at least one of these strings in it.
    case containsAny(column: String, [String])
    /// Both.
    case and(ODataFilter, ODataFilter)
    /// At least one.
    case or(ODataFilter, ODataFilter)

    /// The condition as text, before it is encoded for a URL.
    var text: String {
        switch self {
        case .equalsText(let column, let value): "\(column) eq \(Self.literal(value))"
        case .isAfterText(let column, let value): "\(column) gt \(Self.literal(value))"
        case .equalsTime(let column, let value): "\(column) eq datetimeoffset'\(value)'"
        case .isSinceTime(let column, let value): "\(column) ge datetimeoffset'\(value)'"
        case .isAfterTime(let column, let value): "\(column) gt datetimeoffset'\(value)'"
        case .containsAny(let column, let values):
            "\(column)/any(c: "
                + values.map { "c eq \(Self.literal($0))" }.joined(separator: " or ") + ")"
        case .and(let left, let right): "(\(left.text) and \(right.text))"
        case .or(let left, let right): "(\(left.text) or \(right.text))"
        }
    }

    /// A string: between single quotes, with those inside doubled.
    static func literal(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
            + "'"
    }
}
