import Foundation
import Settle

/// Views as properties, by Foundation's coders of JSON.
///
/// Kinds that JSON lacks are objects with one member whose name no property has.
enum ViewForm {
    private static let mark = "\u{1}"
    private static let identifier = PropertyKey.identifier.name

    /// The key of a marked value.
    private struct Mark: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ kind: Primitive.Kind) { stringValue = ViewForm.mark + kind.rawValue }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// The properties that a view says; members that are nil say none.
    static func properties(of view: some EntityView) throws -> [String: Primitive] {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.container(keyedBy: Mark.self)
            try container.encode(Moment.text(Moment.clamped(date)), forKey: Mark(.date))
        }
        encoder.dataEncodingStrategy = .custom { data, encoder in
            var container = encoder.container(keyedBy: Mark.self)
            try container.encode(data.base64EncodedString(), forKey: Mark(.data))
        }
        let any = try JSONSerialization.jsonObject(with: try encoder.encode(view))
        guard case .dictionary(var members)? = try primitive(any) else { return [:] }
        members[identifier] = nil
        return members
    }

    /// The view of an entity.
    ///
    /// - Throws: `DecodingError` when the properties are not those of the view.
    static func view<View: EntityView>(_ type: View.Type, _ state: EntityState) throws -> View {
        var members: [String: Any] = [identifier: state.id]
        for key in state.keys {
            guard case .value(let value, _)? = state.value(of: key)?.content else { continue }
            members[key] = any(value)
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.container(keyedBy: Mark.self)
            let text = try container.decode(String.self, forKey: Mark(.date))
            guard let moment = Moment.microseconds(of: text) else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "It is no date."))
            }
            return Moment.date(moment)
        }
        decoder.dataDecodingStrategy = .custom { decoder in
            let container = try decoder.container(keyedBy: Mark.self)
            return Data(base64Encoded: try container.decode(String.self, forKey: Mark(.data)))
                ?? Data()
        }
        return try decoder.decode(type, from: JSONSerialization.data(withJSONObject: members))
    }

    private static func any(_ value: Primitive) -> Any {
        switch value {
        case .integer(let number): number
        case .double(let number): number
        case .boolean(let flag): flag
        case .string(let text): text
        case .date(let date): [mark + value.kind.rawValue: Moment.text(Moment.clamped(date))]
        case .data(let data): [mark + value.kind.rawValue: data.base64EncodedString()]
        case .entity(let identifier): [mark + value.kind.rawValue: identifier]
        case .list(let elements): elements.map(any)
        case .dictionary(let members): members.mapValues(any)
        }
    }

    /// The value that JSON is; nil for null.
    private static func primitive(_ any: Any) throws -> Primitive? {
        switch any {
        case let text as String: return .string(text)
        case let number as NSNumber: return primitive(number)
        case let elements as [Any]: return .list(try elements.compactMap(primitive))
        case let members as [String: Any]:
            if members.count == 1, let (name, text) = members.first, name.hasPrefix(mark),
                let text = text as? String
            {
                let kind = Primitive.Kind(rawValue: String(name.dropFirst(mark.count)))
                do throws(PrimitiveForm.Fault) {
                    return try PrimitiveForm.value(.string(text), kind: kind)
                } catch {
                    preconditionFailure("What was just written can be read: \(error.reason)")
                }
            }
            return .dictionary(try members.compactMapValues(primitive))
        default: return nil
        }
    }

    private static func primitive(_ number: NSNumber) -> Primitive {
        if number === NSNumber(value: true) { return .boolean(true) }
        if number === NSNumber(value: false) { return .boolean(false) }
        // A double that is whole is written without a fraction, and the type that reads it takes that.
        return Int(exactly: number).map { .integer($0) } ?? .double(number.doubleValue)
    }
}
