import Foundation
import Settle

/// The time of a `Date` or `Retry-After` header (RFC 9110, 5.6.7).
enum HTTPDate {
    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that servers still write; nil for
    /// anything else.
    static func date(_ field: String) -> Date? {
        let parts = field.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", parts[0].hasSuffix(","),
            let day = Int64(parts[1]), (1...31).contains(day),
            let month = months.firstIndex(of: parts[2]), parts[3].utf8.count == 4,
            let year = Int64(parts[3]), year >= 0
        else { return nil }
        let clock = parts[4].split(separator: ":", omittingEmptySubsequences: false)
            .compactMap { $0.utf8.count == 2 ? Int64($0) : nil }
        guard clock.count == 3, (0...23).contains(clock[0]), (0...59).contains(clock[1]),
            (0...60).contains(clock[2])
        else { return nil }
        let days = CivilDate.daysSince1970(year: year, month: Int64(month) + 1, day: day)
        return Date(
            timeIntervalSince1970: Double(
                days * 86_400 + clock[0] * 3_600 + clock[1] * 60 + clock[2]))
    }
}
