import Foundation
import Settle
import SettleDocuments

extension Cosmos {
    /// How values of Foundation are written in documents: dates as ISO 8601 in UTC with six digits of the
    /// second's fraction, the others as Settle writes them.
    struct CodingLeaves: PackedCodingLeaves {
        private let others = DocumentCodingLeaves()

        func handles(_ type: any Any.Type) -> Bool { others.handles(type) }

        func decode(_ type: any Decodable.Type, from json: JSONValue) -> (any Decodable)? {
            guard type == Date.self, case .string(let text) = json else {
                return others.decode(type, from: json)
            }
            return Cosmos.date(iso8601: text)
        }

        func encode(_ value: any Encodable) -> JSONValue? {
            guard let date = value as? Date else { return others.encode(value) }
            return Cosmos.iso8601(date).map { .string($0) }
        }
    }

    /// The text of a date in UTC with microseconds; nil outside the years 0 to 9999.
    static func iso8601(_ date: Date) -> String? {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        guard microseconds >= -62_167_219_200_000_000, microseconds < 253_402_300_800_000_000
        else { return nil }
        return Timestamp(microseconds: Int64(microseconds)).iso8601(fractionDigits: 6)
    }

    /// The date that a text of ISO 8601 stands for, to the microsecond; nil for anything else.
    static func date(iso8601 text: String) -> Date? {
        Timestamp(iso8601: text).map {
            Date(timeIntervalSince1970: Double($0.microseconds) / 1_000_000)
        }
    }
}
