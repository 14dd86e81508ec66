import SettleDocuments

extension ODataFunction {
    /// The result for arguments whose number the parser has checked.
    ///
    /// - Parameters:
    ///   - arguments: The values, as many as ``argumentCount`` allows.
    ///   - limits: The longest string to make.
    /// - Returns: The result; null when an argument is null or of a wrong kind.
    /// - Throws: ``ODataError`` when the result is longer than the limit.
    func value(
        of arguments: [ODataValue], limits: ODataLimits
    ) throws(ODataError) -> ODataValue {
        switch self {
        case .startsWith, .endsWith, .contains:
            guard case .string(let first) = arguments[0], case .string(let second) = arguments[1]
            else { return .null }
            return .bool(test(first, second))
        case .toLower, .toUpper, .trim, .length:
            guard case .string(let text) = arguments[0] else { return .null }
            return try textResult(text, limits: limits)
        case .indexOf:
            guard case .string(let hay) = arguments[0], case .string(let needle) = arguments[1]
            else { return .null }
            return .integer(ScalarSearch.offset(of: needle, in: hay) ?? -1)
        case .concat:
            guard case .string(let first) = arguments[0], case .string(let second) = arguments[1]
            else { return .null }
            return try Self.bounded(first.utf8.count + second.utf8.count, limits) {
                first + second
            }
        case .replace: return try Self.replaced(arguments, limits: limits)
        case .substring: return Self.substring(arguments)
        case .year, .month, .day:
            guard let day = arguments[0].asDay else { return .null }
            return .integer(field(of: day.date))
        case .hour, .minute, .second, .fractionalSeconds:
            guard let time = arguments[0].asTimeOfDay else { return .null }
            return part(of: time)
        case .date: return ODataType.date.value(of: arguments[0])
        case .time: return ODataType.timeOfDay.value(of: arguments[0])
        case .floor, .ceiling, .roundAwayFromZero, .roundToEven: return rounded(arguments[0])
        }
    }

    private func test(_ first: String, _ second: String) -> Bool {
        switch self {
        case .startsWith: first.utf8.starts(with: second.utf8)
        case .endsWith: first.utf8.reversed().starts(with: second.utf8.reversed())
        default: ScalarSearch.offset(of: second, in: first) != nil
        }
    }

    private func textResult(
        _ text: String, limits: ODataLimits
    ) throws(ODataError) -> ODataValue {
        switch self {
        case .toLower: .string(text.lowercased())
        case .toUpper: .string(text.uppercased())
        case .trim: .string(ScalarSearch.trimmed(text))
        default: .integer(Int64(text.unicodeScalars.count))
        }
    }

    private static func bounded(
        _ bytes: Int, _ limits: ODataLimits, _ make: () -> String
    ) throws(ODataError) -> ODataValue {
        guard bytes <= limits.stringBytesMax else {
            throw ODataError(
                message: "The filter makes a string longer than \(limits.stringBytesMax) bytes.",
                position: nil)
        }
        return .string(make())
    }

    private static func replaced(
        _ arguments: [ODataValue], limits: ODataLimits
    ) throws(ODataError) -> ODataValue {
        guard case .string(let text) = arguments[0], case .string(let old) = arguments[1],
            case .string(let new) = arguments[2]
        else { return .null }
        let (pieces, count) = ScalarSearch.split(text, at: old)
        let bytes = text.utf8.count + count * (new.utf8.count - old.utf8.count)
        return try bounded(bytes, limits) { pieces.joined(separator: new) }
    }

    private static func substring(_ arguments: [ODataValue]) -> ODataValue {
        guard case .string(let text) = arguments[0], case .integer(let start) = arguments[1]
        else { return .null }
        let rest = text.unicodeScalars.dropFirst(Int(clamping: max(0, start)))
        guard arguments.count == 3 else { return .string(String(rest)) }
        guard case .integer(let count) = arguments[2] else { return .null }
        return .string(String(rest.prefix(Int(clamping: max(0, count)))))
    }

    private func field(of date: CivilDate) -> Int64 {
        switch self {
        case .year: date.year
        case .month: date.month
        default: date.day
        }
    }

    private func part(of time: TimeOfDay) -> ODataValue {
        let (seconds, rest) = time.ticks.quotientAndRemainder(
            dividingBy: Instant.ticksPerSecond)
        return switch self {
        case .hour: .integer(seconds / 3600)
        case .minute: .integer(seconds / 60 % 60)
        case .second: .integer(seconds % 60)
        default: .double(Double(rest) / Double(Instant.ticksPerSecond))
        }
    }

    private func rounded(_ value: ODataValue) -> ODataValue {
        switch value {
        case .integer: return value
        case .double(let number):
            let rule: FloatingPointRoundingRule =
                switch self {
                case .floor: .down
                case .ceiling: .up
                case .roundToEven: .toNearestOrEven
                default: .toNearestOrAwayFromZero
                }
            return .double(number.rounded(rule))
        default: return .null
        }
    }
}
