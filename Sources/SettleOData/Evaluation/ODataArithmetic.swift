/// The arithmetic operators: whole numbers stay whole, and what has no result is null.
enum ODataArithmetic {
    /// The result of an operator.
    ///
    /// It is null for anything but numbers, for overflow and for a division by zero. `div` of
    /// whole numbers cuts towards zero and `mod` has the sign of its left side.
    static func value(
        _ operation: ODataNode.Arithmetic, _ left: ODataValue, _ right: ODataValue
    ) -> ODataValue {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): return whole(operation, left, right)
        case (.integer(let left), .double(let right)):
            return real(operation, Double(left), right)
        case (.double(let left), .integer(let right)):
            return real(operation, left, Double(right))
        case (.double(let left), .double(let right)): return real(operation, left, right)
        default: return .null
        }
    }

    private static func whole(
        _ operation: ODataNode.Arithmetic, _ left: Int64, _ right: Int64
    ) -> ODataValue {
        let (result, overflow) =
            switch operation {
            case .add: left.addingReportingOverflow(right)
            case .subtract: left.subtractingReportingOverflow(right)
            case .multiply: left.multipliedReportingOverflow(by: right)
            case .divide: left.dividedReportingOverflow(by: right)
            case .remainder: left.remainderReportingOverflow(dividingBy: right)
            }
        return overflow ? .null : .integer(result)
    }

    private static func real(
        _ operation: ODataNode.Arithmetic, _ left: Double, _ right: Double
    ) -> ODataValue {
        let result =
            switch operation {
            case .add: left + right
            case .subtract: left - right
            case .multiply: left * right
            case .divide: left / right
            case .remainder: left.truncatingRemainder(dividingBy: right)
            }
        return result.isFinite ? .double(result) : .null
    }
}

extension ODataValue {
    /// The value with the other sign; null for anything but a number, and for -2^63.
    var negated: ODataValue {
        switch self {
        case .integer(let value): value == .min ? .null : .integer(-value)
        case .double(let value): .double(-value)
        default: .null
        }
    }
}
