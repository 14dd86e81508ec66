import Foundation

/// A moment of the model's clock.
package struct ModelTime: Sendable, Comparable {
    /// Seconds since 1970, with their parts.
    package var seconds: Double

    /// A moment so many seconds after 1970.
    package init(seconds: Double) { self.seconds = seconds }

    /// The moment at which the system's clock is.
    package static var system: ModelTime {
        ModelTime(seconds: Date().timeIntervalSince1970)
    }

    /// The moment of an HTTP date, or nil when it is none.
    package init?(httpDate text: String) {
        guard let date = try? Date(text, strategy: Self.style.parseStrategy) else { return nil }
        seconds = date.timeIntervalSince1970
    }

    /// The moment as an HTTP date.
    package var httpDate: String { Date(timeIntervalSince1970: seconds).formatted(Self.style) }

    package static func < (left: ModelTime, right: ModelTime) -> Bool {
        left.seconds < right.seconds
    }

    private static let style = Date.VerbatimFormatStyle(
        format: """
            \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \
            \(year: .padded(4)) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\
            \(minute: .twoDigits):\(second: .twoDigits) GMT
            """,
        locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt,
        calendar: .init(identifier: .gregorian))
}
