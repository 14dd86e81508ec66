import Foundation
package import SettleDocuments

/// The forms in documents of Foundation's types: dates as the date formatter has them, data in
/// base64, addresses, UUIDs, and decimals as strings.
///
/// Decimals may stand as numbers too.
package struct DocumentCodingLeaves: PackedCodingLeaves {
    /// The forms.
    package init() {}

    package func handles(_ type: any Any.Type) -> Bool {
        type == Date.self || type == URL.self || type == UUID.self || type == Data.self
            || type == Decimal.self
    }

    package func decode(_ type: any Decodable.Type, from json: JSONValue) -> (any Decodable)? {
        if type == Decimal.self { return decimal(json) }
        guard case .string(let text) = json else { return nil }
        if type == Date.self { return Document.dateFormatter.date(from: text) }
        if type == URL.self { return URL(string: text) }
        if type == UUID.self { return UUID(uuidString: text) }
        if type == Data.self { return Data(base64Encoded: text) }
        return nil
    }

    package func encode(_ value: any Encodable) -> JSONValue? {
        switch value {
        case let date as Date: .string(Document.dateFormatter.string(from: date))
        case let address as URL: .string(address.absoluteString)
        case let identifier as UUID: .string(identifier.uuidString)
        case let data as Data: .string(data.base64EncodedString())
        case let number as Decimal: .string(number.description)
        default: nil
        }
    }

    private func decimal(_ json: JSONValue) -> Decimal? {
        switch json {
        case .string(let text):
            // The locale of the device must not decide what a document says.
            Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
        case .integer(let number): Decimal(number)
        case .double(let number): Decimal(number)
        default: nil
        }
    }
}
