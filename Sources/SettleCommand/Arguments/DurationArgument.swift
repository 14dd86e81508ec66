import ArgumentParser

/// A length of time on the command line: `90`, `90s`, `15m`, `2h` or `7d`.
struct DurationArgument: Sendable, Equatable {
    /// The time.
    let duration: Duration

    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    // A hundred years: longer is a slip, and far from where the arithmetic ends.
    private static let secondsMax: Int64 = 3_155_760_000

    /// Reads a time.
    ///
    /// - Throws: `ValidationError` when the text is no time from a second to a hundred years.
    init(parsing text: String) throws {
        let unit = text.last.flatMap { Self.units[$0] }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard let number = Int64(digits), digits.allSatisfy(\.isNumber), number > 0,
            number <= Self.secondsMax / (unit ?? 1)
        else {
            throw ValidationError(
                "It is no length of time. Write seconds, or a number with s, m, h or d, for "
                    + "example 90s or 2h; at most a hundred years.")
        }
        duration = .seconds(number * (unit ?? 1))
    }

    /// A time known beforehand.
    init(_ duration: Duration) {
        self.duration = duration
    }
}
