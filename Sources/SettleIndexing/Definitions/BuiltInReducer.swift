import SettleDocuments

/// The reduce functions that come with the database.
///
/// `sum`, `count`, and `stats` follow CouchDB's `_sum`, `_count`, and `_stats` for numbers and, in
/// the case of `sum`, for arrays of numbers (added element by element, shorter ones padded with 0).
/// Rows without a value are counted by `count` and passed over by the others, where CouchDB, which
/// knows no absent values, has an error; null is an error here as there.
package enum BuiltInReducer: String, Sendable, CaseIterable {
    /// The sum of the values. Integers stay exact; one that leaves the range of 64 bits turns the
    /// sum into a double.
    case sum
    /// The number of rows, whatever they hold.
    case count
    /// An object of sum, count, min, max, and sumsqr.
    case stats
    /// The smallest number.
    case min
    /// The largest number.
    case max

    func reduce(_ values: [JSONValue?]) throws -> JSONValue {
        switch self {
        case .count:
            return .integer(Int64(values.count))
        case .sum:
            return try values.compactMap { $0 }.reduce(.integer(0), Self.add)
        case .stats:
            return try rereduce(values.compactMap { $0 }.map { try Self.stats(of: $0) })
        case .min, .max:
            return try extreme(
                of: values.compactMap { $0 }.map { try Self.number($0, for: rawValue) })
        }
    }

    func rereduce(_ partials: [JSONValue]) throws -> JSONValue {
        // Null stands for rows of which none had a value.
        let results = partials.filter { $0 != .null }
        switch self {
        case .count, .sum:
            return try results.reduce(.integer(0), Self.add)
        case .min, .max:
            return try extreme(of: results)
        case .stats:
            guard let first = results.first else { return .null }
            return try results.dropFirst().reduce(first, Self.merge)
        }
    }

    private func extreme(of numbers: [JSONValue]) throws -> JSONValue {
        guard var chosen = numbers.first else { return .null }
        for number in numbers.dropFirst() {
            let isSmaller = Self.isLess(number, chosen)
            if self == .min ? isSmaller : Self.isLess(chosen, number) { chosen = number }
        }
        return chosen
    }

    private static let comparison = Collator(.raw)

    private static func isLess(_ left: JSONValue, _ right: JSONValue) -> Bool {
        // Collation keys compare integers and doubles exactly.
        comparison.key(for: left).lexicographicallyPrecedes(comparison.key(for: right))
    }

    private static func number(_ value: JSONValue, for function: String) throws -> JSONValue {
        switch value {
        case .integer, .double:
            return value
        default:
            throw IndexError.reduceFailed(
                reason: "the reduce function '\(function)' needs numbers, and a row holds "
                    + "\(kind(of: value)); choose another value, or leave such documents out")
        }
    }

    private static func add(_ left: JSONValue, _ right: JSONValue) throws -> JSONValue {
        switch (left, right) {
        case (.integer(let first), .integer(let second)):
            let (sum, overflow) = first.addingReportingOverflow(second)
            return overflow ? .double(Double(first) + Double(second)) : .integer(sum)
        case (.array(let first), .array(let second)):
            return .array(
                try (0..<Swift.max(first.count, second.count)).map { index in
                    try add(
                        index < first.count ? first[index] : .integer(0),
                        index < second.count ? second[index] : .integer(0))
                })
        case (.array, .integer), (.array, .double):
            return try add(left, .array([right]))
        case (.integer, .array), (.double, .array):
            return try add(.array([left]), right)
        default:
            return .double(try double(left, for: "sum") + double(right, for: "sum"))
        }
    }

    private static func double(_ value: JSONValue, for function: String) throws -> Double {
        switch try number(value, for: function) {
        case .integer(let number): Double(number)
        case .double(let number): number
        default: 0
        }
    }

    private static func stats(of value: JSONValue) throws -> JSONValue {
        let number = try number(value, for: "stats")
        let square: JSONValue
        if case .integer(let whole) = number {
            let (product, overflow) = whole.multipliedReportingOverflow(by: whole)
            square = overflow ? .double(Double(whole) * Double(whole)) : .integer(product)
        } else {
            let double = try double(number, for: "stats")
            square = .double(double * double)
        }
        return .object([
            "sum": number, "count": .integer(1), "min": number, "max": number, "sumsqr": square,
        ])
    }

    private static func merge(_ left: JSONValue, _ right: JSONValue) throws -> JSONValue {
        guard case .object(let first) = left, case .object(let second) = right else {
            throw IndexError.reduceFailed(reason: "a stored partial result is not of '_stats'")
        }
        func member(_ name: String, of object: [String: JSONValue]) -> JSONValue {
            object[name] ?? .integer(0)
        }
        let minima = [member("min", of: first), member("min", of: second)]
        let maxima = [member("max", of: first), member("max", of: second)]
        return .object([
            "sum": try add(member("sum", of: first), member("sum", of: second)),
            "count": try add(member("count", of: first), member("count", of: second)),
            "min": try BuiltInReducer.min.extreme(of: minima),
            "max": try BuiltInReducer.max.extreme(of: maxima),
            "sumsqr": try add(member("sumsqr", of: first), member("sumsqr", of: second)),
        ])
    }

    private static func kind(of value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
