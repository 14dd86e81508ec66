import SettleOData

/// A value that the server computes for each row: a column, or something made of columns.
///
/// Compared to another it becomes an ``ODataPredicate``; so do ``startsWith(_:)`` and its like. The
/// functions have the names and the meanings that OData gives them. Positions in strings count from
/// 0, in the units that the server's strings have.
public struct ODataExpression: Sendable {
    let node: ODataNode

    init(_ node: ODataNode) {
        self.node = node
    }

    private func call(
        _ function: ODataFunction, _ arguments: [ODataExpression] = []
    ) -> ODataExpression {
        ODataExpression(.call(function, [node] + arguments.map(\.node)))
    }

    private func condition(
        _ function: ODataFunction, _ argument: some ODataOperand
    ) -> ODataPredicate {
        ODataPredicate(.call(function, [node, argument.odata.node]))
    }
}

// MARK: Lists

extension ODataExpression {
    /// Whether it equals one of these values.
    ///
    /// `in ('x','y')` in version 4; version 3 has no such word, and each value is compared to. No
    /// value at all is a condition that never holds.
    public func isIn(_ values: some Sequence<some ODataOperand>) -> ODataPredicate {
        let list = values.map { $0.odata.node }
        return ODataPredicate(.searching(list, for: node) ?? .membership(node, list))
    }

    /// Whether a list has elements.
    ///
    /// The original servers of Azure Mobile Apps know no lists; ours and those of version 4 do.
    public var hasElements: ODataPredicate {
        ODataPredicate(.any(node, variable: "", condition: nil))
    }

    /// Whether a condition holds for at least one element of a list.
    ///
    /// `.field("channels").any { $0 == "north" }` is `channels/any(c: c eq 'north')`. The original
    /// servers of Azure Mobile Apps know no lists; ours and those of version 4 do.
    ///
    /// - Parameter condition: Makes the condition of an element, which must not be used outside.
    /// - Returns: The condition on the row.
    public func any(_ condition: (_ element: ODataExpression) -> ODataPredicate) -> ODataPredicate {
        let level = Self.level
        let variable = level == 0 ? "c" : "c\(level)"
        let inner = Self.$level.withValue(level + 1) {
            condition(ODataExpression(.variable(variable, [])))
        }
        return ODataPredicate(.any(node, variable: variable, condition: inner.node))
    }

    /// A member of an object: of the element of a list, or of a column.
    ///
    /// - Parameter path: The member's name, or names with slashes in between.
    /// - Returns: The member's value.
    public func field(_ path: String) -> ODataExpression {
        switch node {
        case .path(let start): ODataExpression(.path(start + Self.names(of: path)))
        case .variable(let variable, let start):
            ODataExpression(.variable(variable, start + Self.names(of: path)))
        default:
            preconditionFailure("Columns and elements have members; a computed value has none.")
        }
    }

    /// The names of a path, which are looked at when they are written.
    static func names(of path: String) -> [String] {
        path.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
            .map { String($0) }
    }

    /// How many lambdas the condition that is being built stands in.
    @TaskLocal private static var level = 0
}

// MARK: Strings

extension ODataExpression {
    /// Whether the string begins with another.
    public func startsWith(_ start: some ODataOperand) -> ODataPredicate {
        condition(.startsWith, start)
    }

    /// Whether the string ends with another.
    public func endsWith(_ end: some ODataOperand) -> ODataPredicate {
        condition(.endsWith, end)
    }

    /// Whether the string has another in it: `substringof` in version 3, `contains` in version 4.
    public func contains(_ part: some ODataOperand) -> ODataPredicate {
        condition(.contains, part)
    }

    /// The string in lower case.
    public var lowercased: ODataExpression { call(.toLower) }

    /// The string in upper case.
    public var uppercased: ODataExpression { call(.toUpper) }

    /// The string without white space at its ends.
    public var trimmed: ODataExpression { call(.trim) }

    /// How long the string is.
    public var length: ODataExpression { call(.length) }

    /// Where another string begins in this one; -1 when it is not in it.
    public func index(of part: some ODataOperand) -> ODataExpression {
        call(.indexOf, [part.odata])
    }

    /// The string with another behind it.
    public func concatenated(with end: some ODataOperand) -> ODataExpression {
        call(.concat, [end.odata])
    }

    /// The string with one part exchanged wherever it is in it.
    ///
    /// In version 3, servers want the replacement to be a constant of less than 100 characters and
    /// no replacing inside of replacing; anything else cannot be written for it.
    public func replacing(
        _ part: some ODataOperand, with replacement: some ODataOperand
    ) -> ODataExpression {
        call(.replace, [part.odata, replacement.odata])
    }

    /// The string from a position on.
    ///
    /// - Parameters:
    ///   - start: The position of the first character, from 0 on.
    ///   - length: How many to take; all that follow without it.
    /// - Returns: The part.
    public func substring(from start: Int, length: Int? = nil) -> ODataExpression {
        call(.substring, [start.odata] + (length.map { [$0.odata] } ?? []))
    }
}

// MARK: Times and numbers

extension ODataExpression {
    /// The year of a point in time, in UTC.
    public var year: ODataExpression { call(.year) }

    /// The month, from 1 to 12.
    public var month: ODataExpression { call(.month) }

    /// The day of the month, from 1 on.
    public var day: ODataExpression { call(.day) }

    /// The hour, from 0 to 23.
    public var hour: ODataExpression { call(.hour) }

    /// The minute, from 0 to 59.
    public var minute: ODataExpression { call(.minute) }

    /// The second, from 0 to 59.
    public var second: ODataExpression { call(.second) }

    /// The largest whole number that is not above.
    public var floor: ODataExpression { call(.floor) }

    /// The smallest whole number that is not below.
    public var ceiling: ODataExpression { call(.ceiling) }

    /// The nearest whole number; a half goes away from zero in version 3, and to the even
    /// neighbour on .NET servers of version 4.
    public var rounded: ODataExpression { call(.roundToEven) }
}
