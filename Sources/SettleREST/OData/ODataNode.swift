import Foundation

/// The tree of a condition or an expression, before it is written.
indirect enum ODataNode: Sendable, Hashable {
    enum Comparison: String, Sendable, CaseIterable {
        case eq, ne, gt, ge, lt, le
    }

    enum Arithmetic: String, Sendable, CaseIterable {
        case add, sub, mul, div, mod
    }

    enum Function: String, Sendable, CaseIterable {
        case contains, startswith, endswith
        case tolower, toupper, trim, length, indexof, concat, replace, substring
        case year, month, day, hour, minute, second
        case floor, ceiling, round
    }

    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case float(Float)
    case decimal(Decimal)
    case text(String)
    case time(Date)
    case dateTime(Date)
    case timestamp(String)
    case day(year: Int, month: Int, day: Int)
    case timeOfDay(hour: Int, minute: Int, second: Int, millisecond: Int)
    case guid(UUID)

    /// A column, or a member below it.
    case path(String)
    /// The element of the `any` of this level, and the path of a member of it.
    case element(level: Int, path: String?)
    case arithmetic(Arithmetic, ODataNode, ODataNode)
    case call(Function, [ODataNode])

    case comparison(Comparison, ODataNode, ODataNode)
    case membership(ODataNode, [ODataNode])
    /// At least one element of a list; without a condition the list has elements at all.
    case any(ODataNode, level: Int, ODataNode?)
    /// A condition in the server's own words.
    case verbatim(String)
    case not(ODataNode)
    case and([ODataNode])
    case or([ODataNode])

    /// What stands directly below.
    var children: [ODataNode] {
        switch self {
        case .null, .bool, .integer, .double, .float, .decimal, .text, .time, .dateTime,
            .timestamp, .day, .timeOfDay, .guid, .path, .element, .verbatim:
            []
        case .arithmetic(_, let left, let right), .comparison(_, let left, let right):
            [left, right]
        case .call(_, let nodes), .and(let nodes), .or(let nodes): nodes
        case .membership(let value, let list): [value] + list
        case .any(let list, _, let condition): [list] + (condition.map { [$0] } ?? [])
        case .not(let node): [node]
        }
    }
}
