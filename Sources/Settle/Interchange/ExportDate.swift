import SettleDocuments

/// How a moment is written in an export: ISO 8601 in UTC with six digits of the second.
///
/// Moments outside the years 0000 through 9999, for which there is no such text, are the number of
/// microseconds since 1970.
enum ExportDate {
    static func value(of moment: Timestamp) -> JSONValue {
        let text = moment.iso8601(fractionDigits: 6)
        return Timestamp(iso8601: text) == moment
            ? .string(text) : .integer(moment.microseconds)
    }

    /// The moment; nil when the value is none.
    static func moment(of value: JSONValue) -> Timestamp? {
        switch value {
        case .string(let text): Timestamp(iso8601: text)
        case .integer(let microseconds): Timestamp(microseconds: microseconds)
        default: nil
        }
    }
}
