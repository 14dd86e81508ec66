import SettleDocuments

/// A number as JSON has them, compared exactly.
enum NumberValue: Equatable {
    case integer(Int64)
    case double(Double)

    /// The number that the packed bytes in the range are; nil when they are something else.
    @inline(__always)
    init?(_ content: PackedForm.Content) {
        switch content {
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        default: return nil
        }
    }

    init?(_ value: JSONValue) {
        switch value {
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        default: return nil
        }
    }

    var json: JSONValue {
        switch self {
        case .integer(let value): .integer(value)
        case .double(let value): .double(value)
        }
    }

    /// The square: exact for integers, as far as `NumberTotal` can say it; may be infinite.
    func addSquare(to total: inout NumberTotal) {
        switch self {
        case .integer(let value): total.add(squareOf: value)
        case .double(let value): total.add(value * value)
        }
    }

    /// Whether this is less than the other; no integer is rounded for that.
    @inline(__always)
    func isLess(than other: NumberValue) -> Bool {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): left < right
        case (.double(let left), .double(let right)): left < right
        case (.integer(let left), .double(let right)): Self.isLess(left, right)
        case (.double(let left), .integer(let right)): Self.isLess(left, right)
        }
    }

    private static func isLess(_ left: Int64, _ right: Double) -> Bool {
        if right >= 0x1p63 { return true }
        if right < -0x1p63 { return false }
        let floor = right.rounded(.down)
        return left < Int64(floor) || (left == Int64(floor) && floor < right)
    }

    private static func isLess(_ left: Double, _ right: Int64) -> Bool {
        if left >= 0x1p63 { return false }
        if left < -0x1p63 { return true }
        return Int64(left.rounded(.down)) < right
    }
}
