extension ODataType {
    /// A value as one of this type; null when it cannot be.
    ///
    /// Numbers lose their fraction when they become whole. A string becomes what it is the text of;
    /// a moment becomes its day or time of day in UTC. Days and times of day are strings, in the
    /// one form that sorts like them.
    func value(of value: ODataValue) -> ODataValue {
        switch self {
        case .boolean: Self.boolean(value)
        case .byte: Self.whole(value, in: 0...255)
        case .signedByte: Self.whole(value, in: -128...127)
        case .int16: Self.whole(value, in: -32_768...32_767)
        case .int32: Self.whole(value, in: Int64(Int32.min)...Int64(Int32.max))
        case .int64: Self.whole(value, in: .min ... .max)
        case .decimal, .double, .single: Self.real(value)
        case .date: Self.date(value)
        case .timeOfDay: value.asTimeOfDay.map { .string($0.text) } ?? .null
        case .dateTimeOffset: value.asInstant.map { .instant($0) } ?? .null
        case .guid: Self.guid(value)
        case .string: Self.string(value)
        }
    }

    /// Null beyond the years of four digits, whose texts alone sort like days.
    private static func date(_ value: ODataValue) -> ODataValue {
        guard let day = value.asDay, day.hasText else { return .null }
        return .string(day.text)
    }

    private static func boolean(_ value: ODataValue) -> ODataValue {
        switch value {
        case .bool: value
        case .string("true"): .bool(true)
        case .string("false"): .bool(false)
        default: .null
        }
    }

    private static func whole(_ value: ODataValue, in range: ClosedRange<Int64>) -> ODataValue {
        let number: Int64? =
            switch value {
            case .integer(let number): number
            case .double(let number): Int64(exactly: number.rounded(.towardZero))
            case .string(let text): isNumber(text) ? Int64(text) : nil
            default: nil
            }
        guard let number, range.contains(number) else { return .null }
        return .integer(number)
    }

    private static func real(_ value: ODataValue) -> ODataValue {
        switch value {
        case .integer(let number): return .double(Double(number))
        case .double: return value
        case .string(let text):
            guard isNumber(text), let number = Double(text), number.isFinite else { return .null }
            return .double(number)
        default: return .null
        }
    }

    /// Whether a text is a number to everybody: Swift also reads `nan`, `0x1p3` and `+1`.
    private static func isNumber(_ text: String) -> Bool {
        text.utf8.count <= 400
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || "-.eE+".utf8.contains(byte)
            } && text.utf8.first != UInt8(ascii: "+")
    }

    private static func guid(_ value: ODataValue) -> ODataValue {
        switch value {
        case .guid: value
        case .string(let text): ODataGuid.canonical(text).map { .guid($0) } ?? .null
        default: .null
        }
    }

    private static func string(_ value: ODataValue) -> ODataValue {
        switch value {
        case .bool(let value): .string(value ? "true" : "false")
        case .integer(let value): .string(String(value))
        case .double(let value): .string(value.description)
        case .string: value
        case .guid(let text): .string(text)
        case .instant(let instant): .string(instant.iso8601)
        case .null, .array, .object, .packedArray, .packedObject: .null
        }
    }
}
