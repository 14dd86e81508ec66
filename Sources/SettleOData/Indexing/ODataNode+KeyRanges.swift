extension ODataNode {
    /// The ranges in which an item that satisfies this filter has a key at a path.
    ///
    /// The promise: of every item for which the filter is true, at least one of
    /// ``ODataKey/keys(of:at:)`` lies in one of the ranges, if the only moments of the item, which
    /// have no keys, are `createdAt` and `updatedAt`. More items than those may have such a key.
    ///
    /// What limits a path: `eq lt le gt ge` with a literal on either side, `in`, `startswith`, the
    /// member itself or `not` of it as a condition, `and`, `or` when all of its parts limit the path,
    /// and `any` with such a condition on its variable.
    ///
    /// - Parameter path: At least one name; names below an array stand behind that of the array.
    /// - Returns: Ranges in the order of their bytes, none of which touch; none when no item can
    ///   satisfy the filter; nil when the filter does not limit the path.
    package func keyRanges(on path: [String]) -> [ODataKeyRange]? {
        guard path != ["createdAt"], path != ["updatedAt"] else { return nil }
        return limit(on: KeyTarget(variable: nil, path: path))?.ranges
    }

    private func limit(on target: KeyTarget) -> KeyLimit? {
        switch self {
        case .literal(.bool(true)): return nil
        case .literal: return .nothing
        case .comparison(let comparison, let left, let right):
            return left.limit(on: target, comparison, right)
                ?? right.limit(on: target, comparison.mirrored, left)
        case .membership(let value, let list):
            return Self.union(list.map { value.limit(on: target, .equal, $0) })
        case .and(let operands):
            return operands.compactMap { $0.limit(on: target) }.reduce(nil) { limit, other in
                limit.map { $0.and(other) } ?? other
            }
        case .or(let operands):
            return Self.union(operands.map { $0.limit(on: target) })
        case .call(.startsWith, let arguments):
            guard target.isMet(by: arguments[0]),
                case .literal(.string(let text)) = arguments[1]
            else { return nil }
            return KeyLimit([.beginning(with: text)])
        case .not(let operand):
            return target.isMet(by: operand) ? KeyLimit([.only(ODataKey.key(of: false))]) : nil
        case .any(let collection, let variable, let condition):
            guard let inner = target.inside(collection, variable: variable),
                let limit = condition?.limit(on: inner)
            else { return nil }
            return KeyLimit(limit.ranges, isOfOneKey: false)
        default:
            return target.isMet(by: self) ? KeyLimit([.only(ODataKey.key(of: true))]) : nil
        }
    }

    /// The limit of a comparison whose left side this is.
    private func limit(
        on target: KeyTarget, _ comparison: Comparison, _ right: ODataNode
    ) -> KeyLimit? {
        if target.isMet(by: self), case .literal(let value) = right {
            return KeyLimit.comparing(comparison, with: value)
        }
        if case .call(.date, let arguments) = self, target.isMet(by: arguments[0]),
            let day = right.constantDay
        {
            return comparison == .notEqual ? nil : KeyLimit([.days(comparison, day)])
        }
        return nil
    }

    private static func union(_ limits: [KeyLimit?]) -> KeyLimit? {
        var ranges: [ODataKeyRange] = []
        var isOfOneKey = true
        for limit in limits {
            guard let limit else { return nil }
            ranges += limit.ranges
            isOfOneKey = isOfOneKey && limit.isOfOneKey
        }
        return KeyLimit(ODataKeyRange.merged(ranges), isOfOneKey: isOfOneKey)
    }
}

/// The place in an item, or in an element of one of its arrays, whose keys are limited.
private struct KeyTarget {
    /// The variable of a lambda from which the path leads on; nil for the item.
    var variable: String?
    var path: [String]

    func isMet(by expression: ODataNode) -> Bool {
        switch expression {
        case .path(let path): variable == nil && path == self.path
        case .variable(let name, let path): variable == name && path == self.path
        default: false
        }
    }

    /// The same place as seen from an element of a collection; nil when it is not below one.
    func inside(_ collection: ODataNode, variable name: String) -> KeyTarget? {
        let outer: [String]
        switch collection {
        case .path(let path) where variable == nil: outer = path
        case .variable(variable, let path): outer = path
        default: return nil
        }
        guard path.starts(with: outer) else { return nil }
        return KeyTarget(variable: name, path: Array(path.dropFirst(outer.count)))
    }
}

/// What a condition says about the keys of an item that satisfies it.
private struct KeyLimit {
    /// Merged; one of the keys lies in one of them.
    var ranges: [ODataKeyRange]
    /// Whether the item has one key only, so that two such limits are true of the same key.
    ///
    /// Elements of an array have a key each: `any` twice may be true for two of them.
    var isOfOneKey: Bool

    init(_ ranges: [ODataKeyRange], isOfOneKey: Bool = true) {
        self.ranges = ranges
        self.isOfOneKey = isOfOneKey
    }

    /// That of a condition that is never true.
    static let nothing = KeyLimit([])

    /// The limit of two conditions that are both true.
    func and(_ other: KeyLimit) -> KeyLimit {
        if isOfOneKey, other.isOfOneKey {
            return KeyLimit(ODataKeyRange.common(ranges, other.ranges))
        }
        if isOfOneKey != other.isOfOneKey { return isOfOneKey ? self : other }
        return cost <= other.cost ? self : other
    }

    /// About how many items there are, seen from the ranges alone: those with two different ends
    /// are wide.
    private var cost: Int {
        ranges.reduce(0) { $0 + ($1.lower == $1.upper ? 1 : 1000) }
    }

    /// The limit of a member compared with a literal on the right.
    static func comparing(
        _ comparison: ODataNode.Comparison, with value: ODataValue
    ) -> KeyLimit? {
        let isEqual = comparison == .equal
        switch value {
        case _ where comparison == .notEqual: return nil
        case .null: return isEqual ? nil : .nothing
        case .bool(let value):
            return isEqual ? KeyLimit([.only(ODataKey.key(of: value))]) : .nothing
        case .integer(let value):
            return KeyLimit([.all(comparison, ODataKey.key(of: Double(value)), .number)])
        case .double(let value):
            return KeyLimit([.all(comparison, ODataKey.key(of: value), .number)])
        case .string(let text):
            return KeyLimit([.all(comparison, ODataKey.key(of: text), .string)])
        case .guid(let text):
            guard isEqual else { return KeyLimit([ODataKey.Kind.string.range]) }
            // Every mixture of cases lies between all upper and all lower.
            return KeyLimit([
                ODataKeyRange(
                    lower: ODataKey.key(of: text.uppercased()),
                    upper: ODataKey.key(of: text.lowercased()))
            ])
        case .instant(let instant):
            return KeyLimit([.days(comparison, Day(of: instant))])
        case .array, .object, .packedArray, .packedObject: return nil
        }
    }
}

extension ODataKeyRange {
    fileprivate static func only(_ key: [UInt8]) -> ODataKeyRange {
        ODataKeyRange(lower: key, upper: key)
    }

    /// The strings that begin with a text: no byte of UTF-8 is 255.
    fileprivate static func beginning(with text: String) -> ODataKeyRange {
        let key = ODataKey.key(of: text)
        return ODataKeyRange(lower: key, upper: key + [0xFF])
    }

    /// The keys of one kind that compare with a key of it; the key itself belongs to them always,
    /// since others are rounded or cut to it.
    fileprivate static func all(
        _ comparison: ODataNode.Comparison, _ key: [UInt8], _ kind: ODataKey.Kind
    ) -> ODataKeyRange {
        switch comparison {
        case .equal: .only(key)
        case .less, .lessOrEqual: ODataKeyRange(lower: kind.range.lower, upper: key)
        case .greater, .greaterOrEqual: ODataKeyRange(lower: key, upper: kind.range.upper)
        case .notEqual: kind.range
        }
    }

    /// The strings that can be a date, or a date and time, which compares with a day of UTC.
    ///
    /// They begin with a date; where the zone is a part of the text, it may be that of the day
    /// before or after.
    fileprivate static func days(
        _ comparison: ODataNode.Comparison, _ day: Day
    ) -> ODataKeyRange {
        let all = ODataKey.Kind.string.range
        let (before, after) = (Day(number: day.number - 1), Day(number: day.number + 1))
        var range = all
        if comparison != .less, comparison != .lessOrEqual, before.hasText {
            range.lower = ODataKey.key(of: before.text)
        }
        if comparison != .greater, comparison != .greaterOrEqual, after.hasText {
            range.upper = beginning(with: after.text).upper
        }
        return range
    }
}
