import Foundation

/// Numbers, sizes and times for people.
enum Amounts {
    /// A count with thin spaces between its thousands.
    static func count(_ number: some BinaryInteger) -> String {
        let digits = String(number.magnitude)
        var shown = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { shown += "\u{202F}" }
            shown.append(digit)
        }
        return shown
    }

    /// A count with the word for what is counted, which takes an s unless it is one.
    static func count(_ number: Int, _ word: String) -> String {
        "\(count(number)) \(word)\(number == 1 ? "" : "s")"
    }

    /// A number of bytes in KiB, MiB or GiB.
    static func bytes(_ number: Int) -> String {
        var value = Double(number)
        for unit in ["bytes", "KiB", "MiB", "GiB"] {
            if value < 1_024 || unit == "GiB" {
                return unit == "bytes" ? "\(number) bytes" : String(format: "%.1f %@", value, unit)
            }
            value /= 1_024
        }
        return "\(number) bytes"
    }

    /// How long something took or is old, in its two greatest units.
    static func time(_ duration: Duration) -> String {
        let seconds = Int(duration / .seconds(1))
        switch seconds {
        case ..<1: return "\(Int(duration / .milliseconds(1))) ms"
        case ..<60: return "\(seconds) s"
        case ..<3_600: return "\(seconds / 60) min \(seconds % 60) s"
        case ..<86_400: return "\(seconds / 3_600) h \(seconds % 3_600 / 60) min"
        default: return "\(seconds / 86_400) d \(seconds % 86_400 / 3_600) h"
        }
    }

    /// How long something took, in microseconds or milliseconds.
    static func elapsed(_ duration: Duration) -> String {
        let microseconds = duration / .microseconds(1)
        return microseconds < 10_000
            ? "\(Int(microseconds)) µs" : String(format: "%.1f ms", microseconds / 1_000)
    }

    /// A date in UTC, with milliseconds.
    static func date(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// A date for a field of a form or an axis, without fractions of a second.
    static func shortDate(_ date: Date) -> String { date.formatted(.iso8601) }
}
