import SettlePrimitives

/// The numbers of JSON text.
enum JSONNumber {
    case integer(Int64)
    case double(Double)

    /// The powers of ten that a double holds exactly.
    private static let exactPowers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]

    /// Reads a number from its minus sign or first digit on.
    static func scan(
        _ text: Span<UInt8>, at index: inout Int, largeIntegers: JSONLargeIntegers
    ) throws(JSONError) -> JSONNumber {
        let start = index
        let isNegative = text[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        var digits = Digits()
        let firstDigit = index
        try scanDigits(text, at: &index, into: &digits)
        if text[firstDigit] == UInt8(ascii: "0"), index > firstDigit + 1 {
            throw JSONError(
                .invalidNumber, "A number must not begin with 0 and another digit.", at: start,
                in: text)
        }
        var isInteger = true
        var exponent = 0
        if index < text.count, text[index] == UInt8(ascii: ".") {
            isInteger = false
            index += 1
            let fraction = index
            try scanDigits(text, at: &index, into: &digits)
            exponent = fraction - index
        }
        if index < text.count, text[index] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            index += 1
            exponent += try scanExponent(text, at: &index)
        }
        if isInteger { return try whole(digits, isNegative, text, start..<index, largeIntegers) }
        return .double(try double(digits, exponent, isNegative, text, start..<index))
    }

    /// The digits of a number as one whole number, as far as 64 bits hold it.
    private struct Digits {
        var value: UInt64 = 0
        var isExact = true
        var isZero = true
    }

    private static func scanDigits(
        _ text: Span<UInt8>, at index: inout Int, into digits: inout Digits
    ) throws(JSONError) {
        let start = index
        while index < text.count {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            if digit != 0 { digits.isZero = false }
            let (product, overflow) = digits.value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
            if overflow || carry { digits.isExact = false }
            digits.value = sum
            index += 1
        }
        if index == start {
            throw JSONError(
                index < text.count ? .invalidNumber : .unexpectedEnd,
                "A number lacks a digit here.", at: index, in: text)
        }
    }

    private static func scanExponent(
        _ text: Span<UInt8>, at index: inout Int
    ) throws(JSONError) -> Int {
        var isNegative = false
        if index < text.count, text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "+")
        {
            isNegative = text[index] == UInt8(ascii: "-")
            index += 1
        }
        var digits = Digits()
        try scanDigits(text, at: &index, into: &digits)
        // Anything beyond this is out of range anyway, however many digits stand before it.
        let bound: UInt64 = 1 << 30
        let value = Int(digits.isExact ? min(digits.value, bound) : bound)
        return isNegative ? -value : value
    }

    private static func whole(
        _ digits: Digits, _ isNegative: Bool, _ text: Span<UInt8>, _ range: Range<Int>,
        _ largeIntegers: JSONLargeIntegers
    ) throws(JSONError) -> JSONNumber {
        if isNegative, digits.isZero { return .double(-0.0) }
        let limit = isNegative ? UInt64(Int64.max) + 1 : UInt64(Int64.max)
        if digits.isExact, digits.value <= limit {
            let bits = isNegative ? ~digits.value &+ 1 : digits.value
            return .integer(Int64(bitPattern: bits))
        }
        if largeIntegers != .refused {
            let double = try double(digits, 0, isNegative, text, range)
            if largeIntegers == .rounded || isExact(double, digits, isNegative, text, range) {
                return .double(double)
            }
        }
        throw JSONError(
            .integerOutOfRange,
            "A whole number does not fit into 64 bits; write it in quotes, as a string.",
            at: range.lowerBound, in: text)
    }

    /// Whether a whole number loses nothing when it is read as a double.
    private static func isExact(
        _ double: Double, _ digits: Digits, _ isNegative: Bool, _ text: Span<UInt8>,
        _ range: Range<Int>
    ) -> Bool {
        if digits.isExact, UInt64(exactly: double.magnitude) == digits.value { return true }
        var written: [UInt8] = []
        let firstDigit = isNegative ? range.lowerBound + 1 : range.lowerBound
        written.append(text, in: firstDigit..<range.upperBound)
        return double.isWritten(as: written)
    }

    private static func double(
        _ digits: Digits, _ exponent: Int, _ isNegative: Bool, _ text: Span<UInt8>,
        _ range: Range<Int>
    ) throws(JSONError) -> Double {
        if digits.isZero { return isNegative ? -0.0 : 0.0 }
        if digits.isExact, digits.value <= 1 << 53, abs(exponent) <= 22 {
            // Both are exact doubles, so that one operation rounds once and thus correctly.
            let whole = Double(digits.value)
            let power = exactPowers[abs(exponent)]
            let value = exponent < 0 ? whole / power : whole * power
            return isNegative ? -value : value
        }
        guard
            let string = String(validating: text, in: range), let value = Double(string),
            value.isFinite, value != 0
        else {
            throw JSONError(
                .doubleOutOfRange,
                "A number is too large or too close to zero for a 64-bit double; "
                    + "write it in quotes, as a string.",
                at: range.lowerBound, in: text)
        }
        return value
    }
}
