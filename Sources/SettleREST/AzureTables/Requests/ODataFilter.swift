/// The conditions that a back-end itself sends.
indirect enum ODataFilter: Sendable, Hashable {
    /// A column that stands in some way to a string.
    case text(column: String, Comparison, String)
    /// A column that stands in some way to a point in time, written as the server wrote it.
    case time(column: String, Comparison, RowTime)
    /// A column that is an array with at least one of these strings in it.
    case containsAny(column: String, [String])
    /// A condition that is text already.
    case written(String)
    /// All of them; of one, the condition in parentheses.
    case all([ODataFilter])
    /// At least one.
    case or(ODataFilter, ODataFilter)

    /// How the left side stands to the right one.
    enum Comparison: String, Sendable, Hashable {
        /// They are the same.
        case equal = "eq"
        /// It is greater.
        case after = "gt"
        /// It is greater or the same.
        case from = "ge"
        /// It is less.
        case before = "lt"
    }

    /// The condition as text, before it is encoded for a URL.
    func text(for version: ODataVersion) -> String {
        switch self {
        case .text(let column, let comparison, let value):
            "\(column) \(comparison.rawValue) \(Self.literal(value))"
        case .time(let column, let comparison, let time):
            "\(column) \(comparison.rawValue) \(Self.literal(time, version))"
        case .containsAny(let column, let values):
            "\(column)/any(c: "
                + values.map { "c eq \(Self.literal($0))" }.joined(separator: " or ") + ")"
        case .written(let text): "(\(text))"
        case .all(let parts):
            "(" + parts.map { $0.text(for: version) }.joined(separator: " and ") + ")"
        case .or(let left, let right):
            "(\(left.text(for: version)) or \(right.text(for: version)))"
        }
    }

    /// A string: between single quotes, with those inside doubled.
    static func literal(_ text: String) -> String { ODataLiteral.quoted(text) }

    private static func literal(_ time: RowTime, _ version: ODataVersion) -> String {
        switch version {
        case .v3: "datetimeoffset'\(time.text)'"
        case .v4: "cast(\(time.text),Edm.DateTimeOffset)"
        }
    }

    /// All of some conditions; nil when there are none.
    static func conjunction(_ conditions: [ODataFilter]) -> ODataFilter? {
        conditions.count > 1 ? .all(conditions) : conditions.first
    }
}
