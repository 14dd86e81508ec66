import Foundation

/// Points in time of a naive table, by way of Foundation.
enum NaiveTime {
    /// As a server shows it: cut, never rounded.
    static func text(_ nanoseconds: Int64, digits: Int, dropsZeros: Bool = false) -> String {
        let date = Date(timeIntervalSince1970: Double(nanoseconds / 1_000_000_000))
        let rest = String(nanoseconds % 1_000_000_000)
        var fraction = String((String(repeating: "0", count: 9 - rest.count) + rest).prefix(digits))
        if dropsZeros { while fraction.hasSuffix("0") { fraction.removeLast() } }
        return date.formatted(.iso8601).dropLast() + (fraction.isEmpty ? "" : ".\(fraction)") + "Z"
    }

    /// Nanoseconds since 1970 of a time in UTC; nil when it is none.
    static func nanoseconds(_ text: String) -> Int64? {
        let parts = text.dropLast().split(separator: ".")
        guard text.hasSuffix("Z"), let whole = parts.first,
            let date = try? Date(whole + "Z", strategy: .iso8601)
        else { return nil }
        let fraction = parts.count > 1 ? parts[1] : ""
        let padded = fraction + String(repeating: "0", count: 9 - fraction.count)
        return Int64(date.timeIntervalSince1970) * 1_000_000_000 + (Int64(padded) ?? 0)
    }

    /// As the header `Date` has it.
    static func field(_ nanoseconds: Int64) -> String {
        let seconds = nanoseconds / 1_000_000_000
        let parts = text(nanoseconds, digits: 0).dropLast().split { "-T".contains($0) }
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let day = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int(seconds / 86_400 % 7)]
        let month = months[(Int(parts[1]) ?? 1) - 1]
        return "\(day), \(parts[2]) \(month) \(parts[0]) \(parts[3]) GMT"
    }
}
