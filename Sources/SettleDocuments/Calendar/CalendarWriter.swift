/// Writes dates and times as bytes, one part after the other.
///
/// A text costs one array and one string.
package struct CalendarWriter {
    /// What was written, behind what was there.
    private(set) var bytes: [UInt8] = []

    /// Begins an empty text.
    package init() {
        // Longer than a time with nine digits of a second.
        bytes.reserveCapacity(32)
    }

    /// Goes on behind bytes that are there.
    init(after bytes: consuming [UInt8]) {
        self.bytes = bytes
    }

    /// What was written.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Writes a character as it is.
    ///
    /// - Precondition: It is of ASCII.
    package mutating func ascii(_ character: Unicode.Scalar) {
        bytes.append(UInt8(ascii: character))
    }

    /// Writes a text as it is.
    package mutating func verbatim(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes a number with zeros in front, up to a width; a number with more digits keeps them.
    ///
    /// - Parameters:
    ///   - number: The number.
    ///   - width: The least number of digits.
    /// - Precondition: The number is not negative, and the width is 1 at least.
    package mutating func digits(_ number: Int64, width: Int) {
        precondition(number >= 0 && width >= 1, "Digits are of a number that is not negative.")
        if width == 2, number < 100 {
            // Most parts of a time.
            let number = UInt8(truncatingIfNeeded: number)
            bytes.append(UInt8(ascii: "0") + number / 10)
            bytes.append(UInt8(ascii: "0") + number % 10)
            return
        }
        let start = bytes.count
        for _ in 0..<width { bytes.append(UInt8(ascii: "0")) }
        var rest = UInt64(number)
        var index = bytes.count
        while index > start {
            index -= 1
            bytes[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        if rest > 0 { bytes.insert(contentsOf: String(rest).utf8, at: start) }
    }

    /// Writes a day, `YYYY-MM-DD`.
    ///
    /// Years outside 0000 through 9999, which only arithmetic can produce, get a sign and as many
    /// digits as they need; no reader here takes them.
    package mutating func date(_ date: CivilDate) {
        if (0...9999).contains(date.year) {
            digits(date.year, width: 4)
        } else {
            ascii(date.year < 0 ? "-" : "+")
            verbatim(String(date.year.magnitude))
        }
        ascii("-")
        digits(date.month, width: 2)
        ascii("-")
        digits(date.day, width: 2)
    }

    /// Writes a time of day, `hh:mm:ss`.
    ///
    /// - Parameter second: Seconds since midnight, 0 to 86,399.
    package mutating func clock(secondOfDay second: Int64) {
        digits(second / 3600, width: 2)
        ascii(":")
        digits(second / 60 % 60, width: 2)
        ascii(":")
        digits(second % 60, width: 2)
    }

    /// Writes a decimal point and the first digits of a second's fraction; with none, nothing.
    ///
    /// - Parameters:
    ///   - nanoseconds: The fraction, 0 to 999,999,999.
    ///   - count: How many digits, 0 to 9; further ones are cut off.
    /// - Precondition: Both are in range.
    package mutating func fraction(nanoseconds: Int64, digits count: Int) {
        precondition((0...9).contains(count), "A fraction of a second has 0 through 9 digits.")
        precondition(
            (0..<1_000_000_000).contains(nanoseconds), "A fraction is less than a second.")
        guard count > 0 else { return }
        ascii(".")
        var shown = nanoseconds
        for _ in count..<9 { shown /= 10 }
        digits(shown, width: count)
    }
}
