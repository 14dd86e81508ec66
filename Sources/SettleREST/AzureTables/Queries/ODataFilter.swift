import SettleOData

/// The conditions that a back-end itself sends.
enum ODataFilter {
    /// The most levels that stand around a condition which an app built, and was told that it can be sent.
    static let levelsMax = 4

    /// A column that is in some relation to a string.
    static func text(
        column: String, _ comparison: ODataNode.Comparison, _ value: String
    ) -> ODataNode {
        .comparison(comparison, .path([column]), .literal(.string(value)))
    }

    /// A column that is in some relation to a point in time, written as the server wrote it.
    static func time(
        column: String, _ comparison: ODataNode.Comparison, _ value: RowTime
    ) -> ODataNode {
        .comparison(comparison, .path([column]), .spelled(.received(value.text)))
    }

    /// A column that is an array with at least one of these strings in it.
    static func containsAny(column: String, _ values: [String]) -> ODataNode {
        let element = "c"
        return .any(
            .path([column]), variable: element,
            condition: .disjunction(
                values.map {
                    .comparison(.equal, .variable(element, []), .literal(.string($0)))
                }))
    }
}
