public import Foundation
import SettleOData

/// Something that a column can be compared to: a value, or another expression.
public protocol ODataOperand {
    /// The operand as an expression.
    var odata: ODataExpression { get }
}

extension ODataOperand where Self == ODataExpression {
    /// A column.
    ///
    /// - Parameter path: The column's name on the server, or the names on the way to a member of
    ///   an object in it, with slashes in between: `address/city`.
    /// - Returns: The column's value in each row.
    public static func field(_ path: String) -> ODataExpression {
        ODataExpression(.path(ODataExpression.names(of: path)))
    }

    /// A value in the place of a column: `.value(2) * .field("width")`.
    public static func value(_ value: some ODataOperand) -> ODataExpression {
        value.odata
    }

    /// No value.
    public static var null: ODataExpression {
        ODataExpression(.literal(.null))
    }

    /// A point in time for a column of a type without an offset: `datetime'…Z'` in version 3.
    ///
    /// Milliseconds are kept. `Date` itself is written with an offset, as `updatedAt` wants it.
    public static func dateTime(_ date: Date) -> ODataExpression {
        ODataExpression(.spelled(.dateTime(Instant(date, isWholeMilliseconds: true))))
    }

    /// A point in time exactly as a server wrote it: `2026-11-21T03:04:05.1234567Z`.
    public static func timestamp(_ text: String) -> ODataExpression {
        ODataExpression(.spelled(.timestamp(text)))
    }

    /// A day of the calendar, which version 4 alone has a literal for.
    public static func day(year: Int, month: Int, day: Int) -> ODataExpression {
        ODataExpression(ODataCalendar.day(year, month, day))
    }

    /// A time of the day, which version 4 alone has a literal for.
    public static func timeOfDay(
        hour: Int, minute: Int, second: Int, millisecond: Int = 0
    ) -> ODataExpression {
        ODataExpression(ODataCalendar.timeOfDay(hour, minute, second, millisecond))
    }
}

/// The `nil` of a comparison: `.field("city") == nil`.
public struct ODataNull: ODataOperand, ExpressibleByNilLiteral {
    /// No value.
    public init(nilLiteral: ()) {}

    /// The literal `null`.
    public var odata: ODataExpression { .null }
}

extension ODataExpression: ODataOperand {
    /// Itself.
    public var odata: ODataExpression { self }
}

extension String: ODataOperand {
    /// A string in single quotes.
    public var odata: ODataExpression { ODataExpression(.literal(.string(self))) }
}

extension Bool: ODataOperand {
    /// `true` or `false`.
    public var odata: ODataExpression { ODataExpression(.literal(.bool(self))) }
}

extension Int: ODataOperand {
    /// A whole number, with the suffix `L` when it does not fit 32 bits.
    ///
    /// Servers on Node.js compute with doubles: beyond 2^53 they do not tell neighbours apart.
    public var odata: ODataExpression { ODataExpression(.literal(.integer(Int64(self)))) }
}

extension Int32: ODataOperand {
    /// A whole number.
    public var odata: ODataExpression { ODataExpression(.literal(.integer(Int64(self)))) }
}

extension Int64: ODataOperand {
    /// A whole number, with the suffix `L` when it does not fit 32 bits.
    public var odata: ODataExpression { ODataExpression(.literal(.integer(self))) }
}

extension Double: ODataOperand {
    /// A number with all its digits; one that is infinite or none cannot be written.
    public var odata: ODataExpression { ODataExpression(.literal(.double(self))) }
}

extension Float: ODataOperand {
    /// A number with all its digits and the suffix `f`.
    public var odata: ODataExpression { ODataExpression(.spelled(.single(self))) }
}

extension Decimal: ODataOperand {
    /// A number with all its digits and the suffix `M`.
    public var odata: ODataExpression { ODataExpression(.spelled(.decimal(description))) }
}

extension Date: ODataOperand {
    /// A point in time, with milliseconds, or microseconds where there are some.
    public var odata: ODataExpression { ODataExpression(.literal(.instant(Instant(self)))) }
}

extension UUID: ODataOperand {
    /// An identifier of the type `Edm.Guid`.
    ///
    /// The servers on Node.js, of either generation, do not know the literal, and identifiers of
    /// rows are strings everywhere: compare those columns to `uuidString` instead.
    public var odata: ODataExpression { ODataExpression(.literal(.guid(uuidString.lowercased()))) }
}

extension Optional: ODataOperand where Wrapped: ODataOperand {
    /// The value, or `null`.
    public var odata: ODataExpression { self?.odata ?? .null }
}
