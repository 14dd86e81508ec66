import ArgumentParser
import SettleServer

/// A length of time on the command line: `90`, `90s`, `15m`, `2h` or `7d`.
struct DurationArgument: Sendable, Equatable {
    /// The time.
    let duration: Duration

    /// Reads a time.
    ///
    /// - Throws: `ValidationError` when the text is no time from a second to a hundred years.
    init(parsing text: String) throws {
        guard let duration = DurationText.duration(text) else {
            throw ValidationError(
                "It is no length of time. Write seconds, or a number with s, m, h or d, for "
                    + "example 90s or 2h; at most a hundred years.")
        }
        self.duration = duration
    }

    /// A time known beforehand.
    init(_ duration: Duration) {
        self.duration = duration
    }
}
