import Foundation
package import SettleDocuments

/// The forms in documents of Foundation's types: dates as the date formatter has them, data in
/// base64, addresses, UUIDs, and decimals as strings.
///
/// Decimals may stand as numbers too, and have the digits that the JSON shows. A text that is not as a
/// whole a number, with a point, is no decimal.
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
        case let date as Date: Document.text(of: date).map { .string($0) }
        case let address as URL: .string(address.absoluteString)
        case let identifier as UUID: .string(identifier.uuidString)
        case let data as Data: .string(data.base64EncodedString())
        case let number as Decimal: .string(number.description)
        default: nil
        }
    }

    private func decimal(_ json: JSONValue) -> Decimal? {
        switch json {
        case .string(let text): Self.isNumber(text) ? Self.decimal(text) : nil
        case .integer(let number): Decimal(number)
        // By its shortest text: the double itself is 4.9500000000000001776… where the JSON is 4.95.
        case .double(let number): Self.decimal(number.description)
        default: nil
        }
    }

    private static func decimal(_ text: String) -> Decimal? {
        // The locale of the device must not decide what a document says.
        Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }

    /// Whether a whole text is a number.
    ///
    /// A sign, digits with a point among them, and an exponent, of which only a digit must be there.
    /// Foundation reads what precedes the first character that does not fit.
    private static func isNumber(_ text: String) -> Bool {
        var rest = text.utf8[...]
        func skip(_ characters: String) -> Bool {
            guard let first = rest.first, characters.utf8.contains(first) else { return false }
            rest.removeFirst()
            return true
        }
        func skipDigits() -> Bool {
            let length = rest.count
            rest = rest.drop { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            return rest.count < length
        }
        _ = skip("+-")
        var hasDigits = skipDigits()
        if skip("."), skipDigits() { hasDigits = true }
        guard hasDigits else { return false }
        if skip("eE") {
            _ = skip("+-")
            guard skipDigits() else { return false }
        }
        return rest.isEmpty
    }
}

extension JSONValue {
    /// The value as a type that can decode itself, as a member of a document is decoded.
    ///
    /// - Throws: `DecodingError`.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try PackedValue(self).decode(type, leaves: DocumentCodingLeaves())
    }
}
