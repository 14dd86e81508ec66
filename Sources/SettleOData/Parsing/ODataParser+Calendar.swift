// A date and a time of day are no values of JSON: documents hold strings of several forms, and
// moments, which have both. So where one side of a comparison is one, the other side is read as one
// too: `due ge 2026-11-21` means `date(due) ge date('2026-11-21')`.
extension ODataParser {
    /// A comparison, of days or times of day when one side is one.
    static func comparison(
        _ comparison: ODataExpression.Comparison, _ left: ODataExpression, _ right: ODataExpression
    ) -> ODataExpression {
        switch (left.calendarPart, right.calendarPart) {
        case (let part?, nil): .comparison(comparison, left, .call(part, [right]))
        case (nil, let part?): .comparison(comparison, .call(part, [left]), right)
        default: .comparison(comparison, left, right)
        }
    }

    /// A membership, of days or times of day when the value or the list is one; nil when only some
    /// of the list are.
    static func membership(
        _ value: ODataExpression, _ list: [ODataExpression]
    ) -> ODataExpression? {
        if let part = value.calendarPart {
            return .membership(
                value, list.map { $0.calendarPart == nil ? .call(part, [$0]) : $0 })
        }
        let parts = Set(list.map(\.calendarPart))
        guard parts.count == 1 else { return nil }
        return .membership(list[0].calendarPart.map { .call($0, [value]) } ?? value, list)
    }
}

extension ODataExpression {
    /// The function that makes a day or a time of day, when this is the call of one.
    fileprivate var calendarPart: ODataFunction? {
        switch self {
        case .call(.date, _): .date
        case .call(.time, _): .time
        default: nil
        }
    }
}
