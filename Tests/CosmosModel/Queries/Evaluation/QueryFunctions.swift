import Foundation
import SettleDocuments

/// The functions of the service; nil is undefined.
enum QueryFunctions {
    typealias Function = @Sendable ([JSONValue?]) -> JSONValue?

    /// The names of all of them, in capitals.
    static var names: Dictionary<String, Function>.Keys { all.keys }

    /// All of them by their names, in capitals.
    static let all: [String: Function] =
        texts.merging(arrays) { first, _ in first }
        .merging(types) { first, _ in first }
        .merging(numbers) { first, _ in first }
        .merging(spatial) { first, _ in first }

    /// A function of one text.
    private static func ofText(
        _ body: @escaping @Sendable (String) -> JSONValue
    ) -> Function {
        { $0.first??.stringValue.map(body) }
    }

    /// A condition of two texts, which may ignore the case of letters.
    private static func condition(
        _ body: @escaping @Sendable (String, String) -> Bool
    ) -> Function {
        { arguments in
            guard arguments.count >= 2, let first = arguments[0]?.stringValue,
                let second = arguments[1]?.stringValue
            else { return nil }
            guard arguments.count > 2, arguments[2]?.boolValue == true else {
                return .bool(body(first, second))
            }
            return .bool(body(first.lowercased(), second.lowercased()))
        }
    }

    private static let texts: [String: Function] = [
        "CONTAINS": condition { $1.isEmpty || $0.contains($1) },
        "STARTSWITH": condition { $0.hasPrefix($1) },
        "ENDSWITH": condition { $0.hasSuffix($1) },
        "STRINGEQUALS": condition { $0 == $1 },
        "UPPER": ofText { .string($0.uppercased()) },
        "LOWER": ofText { .string($0.lowercased()) },
        "LENGTH": ofText { .integer(Int64($0.unicodeScalars.count)) },
        "REVERSE": ofText { .string(String($0.reversed())) },
        "TRIM": ofText { .string($0.trimmingCharacters(in: .whitespacesAndNewlines)) },
        "LTRIM": ofText { .string(String($0.drop(while: \.isWhitespace))) },
        "RTRIM": ofText {
            .string(String(String($0.reversed()).drop(while: \.isWhitespace).reversed()))
        },
        "CONCAT": { arguments in
            let texts = arguments.compactMap { $0?.stringValue }
            return texts.count == arguments.count ? .string(texts.joined()) : nil
        },
        "SUBSTRING": { arguments in
            guard arguments.count == 3, let text = arguments[0]?.stringValue,
                let start = arguments[1]?.integerValue, let count = arguments[2]?.integerValue
            else { return nil }
            return .string(
                String(text.dropFirst(Int(max(0, start))).prefix(Int(max(0, count)))))
        },
        "LEFT": { arguments in
            guard arguments.count == 2, let text = arguments[0]?.stringValue,
                let count = arguments[1]?.integerValue
            else { return nil }
            return .string(String(text.prefix(Int(max(0, count)))))
        },
        "RIGHT": { arguments in
            guard arguments.count == 2, let text = arguments[0]?.stringValue,
                let count = arguments[1]?.integerValue
            else { return nil }
            return .string(String(text.suffix(Int(max(0, count)))))
        },
        "INDEX_OF": { arguments in
            guard arguments.count >= 2, let text = arguments[0]?.stringValue,
                let part = arguments[1]?.stringValue
            else { return nil }
            guard let range = text.range(of: part) else { return -1 }
            return .integer(Int64(text.distance(from: text.startIndex, to: range.lowerBound)))
        },
        "REPLACE": { arguments in
            guard arguments.count == 3, let text = arguments[0]?.stringValue,
                let part = arguments[1]?.stringValue, let other = arguments[2]?.stringValue
            else { return nil }
            return .string(text.replacingOccurrences(of: part, with: other))
        },
        "TOSTRING": { arguments in
            guard let value = arguments.first ?? nil else { return nil }
            return .string(value.stringValue ?? value.jsonText)
        },
    ]

    private static let arrays: [String: Function] = [
        "ARRAY_LENGTH": { $0.first??.arrayValue.map { .integer(Int64($0.count)) } },
        "ARRAY_CONTAINS": { arguments in
            guard arguments.count >= 2, let array = arguments[0]?.arrayValue,
                let wanted = arguments[1]
            else { return arguments.count >= 2 && arguments[0] != nil ? false : nil }
            let isPartial = arguments.count > 2 && arguments[2]?.boolValue == true
            return .bool(
                array.contains { element in
                    guard isPartial, let members = wanted.objectValue else {
                        return QueryOrder.areSame(element, wanted)
                    }
                    return members.allSatisfy { name, value in
                        element[name].map { QueryOrder.areSame($0, value) } ?? false
                    }
                })
        },
        "ARRAY_CONCAT": { arguments in
            let arrays = arguments.compactMap { $0?.arrayValue }
            return arrays.count == arguments.count ? .array(arrays.flatMap(\.self)) : nil
        },
        "ARRAY_SLICE": { arguments in
            guard arguments.count >= 2, let array = arguments[0]?.arrayValue,
                let start = arguments[1]?.integerValue
            else { return nil }
            let first = start < 0 ? max(0, array.count + Int(start)) : Int(start)
            let count = arguments.count > 2 ? arguments[2]?.integerValue ?? 0 : .max
            return .array(Array(array.dropFirst(first).prefix(Int(max(0, count)))))
        },
    ]

    /// A condition of the type of a value, which undefined never fulfils.
    private static func type(_ body: @escaping @Sendable (JSONValue) -> Bool) -> Function {
        { arguments in .bool((arguments.first ?? nil).map(body) ?? false) }
    }

    private static let types: [String: Function] = [
        "IS_DEFINED": type { _ in true },
        "IS_NULL": type(\.isNull),
        "IS_BOOL": type { $0.boolValue != nil },
        "IS_NUMBER": type { $0.doubleValue != nil },
        "IS_INTEGER": type { $0.integerValue != nil },
        "IS_STRING": type { $0.stringValue != nil },
        "IS_ARRAY": type { $0.arrayValue != nil },
        "IS_OBJECT": type { $0.objectValue != nil },
        "IS_PRIMITIVE": type { $0.arrayValue == nil && $0.objectValue == nil },
    ]

    /// A function of one number.
    private static func ofNumber(_ body: @escaping @Sendable (Double) -> Double) -> Function {
        { arguments in
            guard let number = arguments.first??.doubleValue else { return nil }
            let result = body(number)
            return result.isFinite ? QueryScope.number(result) : nil
        }
    }

    private static let numbers: [String: Function] = [
        "ABS": ofNumber { abs($0) },
        "FLOOR": ofNumber { $0.rounded(.down) },
        "CEILING": ofNumber { $0.rounded(.up) },
        "ROUND": ofNumber { $0.rounded(.toNearestOrAwayFromZero) },
        "TRUNC": ofNumber { $0.rounded(.towardZero) },
        "SIGN": ofNumber { $0 == 0 ? 0 : $0 < 0 ? -1 : 1 },
        "SQRT": ofNumber { $0.squareRoot() },
        "SQUARE": ofNumber { $0 * $0 },
        "EXP": ofNumber { exp($0) },
        "LOG": ofNumber { log($0) },
        "POWER": { arguments in
            guard arguments.count == 2, let base = arguments[0]?.doubleValue,
                let exponent = arguments[1]?.doubleValue
            else { return nil }
            let result = pow(base, exponent)
            return result.isFinite ? QueryScope.number(result) : nil
        },
    ]
}

extension QueryScope {
    /// The value of a function of the service.
    func call(
        _ name: String, _ arguments: [QueryExpression]
    ) throws(ServiceFailure) -> JSONValue? {
        guard let function = QueryFunctions.all[name] else {
            throw .badRequest("The query calls the unknown function '\(name)'.")
        }
        return function(try values(of: arguments))
    }
}
