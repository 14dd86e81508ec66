public import Foundation

/// Says how an interchange is written where JSON has no kind of value of its own.
public protocol InterchangeEncoder: Sendable {
    /// What stands for a date.
    func encodePrimitive(_ date: Date) -> InterchangeValue
    /// What stands for bytes.
    func encodePrimitive(_ data: Data) -> InterchangeValue
    /// What stands for a UUID.
    func encodePrimitive(_ uuid: UUID) -> InterchangeValue
}

/// Says how an interchange is read where JSON has no kind of value of its own; the opposite of ``InterchangeEncoder``.
public protocol InterchangeDecoder: Sendable {
    /// The date that a value stands for; nil when it stands for none.
    func decodePrimitive(date value: InterchangeValue) -> Date?
    /// The bytes that a value stands for; nil when it stands for none.
    func decodePrimitive(data value: InterchangeValue) -> Data?
    /// The UUID that a value stands for; nil when it stands for none.
    func decodePrimitive(uuid value: InterchangeValue) -> UUID?
}

/// Writes what JSON can express: dates as RFC 3339 in UTC, to the microsecond, bytes in base64, UUIDs in capitals.
public struct JSONInterchangeEncoder: InterchangeEncoder {
    /// The encoder.
    public init() {}

    /// The date as a text; the nearest that can be written outside the years 0 to 9999.
    public func encodePrimitive(_ date: Date) -> InterchangeValue {
        .string(Moment.text(Moment.clamped(date)))
    }

    /// The bytes in base64.
    public func encodePrimitive(_ data: Data) -> InterchangeValue {
        .string(data.base64EncodedString())
    }

    /// The UUID as a text.
    public func encodePrimitive(_ uuid: UUID) -> InterchangeValue {
        .string(uuid.uuidString)
    }
}

/// Reads what ``JSONInterchangeEncoder`` writes.
public struct JSONInterchangeDecoder: InterchangeDecoder {
    /// The decoder.
    public init() {}

    /// The date that a text in the profile of RFC 3339 says.
    public func decodePrimitive(date value: InterchangeValue) -> Date? {
        value.string.flatMap(Moment.microseconds(of:)).map(Moment.date)
    }

    /// The bytes that a text in base64 says.
    public func decodePrimitive(data value: InterchangeValue) -> Data? {
        value.string.flatMap { Data(base64Encoded: $0) }
    }

    /// The UUID that a text says.
    public func decodePrimitive(uuid value: InterchangeValue) -> UUID? {
        value.string.flatMap { UUID(uuidString: $0) }
    }
}

/// Keeps dates, bytes and UUIDs as they are.
public struct NullInterchangeEncoder: InterchangeEncoder {
    /// The encoder.
    public init() {}

    /// The date itself.
    public func encodePrimitive(_ date: Date) -> InterchangeValue { .date(date) }
    /// The bytes themselves.
    public func encodePrimitive(_ data: Data) -> InterchangeValue { .data(data) }
    /// The UUID itself.
    public func encodePrimitive(_ uuid: UUID) -> InterchangeValue { .uuid(uuid) }
}

/// Reads what ``NullInterchangeEncoder`` writes, and what JSON has.
public struct NullInterchangeDecoder: InterchangeDecoder {
    /// The decoder.
    public init() {}

    /// The date itself, or that of a text.
    public func decodePrimitive(date value: InterchangeValue) -> Date? {
        if case .date(let date) = value { return date }
        return JSONInterchangeDecoder().decodePrimitive(date: value)
    }

    /// The bytes themselves, or those of a text.
    public func decodePrimitive(data value: InterchangeValue) -> Data? {
        if case .data(let data) = value { return data }
        return JSONInterchangeDecoder().decodePrimitive(data: value)
    }

    /// The UUID itself, or that of a text.
    public func decodePrimitive(uuid value: InterchangeValue) -> UUID? {
        if case .uuid(let uuid) = value { return uuid }
        return JSONInterchangeDecoder().decodePrimitive(uuid: value)
    }
}
