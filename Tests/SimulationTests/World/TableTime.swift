/// The times of a model table: whole units of 100 nanoseconds since 1970, as SQL servers keep
/// them.
struct TableTime: Comparable, Hashable {
    var ticks: Int

    static let ticksPerMillisecond = 10_000
    static let ticksPerSecond = 10_000_000

    static func < (left: TableTime, right: TableTime) -> Bool { left.ticks < right.ticks }

    init(ticks: Int) {
        self.ticks = ticks
    }

    /// The start of a day.
    init(year: Int, month: Int, day: Int) {
        ticks = Self.days(year, month, day) * 86_400 * Self.ticksPerSecond
    }

    /// Reads `YYYY-MM-DDTHH:MM:SS[.F…](Z|+00:00)`; nil when it is something else.
    init?(_ text: String) {
        var rest = Substring(text)
        guard let suffix = ["+00:00", "Z"].first(where: { text.hasSuffix($0) }) else { return nil }
        rest.removeLast(suffix.count)
        let halves = rest.split(separator: "T")
        guard halves.count == 2 else { return nil }
        let date = halves[0].split(separator: "-").compactMap { Int($0) }
        let clock = halves[1].split(separator: ".", maxSplits: 1)
        let hands = clock[0].split(separator: ":").compactMap { Int($0) }
        guard date.count == 3, hands.count == 3 else { return nil }
        var fraction = clock.count > 1 ? String(clock[1]) : ""
        guard fraction.count <= 7 else { return nil }
        fraction += String(repeating: "0", count: 7 - fraction.count)
        guard let parts = Int(fraction) else { return nil }
        let seconds = hands[0] * 3_600 + hands[1] * 60 + hands[2]
        let day = Self.days(date[0], date[1], date[2])
        ticks = (day * 86_400 + seconds) * Self.ticksPerSecond + parts
    }

    /// The text with so many digits after the point, the others cut off.
    func text(digits: Int, trimmed: Bool = false) -> String {
        let ticksPerDay = 86_400 * Self.ticksPerSecond
        let (days, within) = (ticks / ticksPerDay, ticks % ticksPerDay)
        let seconds = within / Self.ticksPerSecond
        var fraction = String(Self.padded(within % Self.ticksPerSecond, 7).prefix(digits))
        if trimmed { while fraction.last == "0" { fraction.removeLast() } }
        let point = fraction.isEmpty ? "" : "."
        let clock = [seconds / 3_600, seconds / 60 % 60, seconds % 60]
            .map { Self.padded($0, 2) }.joined(separator: ":")
        return "\(Self.date(days))T\(clock)\(point)\(fraction)Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    /// Days since 1970, by counting the leap years before.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        var days = 0
        for before in 1970..<max(year, 1970) { days += isLeap(before) ? 366 : 365 }
        for before in 1..<max(month, 1) { days += length(of: before, year) }
        return days + day - 1
    }

    private static func date(_ days: Int) -> String {
        var (year, month, rest) = (1970, 1, days)
        while rest >= (isLeap(year) ? 366 : 365) {
            rest -= isLeap(year) ? 366 : 365
            year += 1
        }
        while rest >= length(of: month, year) {
            rest -= length(of: month, year)
            month += 1
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(rest + 1, 2))"
    }

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func length(of month: Int, _ year: Int) -> Int {
        let lengths = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return lengths[(month - 1) % 12]
    }
}
