import Foundation
import SettleDocuments

/// Says which documents of a model are meant, by conditions on its properties.
///
/// ```swift
/// \Visit.status == .done && \Visit.minutes > 30
/// ```
///
/// Only documents of the model's type are meant. A member that is absent or null is nil: `==`, `!=` and
/// `isOne(of:)` answer as they do in Swift; nil is neither less nor greater than anything, so that it
/// fulfils none of `<`, `<=`, `>`, `>=`, and the opposite of each. Numbers compare as in Swift, with
/// infinity and NaN, too; other values as the keys of an index do, dates as their texts. A `Decimal` is
/// stored as a text: it may be equal to another text, but has no order.
///
/// A condition that cannot be asked of documents is an error where the filter is used: `fetchAll` throws
/// it, and an index is not made.
public struct ModelFilter<Model: DocumentModel>: Sendable, Hashable {
    private let condition: JSONValue
    /// Holds for exactly the documents for which the condition does not.
    private let opposite: JSONValue
    /// Why it cannot be asked; nil when it can.
    private let fault: String?

    private init(_ condition: JSONValue, opposite: JSONValue, fault: String? = nil) {
        self.condition = condition
        self.opposite = opposite
        self.fault = fault
    }

    /// A condition on a member, and its opposite.
    private init(_ member: String, _ condition: JSONValue, opposite: JSONValue) {
        // An operator would be read; below the top, the `$` is not the first character.
        guard member.first != "$" else {
            self.init(fault: "A filter cannot ask for a member whose name starts with '$'.")
            return
        }
        self.init(condition, opposite: opposite)
    }

    private init(fault: String) {
        self.init(Self.nothing, opposite: Self.everything, fault: fault)
    }

    private static var nothing: JSONValue { .object([Document.idMember: ["$exists": false]]) }
    private static var everything: JSONValue { .object([Document.idMember: ["$exists": true]]) }

    /// Holds for no document.
    private static var never: ModelFilter { ModelFilter(nothing, opposite: everything) }

    /// The path of a property's member, as filters write it.
    fileprivate static func member(of path: PartialKeyPath<Model>) -> String {
        ModelPath.names(of: path).map { $0.replacing(".", with: "\\.") }.joined(separator: ".")
    }

    /// The member is the value; nil is a member that is absent or null.
    fileprivate init(_ member: String, is value: some Encodable) {
        if let number = (value as Any) as? any BinaryFloatingPoint, !number.isFinite {
            // JSON has no such number.
            self = .never
            return
        }
        do {
            let json = try Self.json(value)
            let isAbsent: JSONValue = .object([member: ["$exists": false]])
            let isIt: JSONValue = .object([member: .object(["$eq": json])])
            let isOther: JSONValue = .object([member: .object(["$ne": json])])
            if json.isNull {
                self.init(
                    member, Self.joined("$or", [isAbsent, isIt]),
                    opposite: isOther)
            } else {
                self.init(member, isIt, opposite: Self.joined("$or", [isAbsent, isOther]))
            }
        } catch {
            self.init(fault: Self.fault(of: value, error))
        }
    }

    /// How a member stands to a value.
    enum Order: String {
        case less = "$lt"
        case lessOrEqual = "$lte"
        case greater = "$gt"
        case greaterOrEqual = "$gte"

        fileprivate var opposite: Order {
            switch self {
            case .less: .greaterOrEqual
            case .lessOrEqual: .greater
            case .greater: .lessOrEqual
            case .greaterOrEqual: .less
            }
        }

        /// Whether every number stands so to positive, or else to negative, infinity.
        fileprivate func holds(forPositiveInfinity isPositive: Bool) -> Bool {
            (self == .less || self == .lessOrEqual) == isPositive
        }
    }

    /// The member is there and stands in an order to a value.
    init<Value: Encodable>(_ path: PartialKeyPath<Model>, _ order: Order, _ value: Value) {
        guard Value.self != Decimal.self, Value.self != Decimal?.self else {
            self.init(fault: "Decimals are stored as texts, which have no order of numbers.")
            return
        }
        let member = Self.member(of: path)
        let isAbsent: JSONValue = .object([member: ["$exists": false]])
        let isNull: JSONValue = .object([member: ["$eq": .null]])
        if let number = (value as Any) as? any BinaryFloatingPoint, !number.isFinite {
            guard !number.isNaN, order.holds(forPositiveInfinity: number.sign == .plus) else {
                self = .never
                return
            }
            self.init(
                member, .object([member: ["$ne": .null]]),
                opposite: Self.joined("$or", [isAbsent, isNull]))
            return
        }
        do {
            let json = try Self.json(value)
            guard !json.isNull else {
                self = .never
                return
            }
            // Null is in the order of keys, before everything else.
            let stands: JSONValue = .object([order.rawValue: json, "$ne": .null])
            let standsOtherwise: JSONValue = .object([order.opposite.rawValue: json])
            self.init(
                member, .object([member: stands]),
                opposite: Self.joined(
                    "$or", [isAbsent, isNull, .object([member: standsOtherwise])]))
        } catch {
            self.init(fault: Self.fault(of: value, error))
        }
    }

    private static func json(_ value: some Encodable) throws -> JSONValue {
        try PackedValue(encoding: value, leaves: DocumentCodingLeaves()).value()
    }

    private static func fault(of value: some Encodable, _ error: any Error) -> String {
        "A value of type \(type(of: value)) cannot be in a filter: \(error)"
    }

    /// Conditions under one operator, `$and` or `$or`; those that have the same are taken apart, so that a
    /// long chain is no deeper than a short one.
    private static func joined(_ name: String, _ conditions: [JSONValue]) -> JSONValue {
        let parts = conditions.flatMap { condition in
            guard case .object(let members) = condition, members.count == 1,
                case .array(let parts)? = members[name]
            else { return [condition] }
            return parts
        }
        return .object([name: .array(parts)])
    }

    /// The conditions together with the model's type, as an index takes them.
    ///
    /// - Throws: ``DatabaseError`` with `invalidIndex` when a condition cannot be asked: a value that JSON
    ///   cannot express (other than an infinite number or NaN itself), an order of a `Decimal`, a member
    ///   whose name is empty or starts with `$`, or conditions nested too deep or too large together.
    public var indexFilter: Database.IndexFilter {
        get throws { try Self.documents(where: self) }
    }

    /// The documents of the model that are meant; nil for all.
    ///
    /// - Throws: As ``indexFilter``.
    static func documents(
        where filter: ModelFilter?
    ) throws(DatabaseError) -> Database.IndexFilter {
        if let fault = filter?.fault { throw DatabaseError(.invalidIndex, fault) }
        let type = JSONValue.object([Document.typeMember: .string(Model.documentType)])
        return try Database.IndexFilter(
            checking: filter.map { joined("$and", [type, $0.condition]) } ?? type)
    }

    /// The documents of the model that are meant, for the declaration of an index; nil for all.
    ///
    /// - Precondition: ``indexFilter`` does not throw.
    static func documents(_ filter: ModelFilter?) -> Database.IndexFilter {
        do {
            return try documents(where: filter)
        } catch {
            preconditionFailure("The filter of an index of \(Model.self) is none: \(error)")
        }
    }

    /// Both hold.
    public static func && (left: ModelFilter, right: ModelFilter) -> ModelFilter {
        ModelFilter(
            joined("$and", [left.condition, right.condition]),
            opposite: joined("$or", [left.opposite, right.opposite]),
            fault: left.fault ?? right.fault)
    }

    /// One of the two holds, or both.
    public static func || (left: ModelFilter, right: ModelFilter) -> ModelFilter {
        any([left, right])
    }

    /// One of them holds, or several; of none, nothing does.
    fileprivate static func any(_ filters: [ModelFilter]) -> ModelFilter {
        guard !filters.isEmpty else { return never }
        return ModelFilter(
            joined("$or", filters.map(\.condition)),
            opposite: joined("$and", filters.map(\.opposite)),
            fault: filters.lazy.compactMap(\.fault).first)
    }

    /// The opposite condition: it holds for the documents of the model for which this one does not.
    public static prefix func ! (filter: ModelFilter) -> ModelFilter {
        ModelFilter(filter.opposite, opposite: filter.condition, fault: filter.fault)
    }
}

extension KeyPath where Root: DocumentModel, Value: Encodable {
    /// The property is one of the values, as by `==`; for an empty list, nothing is.
    public func isOne(of values: [Value]) -> ModelFilter<Root> {
        let member = ModelFilter.member(of: self)
        return .any(values.map { ModelFilter(member, is: $0) })
    }

    /// The property is this value; for nil, its member is absent or null.
    public static func == (path: KeyPath<Root, Value>, value: Value) -> ModelFilter<Root> {
        ModelFilter(ModelFilter.member(of: path), is: value)
    }

    /// The property is another value; for nil, its member is there and not null.
    public static func != (path: KeyPath<Root, Value>, value: Value) -> ModelFilter<Root> {
        !(path == value)
    }

    /// The property is there and less.
    public static func < (path: KeyPath<Root, Value>, value: Value) -> ModelFilter<Root> {
        ModelFilter(path, .less, value)
    }

    /// The property is there and less or equal.
    public static func <= (path: KeyPath<Root, Value>, value: Value) -> ModelFilter<Root> {
        ModelFilter(path, .lessOrEqual, value)
    }

    /// The property is there and greater.
    public static func > (path: KeyPath<Root, Value>, value: Value) -> ModelFilter<Root> {
        ModelFilter(path, .greater, value)
    }

    /// The property is there and greater or equal.
    public static func >= (path: KeyPath<Root, Value>, value: Value) -> ModelFilter<Root> {
        ModelFilter(path, .greaterOrEqual, value)
    }
}
