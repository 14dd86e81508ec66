public import Foundation
import SettleDocuments

/// Tells which strings in a document are dates, and how a date is written as a string.
///
/// JSON has no dates. A string that `date(from:)` understands is given to the application as a
/// `Date`; a `Date` put into a document is stored as `string(from:)`. The two must fit together:
/// a date that was written must be read as the same date.
public protocol DocumentDateFormatter: Sendable {
    /// The date that a string stands for, or nil when it is just a string.
    func date(from string: String) -> Date?
    /// The string that is stored for a date.
    func string(from date: Date) -> String
}

/// The default: ISO 8601 as RFC 3339 narrows it, with time and offset.
///
/// Reads `2026-11-21T03:04:05Z`, fractions of up to nine digits (kept to the microsecond), and
/// offsets such as `+01:00`. Writes UTC with three digits, or six when a date has microseconds.
/// A day alone (`2026-11-21`) stays a string.
public struct ISO8601DocumentDateFormatter: DocumentDateFormatter {
    /// A formatter; there is nothing to configure.
    public init() {}

    /// The date, or nil when the string is not a full ISO 8601 date and time.
    public func date(from string: String) -> Date? {
        Timestamp(iso8601: string).map(Date.init)
    }

    /// The date in UTC, to the millisecond or microsecond.
    ///
    /// One outside the years 0000 through 9999 has a text that is read as none; a document refuses it.
    public func string(from date: Date) -> String {
        Timestamp(date).iso8601
    }
}

extension DateFormatter: DocumentDateFormatter {}

extension Document {
    /// The text that is stored for a date.
    ///
    /// - Parameter date: The date.
    /// - Returns: What ``dateFormatter`` makes of it; nil for one that is not finite, and for one outside the years 0000
    ///   through 9999, which the formatter for ISO 8601 would not read again.
    static func text(of date: Date) -> String? {
        let formatter = dateFormatter
        guard date.timeIntervalSince1970.isFinite else { return nil }
        if formatter is ISO8601DocumentDateFormatter, !Timestamp(date).isISO8601 { return nil }
        return formatter.string(from: date)
    }
}

extension Date {
    init(_ timestamp: Timestamp) {
        self.init(timeIntervalSince1970: Double(timestamp.microseconds) / 1_000_000)
    }
}

extension Timestamp {
    init(_ date: Date) {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        self.init(microseconds: Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max))
    }

    /// The moment at which something ends; nil, for never, for a date that is not a number.
    init?(expiring date: Date) {
        guard !date.timeIntervalSince1970.isNaN else { return nil }
        self.init(date)
    }

    /// Whether ISO 8601 has four digits for the year.
    fileprivate var isISO8601: Bool {
        (-62_167_219_200_000_000..<253_402_300_800_000_000).contains(microseconds)
    }
}
