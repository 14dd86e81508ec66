import Foundation
import SettleDocuments

/// Computes the values of expressions; nil is undefined.
extension QueryScope {
    /// Whether a condition is true; undefined is not.
    func isTrue(_ condition: QueryExpression) throws(ServiceFailure) -> Bool {
        try value(of: condition)?.boolValue ?? false
    }

    /// The value of an expression.
    ///
    /// - Throws: ``ServiceFailure`` with 400 for a name, a parameter or a function that is not there.
    func value(of expression: QueryExpression) throws(ServiceFailure) -> JSONValue? {
        switch expression {
        case .constant(let value): return value
        case .undefined: return nil
        case .parameter(let name):
            guard let value = context.parameters[name] else {
                throw .badRequest("The query has the parameter '\(name)' and no value for it.")
            }
            return value
        case .alias(let name): return aliases[name]
        case .member(let base, let index): return try member(of: base, index)
        case .unary(let operation, let operand): return try unary(operation, value(of: operand))
        case .binary(let operation, let left, let right):
            return try binary(operation, left, right)
        case .conditional(let condition, let first, let second):
            return try value(of: isTrue(condition) ? first : second)
        case .isIn(let operand, let list): return try isIn(operand, list)
        case .between(let operand, let low, let high):
            return try binary(
                .and, .binary(.greaterOrEqual, operand, low), .binary(.lessOrEqual, operand, high))
        case .like(let operand, let pattern, let escape):
            return try like(operand, pattern, escape: escape)
        case .array(let elements):
            var values: [JSONValue] = []
            for element in elements {
                if let value = try value(of: element) { values.append(value) }
            }
            return .array(values)
        case .object(let members):
            var values: [String: JSONValue] = [:]
            for (name, expression) in members { values[name] = try value(of: expression) }
            return .object(values)
        case .call(let name, let arguments):
            if QueryExpression.aggregateNames.contains(name) {
                return try aggregate(name, arguments)
            }
            return try call(name, arguments)
        case .userCall(let name, let arguments):
            guard let function = context.functions[name] else {
                throw .badRequest("The collection has no function '\(name)'.")
            }
            return function(try values(of: arguments))
        case .exists(let query): return .bool(try !results(of: query).isEmpty)
        case .arrayOf(let query): return .array(try results(of: query))
        case .scalar(let query): return try results(of: query).first
        }
    }

    func values(of expressions: [QueryExpression]) throws(ServiceFailure) -> [JSONValue?] {
        var values: [JSONValue?] = []
        for expression in expressions { values.append(try value(of: expression)) }
        return values
    }

    private func results(of query: ParsedQuery) throws(ServiceFailure) -> [JSONValue] {
        let rows = try QueryRows.rows(of: query, in: self)
        return try QueryRows.finished(rows, of: query, in: self)
    }

    private func member(
        of base: QueryExpression, _ index: QueryExpression
    ) throws(ServiceFailure) -> JSONValue? {
        guard let base = try value(of: base), let index = try value(of: index) else { return nil }
        if let name = index.stringValue { return base[name] }
        guard let place = index.integerValue.flatMap({ Int(exactly: $0) }) else { return nil }
        return base[place]
    }

    private func unary(_ operation: QueryExpression.Unary, _ value: JSONValue?) -> JSONValue? {
        switch operation {
        case .not: value?.boolValue.map { .bool(!$0) }
        case .minus: value?.doubleValue.map { Self.number(-$0) }
        case .plus: value?.doubleValue.map(Self.number)
        case .complement: value?.integerValue.map { .integer(~$0) }
        }
    }

    private func binary(
        _ operation: QueryExpression.Binary, _ left: QueryExpression, _ right: QueryExpression
    ) throws(ServiceFailure) -> JSONValue? {
        switch operation {
        case .and: return try connective(left, right, decisive: false)
        case .or: return try connective(left, right, decisive: true)
        case .coalesce:
            if let first = try value(of: left) { return first }
            return try value(of: right)
        default: break
        }
        guard let first = try value(of: left), let second = try value(of: right) else { return nil }
        switch operation {
        case .equal: return QueryOrder.equality(first, second).map { .bool($0) }
        case .notEqual: return QueryOrder.equality(first, second).map { .bool(!$0) }
        case .less: return QueryOrder.comparison(first, second).map { .bool($0 < 0) }
        case .lessOrEqual: return QueryOrder.comparison(first, second).map { .bool($0 <= 0) }
        case .greater: return QueryOrder.comparison(first, second).map { .bool($0 > 0) }
        case .greaterOrEqual: return QueryOrder.comparison(first, second).map { .bool($0 >= 0) }
        case .concatenate:
            guard let first = first.stringValue, let second = second.stringValue else { return nil }
            return .string(first + second)
        default: return Self.arithmetic(operation, first, second)
        }
    }

    /// AND and OR with three values: what decides alone, decides also beside undefined.
    private func connective(
        _ left: QueryExpression, _ right: QueryExpression, decisive: Bool
    ) throws(ServiceFailure) -> JSONValue? {
        let first = try value(of: left)?.boolValue
        if first == decisive { return .bool(decisive) }
        let second = try value(of: right)?.boolValue
        if second == decisive { return .bool(decisive) }
        return first == nil || second == nil ? nil : .bool(!decisive)
    }

    private func isIn(
        _ operand: QueryExpression, _ list: [QueryExpression]
    ) throws(ServiceFailure) -> JSONValue? {
        guard let value = try value(of: operand) else { return nil }
        for element in try values(of: list) {
            if let element, QueryOrder.equality(value, element) == true { return true }
        }
        return false
    }

    private func like(
        _ operand: QueryExpression, _ pattern: QueryExpression, escape: QueryExpression?
    ) throws(ServiceFailure) -> JSONValue? {
        guard let text = try value(of: operand)?.stringValue,
            let pattern = try value(of: pattern)?.stringValue
        else { return nil }
        var sign: Character?
        if let escape { sign = try value(of: escape)?.stringValue?.first }
        return .bool(LikePattern(pattern, escape: sign).matches(text))
    }

    private static func arithmetic(
        _ operation: QueryExpression.Binary, _ first: JSONValue, _ second: JSONValue
    ) -> JSONValue? {
        guard let left = first.doubleValue, let right = second.doubleValue else { return nil }
        switch operation {
        case .add: return number(left + right)
        case .subtract: return number(left - right)
        case .multiply: return number(left * right)
        case .divide: return right == 0 ? nil : number(left / right)
        case .remainder: return right == 0 ? nil : number(fmod(left, right))
        default: break
        }
        guard let left = first.integerValue, let right = second.integerValue else { return nil }
        let count = Int32(truncatingIfNeeded: right) & 31
        let word = Int32(truncatingIfNeeded: left)
        switch operation {
        case .bitAnd: return .integer(left & right)
        case .bitOr: return .integer(left | right)
        case .bitXor: return .integer(left ^ right)
        case .shiftLeft: return .integer(Int64(word << count))
        case .shiftRight: return .integer(Int64(word >> count))
        case .shiftRightZero:
            return .integer(Int64(UInt32(bitPattern: word) >> UInt32(count)))
        default: return nil
        }
    }

    /// A number as JSON: a whole one without a fraction; undefined when it is not finite.
    static func number(_ value: Double) -> JSONValue {
        guard let whole = Int64(exactly: value), abs(whole) < 1 << 53 else { return .double(value) }
        return .integer(whole)
    }
}
