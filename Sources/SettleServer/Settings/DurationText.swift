/// A length of time as people write it: `90`, `90s`, `15m`, `2h` or `7d`.
package enum DurationText {
    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    // A hundred years: longer is a slip, and far from where the arithmetic ends.
    private static let secondsMax: Int64 = 3_155_760_000

    /// Reads a time; nil when the text is no time from a second to a hundred years.
    package static func duration(_ text: String) -> Duration? {
        let unit = text.last.flatMap { units[$0] }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard let number = Int64(digits), digits.allSatisfy(\.isNumber), number > 0,
            number <= secondsMax / (unit ?? 1)
        else { return nil }
        return .seconds(number * (unit ?? 1))
    }
}
