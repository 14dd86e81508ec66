import Foundation
import Settle

/// Values as JSON: as they are stored, and as the interchange has them.
///
/// A value with its kind beside it is plain JSON. Inside a list or a dictionary the kinds that JSON has are plain,
/// and all others are objects with one member, named as the kind.
enum PrimitiveForm {
    /// Why something is no value.
    struct Fault: Error {
        var reason: String
    }

    /// Whether JSON alone tells the kind of a value, once it went through any system.
    static func isPlain(_ value: Primitive) -> Bool {
        switch value {
        case .integer, .boolean, .string, .list, .dictionary: true
        // A whole number may come back as an integer from systems with one kind of numbers.
        case .double(let number): number.rounded() != number
        case .date, .data, .entity: false
        }
    }

    /// The JSON of a value whose kind is written beside it.
    static func json(_ value: Primitive) -> JSONValue {
        switch value {
        case .integer(let number): .integer(Int64(number))
        case .double(let number): .double(number)
        case .boolean(let flag): .bool(flag)
        case .string(let text), .entity(let text): .string(text)
        case .date(let date): .string(Moment.text(Moment.clamped(date)))
        case .data(let data): .string(data.base64EncodedString())
        case .list(let elements): .array(elements.map(tagged))
        case .dictionary(let members): .object(members.mapValues(tagged))
        }
    }

    /// The JSON of a value that has to tell its kind itself.
    static func tagged(_ value: Primitive) -> JSONValue {
        switch value {
        case .dictionary: .object([value.kind.rawValue: json(value)])
        default: isPlain(value) ? json(value) : .object([value.kind.rawValue: json(value)])
        }
    }

    /// The value that JSON is, of a kind that is known or, when nil, is told by the JSON.
    static func value(_ json: JSONValue, kind: Primitive.Kind?) throws(Fault) -> Primitive {
        switch (kind, json) {
        case (nil, .integer(let number)), (.integer, .integer(let number)):
            return .integer(Int(number))
        case (.double, .integer(let number)): return .double(Double(number))
        case (nil, .double(let number)), (.double, .double(let number)): return .double(number)
        case (nil, .bool(let flag)), (.boolean, .bool(let flag)): return .boolean(flag)
        case (nil, .string(let text)), (.string, .string(let text)): return .string(text)
        case (.entity, .string(let text)): return .entity(text)
        case (.date, .string(let text)):
            guard let moment = Moment.microseconds(of: text) else {
                throw Fault(reason: "the date is not one in the profile of RFC 3339")
            }
            return .date(Moment.date(moment))
        case (.data, .string(let text)):
            guard let data = Data(base64Encoded: text) else {
                throw Fault(reason: "the data is not base64")
            }
            return .data(data)
        case (nil, .array(let elements)), (.list, .array(let elements)):
            return .list(try elements.map { element throws(Fault) in try untagged(element) })
        case (nil, .object(let members)), (.dictionary, .object(let members)):
            var values: [String: Primitive] = [:]
            for (name, member) in members { values[name] = try untagged(member) }
            return .dictionary(values)
        default:
            throw Fault(
                reason: kind.map { "the value is no \($0.rawValue)" } ?? "null is no value")
        }
    }

    /// The value that JSON inside a list or a dictionary is.
    static func untagged(_ json: JSONValue) throws(Fault) -> Primitive {
        guard case .object(let members) = json else { return try value(json, kind: nil) }
        guard members.count == 1, let (name, content) = members.first else {
            throw Fault(
                reason:
                    "an object in a list or dictionary has one member, named as the kind of its value"
            )
        }
        guard let kind = Primitive.Kind(rawValue: name) else {
            throw Fault(reason: "there is no kind of value '\(name)'")
        }
        return try value(content, kind: kind)
    }
}

extension Primitive {
    /// How many lists and dictionaries may stand inside one another.
    ///
    /// Each takes two levels of JSON at most, so that whatever is stored can be written as an interchange and read again.
    static let depthMax = 100

    /// The value as it is read back from the store: dates to the microsecond.
    ///
    /// - Parameter depth: How many lists and dictionaries it may have inside one another.
    /// - Returns: The value.
    /// - Throws: `PrimitiveForm.Fault` when it cannot be stored.
    func storable(depth: Int = Primitive.depthMax) throws(PrimitiveForm.Fault) -> Primitive {
        switch self {
        case .list where depth == 0, .dictionary where depth == 0:
            throw PrimitiveForm.Fault(
                reason: "more than \(Self.depthMax) lists and dictionaries stand inside one another"
            )
        case .double(let number):
            guard number.isFinite else {
                throw PrimitiveForm.Fault(reason: "the number is not finite")
            }
            return self
        case .date(let date):
            guard let moment = Moment.microseconds(of: date) else {
                throw PrimitiveForm.Fault(reason: "the date is outside the years 0 to 9999")
            }
            return .date(Moment.date(moment))
        case .list(let elements):
            return .list(
                try elements.map { element throws(PrimitiveForm.Fault) in
                    try element.storable(depth: depth - 1)
                })
        case .dictionary(let members):
            var values: [String: Primitive] = [:]
            for (name, member) in members {
                values[name] = try member.storable(depth: depth - 1)
            }
            return .dictionary(values)
        default:
            return self
        }
    }
}
