public import Foundation
public import SettleDocuments

extension Cosmos {
    /// A value that a query compares with.
    public protocol QueryValue: Sendable {
        /// The value as JSON.
        var queryValue: JSONValue { get }
    }
}

extension String: Cosmos.QueryValue {
    /// The text.
    public var queryValue: JSONValue { .string(self) }
}

extension Int: Cosmos.QueryValue {
    /// The number.
    public var queryValue: JSONValue { .integer(Int64(self)) }
}

extension Double: Cosmos.QueryValue {
    /// The number; `null` when it is not finite, which JSON cannot say.
    public var queryValue: JSONValue { isFinite ? .double(self) : .null }
}

extension Bool: Cosmos.QueryValue {
    /// The truth value.
    public var queryValue: JSONValue { .bool(self) }
}

extension Date: Cosmos.QueryValue {
    /// The date as documents have it, with microseconds; `null` outside the years 0 to 9999.
    public var queryValue: JSONValue { Cosmos.iso8601(self).map { .string($0) } ?? .null }
}

extension UUID: Cosmos.QueryValue {
    /// The identifier as text.
    public var queryValue: JSONValue { .string(uuidString) }
}

extension JSONValue: Cosmos.QueryValue {
    /// The value.
    public var queryValue: JSONValue { self }
}
