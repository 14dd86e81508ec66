// What the parser and the builders of clients make nodes with, so that one filter is one tree however
// it came about.
//
// A date and a time of day are no values of JSON: documents hold strings of several forms, and
// moments, which have both. So where one side of a comparison is one, the other side is read as one
// too: `due ge 2026-11-21` means `date(due) ge date('2026-11-21')`.
extension ODataNode {
    /// All of some conditions; chains among them stand flat, and one alone is itself.
    package static func conjunction(_ operands: [ODataNode]) -> ODataNode {
        var flat: [ODataNode] = []
        flat.reserveCapacity(operands.count)
        for operand in operands {
            if case .and(let inner) = operand { flat += inner } else { flat.append(operand) }
        }
        return flat.count == 1 ? flat[0] : .and(flat)
    }

    /// At least one of some conditions; chains among them stand flat, and one alone is itself.
    package static func disjunction(_ operands: [ODataNode]) -> ODataNode {
        var flat: [ODataNode] = []
        flat.reserveCapacity(operands.count)
        for operand in operands {
            if case .or(let inner) = operand { flat += inner } else { flat.append(operand) }
        }
        return flat.count == 1 ? flat[0] : .or(flat)
    }

    /// A comparison, of days or times of day when one side is one.
    package static func comparing(
        _ comparison: Comparison, _ left: ODataNode, _ right: ODataNode
    ) -> ODataNode {
        switch (left.calendarPart, right.calendarPart) {
        case (let part?, nil): .comparison(comparison, left, .calling(part, [right]))
        case (nil, let part?): .comparison(comparison, .calling(part, [left]), right)
        default: .comparison(comparison, left, right)
        }
    }

    /// Whether a value is in a list, of days or times of day when the value or the list is one; nil
    /// when only some of the list are.
    package static func searching(_ list: [ODataNode], for value: ODataNode) -> ODataNode? {
        if let part = value.calendarPart {
            return .membership(
                value, list.map { $0.calendarPart == nil ? .calling(part, [$0]) : $0 })
        }
        guard let first = list.first else { return .membership(value, []) }
        let part = first.calendarPart
        guard list.allSatisfy({ $0.calendarPart == part }) else { return nil }
        return .membership(part.map { .calling($0, [value]) } ?? value, list)
    }

    /// A day of the calendar, as the parser reads its literal.
    ///
    /// - Parameter text: `YYYY-MM-DD`.
    /// - Returns: The literal.
    package static func day(_ text: String) -> ODataNode { .call(.date, [.literal(.string(text))]) }

    /// A time of day, as the parser reads its literal.
    ///
    /// - Parameter text: `hh:mm[:ss[.f]]` with up to seven digits of `f`.
    /// - Returns: The literal.
    package static func timeOfDay(_ text: String) -> ODataNode {
        .calling(.time, [.literal(.string(text))])
    }

    /// The call of a function; the text of a time of day in the one form that all forms share.
    static func calling(_ function: ODataFunction, _ arguments: [ODataNode]) -> ODataNode {
        guard function == .time, case .literal(.string(let text))? = arguments.first,
            let time = TimeOfDay(text: text)
        else { return .call(function, arguments) }
        return .call(function, [.literal(.string(time.text))])
    }
}
