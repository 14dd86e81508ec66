/// Reads the RFC 3339 profile that `Timestamp` documents.
struct TimestampReader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Microseconds since 1970 in UTC, or nil when the text is not of the profile.
    mutating func read() -> Int64? {
        guard
            let year = number(4), skip(UInt8(ascii: "-")), let month = number(2),
            skip(UInt8(ascii: "-")), let day = number(2),
            let date = CivilDate(year: year, month: Int(month), day: Int(day)),
            skip(UInt8(ascii: "T")) || skip(UInt8(ascii: "t")),
            let hour = number(2), hour < 24, skip(UInt8(ascii: ":")),
            let minute = number(2), minute < 60, skip(UInt8(ascii: ":")),
            let second = number(2), second < 60,
            let fraction = fraction(), let offset = zone(), index == bytes.count
        else { return nil }
        let local = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second
        let seconds = local - offset * 60
        guard (Self.earliest...Self.latest).contains(seconds) else { return nil }
        return seconds * 1_000_000 + fraction
    }

    /// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z in seconds since 1970.
    private static let earliest: Int64 = -62_167_219_200
    private static let latest: Int64 = 253_402_300_799

    private mutating func number(_ digits: Int) -> Int64? {
        guard bytes.count - index >= digits else { return nil }
        var value: Int64 = 0
        for _ in 0..<digits {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int64(digit)
            index += 1
        }
        return value
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    /// The fraction in microseconds; 0 when there is none, nil when it is malformed.
    private mutating func fraction() -> Int64? {
        guard skip(UInt8(ascii: ".")) else { return 0 }
        var value: Int64 = 0
        var count = 0
        while index < bytes.count, bytes[index] &- UInt8(ascii: "0") < 10 {
            if count < 6 { value = value * 10 + Int64(bytes[index] - UInt8(ascii: "0")) }
            count += 1
            index += 1
        }
        guard (1...9).contains(count) else { return nil }
        for _ in count..<max(count, 6) { value *= 10 }
        return value
    }

    /// The zone's distance from UTC in minutes.
    private mutating func zone() -> Int64? {
        if skip(UInt8(ascii: "Z")) || skip(UInt8(ascii: "z")) { return 0 }
        let isNegative = index < bytes.count && bytes[index] == UInt8(ascii: "-")
        guard
            skip(UInt8(ascii: "+")) || skip(UInt8(ascii: "-")),
            let hours = number(2), hours < 24, skip(UInt8(ascii: ":")),
            let minutes = number(2), minutes < 60
        else { return nil }
        return isNegative ? -(hours * 60 + minutes) : hours * 60 + minutes
    }
}
