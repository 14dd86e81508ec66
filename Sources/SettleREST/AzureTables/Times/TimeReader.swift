/// Reads the parts of a time from the front of a text.
struct TimeReader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = Substring(text).utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Takes a character when it is the next.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == character.value else { return false }
        rest.removeFirst()
        return true
    }

    /// A number of exactly some digits.
    mutating func number(_ width: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<width {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// Nanoseconds, and how many digits there were; none is a fraction, too.
    mutating func fraction() -> (nanoseconds: Int64, digits: Int)? {
        guard take(".") else { return (0, 0) }
        var (value, count): (Int64, Int) = (0, 0)
        while let digit = digit() {
            count += 1
            if count > 9 { return nil }
            value = value * 10 + digit
        }
        guard count > 0 else { return nil }
        return ((count..<9).reduce(value) { value, _ in value * 10 }, count)
    }

    /// Seconds east of UTC.
    mutating func offset() -> Int64? {
        if isAtEnd || take("Z") || take("z") { return 0 }
        let sign: Int64
        if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
        guard let hours = number(2), hours < 24 else { return nil }
        _ = take(":")
        guard let minutes = number(2), minutes < 60 else { return nil }
        return sign * (hours * 3_600 + minutes * 60)
    }

    private mutating func digit() -> Int64? {
        guard let first = rest.first, (0x30...0x39).contains(first) else { return nil }
        rest.removeFirst()
        return Int64(first) - 0x30
    }
}
