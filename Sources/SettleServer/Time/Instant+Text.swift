extension Instant {
    /// Reads a date and time as the clients of the table protocol write them.
    ///
    /// Shape: `YYYY-MM-DDThh:mm[:ss[.f]]` with one to seven digits of `f`, then nothing (UTC),
    /// `Z`, or an offset `+hh:mm` or `-hh:mm`. Anything else, and a date that does not exist
    /// such as 2021-02-30, is nil. More than seven digits are refused rather than cut, because a
    /// cut literal would compare wrongly.
    ///
    /// - Parameter text: The text between the quotes of a literal, or a string of a document.
    init?(text: String) {
        var reader = InstantReader(text: text)
        guard let ticks = reader.ticks() else { return nil }
        self.init(ticks: ticks)
    }
}

/// Reads one date and time from left to right.
private struct InstantReader {
    private let bytes: [UInt8]
    private var position = 0

    init(text: String) {
        bytes = text.utf8.count <= 40 ? Array(text.utf8) : []
    }

    mutating func ticks() -> Int64? {
        guard let year = number(digits: 4), skip("-"), let month = number(digits: 2), skip("-"),
            let day = number(digits: 2), skip("T") || skip("t"), let hour = number(digits: 2),
            skip(":"), let minute = number(digits: 2)
        else { return nil }
        var second: Int64 = 0
        var fraction: Int64 = 0
        if skip(":") {
            guard let value = number(digits: 2) else { return nil }
            second = value
            if skip(".") {
                guard let value = fractionTicks() else { return nil }
                fraction = value
            }
        }
        guard let offset = offsetSeconds(), position == bytes.count else { return nil }
        guard (1...12).contains(month), day >= 1, day <= Civil.dayCount(year: year, month: month),
            hour < 24, minute < 60, second < 60
        else { return nil }
        let days = Civil.days(year: year, month: month, day: day)
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        return seconds * Instant.ticksPerSecond + fraction
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else {
            return false
        }
        position += 1
        return true
    }

    private mutating func digit() -> Int64? {
        guard position < bytes.count, (0x30...0x39).contains(bytes[position]) else { return nil }
        defer { position += 1 }
        return Int64(bytes[position] - 0x30)
    }

    private mutating func number(digits: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    private mutating func fractionTicks() -> Int64? {
        var value: Int64 = 0
        var count = 0
        while let digit = digit() {
            count += 1
            guard count <= 7 else { return nil }
            value = value * 10 + digit
        }
        guard count > 0 else { return nil }
        for _ in count..<7 { value *= 10 }
        return value
    }

    private mutating func offsetSeconds() -> Int64? {
        if position == bytes.count || skip("Z") || skip("z") { return 0 }
        let sign: Int64
        if skip("+") {
            sign = 1
        } else if skip("-") {
            sign = -1
        } else {
            return nil
        }
        guard let hours = number(digits: 2), skip(":"), let minutes = number(digits: 2),
            hours < 24, minutes < 60
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
