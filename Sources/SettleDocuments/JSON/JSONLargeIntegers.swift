/// What becomes of a whole number in JSON text that lies outside the range of Int64.
package enum JSONLargeIntegers: Sendable, Hashable {
    /// It is an error that says to quote it: nobody's number is changed without a word.
    case refused
    /// It becomes a double when that loses nothing, because it is the double's exact value or has the
    /// digits that stand for the double, as JavaScript writes it; otherwise it is an error.
    case exact
    /// It becomes the nearest double. For what other programs wrote, which have nothing but doubles.
    case rounded
}

extension Double {
    /// The digits of the shortest decimal that stands for the double, without a sign, a point, an
    /// exponent, and zeros at their end.
    fileprivate var shortestDigits: [UInt8] {
        let digits = description.utf8.prefix { $0 != UInt8(ascii: "e") }
            .filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return Self.withoutLastZeros(digits)
    }

    fileprivate static func withoutLastZeros(_ digits: [UInt8]) -> [UInt8] {
        var digits = digits
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return digits
    }

    /// Whether a whole number's digits, without sign and zeros in front, are how the double is written
    /// that they stand for: nothing is lost when they are read as one.
    func isWritten(as digits: [UInt8]) -> Bool {
        Self.withoutLastZeros(digits) == shortestDigits
    }

    /// Whether a whole number is how a program writes the double that has nothing but doubles: its exact
    /// value, or its shortest digits and zeros behind them.
    package func isWritten(as number: Int64) -> Bool {
        guard Double(number) == self else { return false }
        if Int64(exactly: self) == number { return true }
        return isWritten(as: Array(String(number.magnitude).utf8))
    }
}
