import Foundation
import SettleSync

/// Writes values.
enum ODataLiteral {
    /// A value as text.
    ///
    /// - Throws: ``SettleSync/ReplicationError`` with `misconfigured` when the value has no literal.
    static func text(
        of value: ODataNode, _ version: ODataVersion
    ) throws(ReplicationError) -> String {
        switch value {
        case .null: return "null"
        case .bool(let value): return value ? "true" : "false"
        case .integer(let value):
            return Int32(exactly: value) == nil ? "\(value)L" : "\(value)"
        case .double(let value): return try digits(value.description, isFinite: value.isFinite)
        case .float(let value):
            return try digits(value.description, isFinite: value.isFinite) + "f"
        case .decimal(let value): return try digits("\(value)", isFinite: value.isFinite) + "M"
        case .text(let text): return quoted(text)
        case .guid(let value):
            return typed(value.uuidString.lowercased(), "guid", "Guid", version)
        default: return try time(value, version)
        }
    }

    /// A string between single quotes, with those inside doubled.
    ///
    /// Scalar by scalar: a quote with an accent on it is one character for Swift, and a quote all
    /// the same for a server.
    static func quoted(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        result.append("'")
        for scalar in text.unicodeScalars {
            if scalar == "'" { result.append("'") }
            result.append(scalar)
        }
        result.append("'")
        return String(result)
    }

    /// A literal that says its type: before the quotes in version 3, by a cast in version 4.
    private static func typed(
        _ text: String, _ prefix: String, _ type: String, _ version: ODataVersion
    ) -> String {
        version == .v3 ? "\(prefix)'\(text)'" : "cast(\(text),Edm.\(type))"
    }

    /// The shortest digits that give the number back, in the form that all servers read: a `+`
    /// before an exponent is left away, and there is always a point before it.
    private static func digits(
        _ description: String, isFinite: Bool
    ) throws(ReplicationError) -> String {
        guard isFinite else {
            throw ReplicationError(
                .misconfigured,
                "A filter compares to a number that is infinite or none; it has no literal.")
        }
        let parts = description.split(separator: "e")
        guard parts.count == 2 else { return description }
        let mantissa = parts[0].contains(".") ? "\(parts[0])" : "\(parts[0]).0"
        return "\(mantissa)e\(parts[1].filter { $0 != "+" })"
    }

    // MARK: Times

    private static func time(
        _ value: ODataNode, _ version: ODataVersion
    ) throws(ReplicationError) -> String {
        switch value {
        case .time(let date):
            let text = try ODataTime.text(of: date, keepsMicroseconds: true)
            return typed(text, "datetimeoffset", "DateTimeOffset", version)
        case .dateTime(let date):
            let text = try ODataTime.text(of: date, keepsMicroseconds: false)
            return typed(text, "datetime", "DateTimeOffset", version)
        case .timestamp(let text):
            guard ODataTime.isTimestamp(text) else {
                throw ReplicationError(
                    .misconfigured,
                    "A filter compares to a text that is no time; write it like "
                        + "2026-11-21T03:04:05.123Z.")
            }
            return typed(text, "datetimeoffset", "DateTimeOffset", version)
        case .day(let year, let month, let day):
            guard let text = ODataTime.day(year, month, day) else { throw notOfTheCalendar }
            return try castOnly(text, "Date", version)
        case .timeOfDay(let hour, let minute, let second, let millisecond):
            guard let text = ODataTime.timeOfDay(hour, minute, second, millisecond) else {
                throw notOfTheCalendar
            }
            return try castOnly(text, "TimeOfDay", version)
        default: preconditionFailure("A literal is written that is none.")
        }
    }

    private static let notOfTheCalendar = ReplicationError(
        .misconfigured, "A filter compares to a day or a time of day that no calendar or clock has."
    )

    private static func castOnly(
        _ text: String, _ type: String, _ version: ODataVersion
    ) throws(ReplicationError) -> String {
        guard version == .v4 else {
            throw ReplicationError(
                .misconfigured,
                "A filter compares to a day or a time of day, which the older protocol cannot "
                    + "write; compare to points in time instead.")
        }
        return "cast(\(text),Edm.\(type))"
    }
}
