/// Numbers, counts and times in words.
enum Quantity {
    /// A whole number with a comma between thousands.
    static func number(_ value: some BinaryInteger) -> String {
        let digits = String(value.magnitude)
        var grouped = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { grouped += "," }
            grouped.append(digit)
        }
        return value < 0 ? "-" + grouped : grouped
    }

    /// A count with its noun: "1 document", "34,006 documents".
    static func count(_ value: Int, _ noun: String, plural: String? = nil) -> String {
        "\(number(value)) \(value == 1 ? noun : plural ?? noun + "s")"
    }

    /// A time in the unit that suits it: "870 µs", "12 ms", "3.4 s", "2 min 5 s".
    static func time(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        if microseconds < 1_000 { return "\(microseconds) µs" }
        if microseconds < 1_000_000 { return "\(microseconds / 1_000) ms" }
        if seconds < 60 { return "\(seconds).\(microseconds / 100_000 % 10) s" }
        return "\(seconds / 60) min \(seconds % 60) s"
    }

    /// A number of bytes in the unit that suits it: "870 bytes", "12.3 kB", "3.4 GB".
    static func bytes(_ count: Int) -> String {
        guard count >= 1_000 else { return Self.count(count, "byte") }
        var tenths = count / 100
        var units = ["kB", "MB", "GB", "TB"][...]
        while tenths >= 10_000, units.count > 1 {
            tenths /= 1_000
            units.removeFirst()
        }
        return "\(number(tenths / 10)).\(tenths % 10) \(units[units.startIndex])"
    }

    /// How many a second, in whole numbers; nil when the time was too short to tell.
    static func rate(_ count: Int, in duration: Duration) -> Int? {
        let (seconds, attoseconds) = duration.components
        let milliseconds = Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
        guard milliseconds > 0 else { return nil }
        return Int(Double(count) / Double(milliseconds) * 1_000)
    }
}
