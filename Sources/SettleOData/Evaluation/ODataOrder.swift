/// How values compare: for `eq` to `le` within one kind, and for `$orderby` over all kinds.
package enum ODataOrder {
    /// Whether a comparison is true.
    static func holds(
        _ comparison: ODataNode.Comparison, _ left: ODataValue, _ right: ODataValue
    ) -> Bool {
        switch comparison {
        case .equal: areEqual(left, right)
        case .notEqual: !areEqual(left, right)
        case .greater: relation(left, right).map { $0 > 0 } ?? false
        case .greaterOrEqual: relation(left, right).map { $0 >= 0 } ?? false
        case .less: relation(left, right).map { $0 < 0 } ?? false
        case .lessOrEqual: relation(left, right).map { $0 <= 0 } ?? false
        }
    }

    /// Whether two values are equal; null equals null and nothing else.
    static func areEqual(_ left: ODataValue, _ right: ODataValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (.packedArray(let left), .packedArray(let right)): left == right
        case (.packedObject(let left), .packedObject(let right)): left == right
        case (.packedArray, .array), (.array, .packedArray), (.packedObject, .object),
            (.object, .packedObject):
            left.unpacked == right.unpacked
        default: relation(left, right) == 0
        }
    }

    /// Less than, equal to or greater than 0 as left is to right; nil when they do not compare.
    private static func relation(_ left: ODataValue, _ right: ODataValue) -> Int? {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): return sign(left, right)
        case (.double(let left), .double(let right)): return sign(left, right)
        case (.integer(let left), .double(let right)): return sign(left, right)
        case (.double(let left), .integer(let right)): return sign(right, left).map { -$0 }
        case (.string(let left), .string(let right)): return bytes(left, right)
        case (.guid(let left), .guid(let right)): return bytes(left, right)
        case (.guid(let left), .string(let right)): return bytes(left, right.lowercased())
        case (.string(let left), .guid(let right)): return bytes(left.lowercased(), right)
        case (.instant, _), (_, .instant):
            guard let left = left.asInstant, let right = right.asInstant else { return nil }
            return sign(left, right)
        default: return nil
        }
    }

    /// The total order of `$orderby`: null, false, true, numbers, strings, instants, arrays,
    /// objects; arrays and objects are all alike.
    package static func sortRelation(_ left: ODataValue, _ right: ODataValue) -> Int {
        let (leftRank, rightRank) = (rank(left), rank(right))
        guard leftRank == rightRank else { return leftRank < rightRank ? -1 : 1 }
        return relation(left, right) ?? 0
    }

    private static func rank(_ value: ODataValue) -> Int {
        switch value {
        case .null: 0
        case .bool(false): 1
        case .bool(true): 2
        case .integer, .double: 3
        case .string, .guid: 4
        case .instant: 5
        case .array, .packedArray: 6
        case .object, .packedObject: 7
        }
    }

    private static func sign<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left < right ? -1 : (left == right ? 0 : 1)
    }

    /// Compares a whole number with a double exactly, where converting either would round.
    private static func sign(_ left: Int64, _ right: Double) -> Int? {
        if right.isNaN { return nil }
        if right >= 0x1p63 { return -1 }
        if right < -0x1p63 { return 1 }
        let whole = right.rounded(.down)
        let wholeSign = sign(left, Int64(whole))
        return wholeSign == 0 && whole < right ? -1 : wholeSign
    }

    /// The order of the UTF-8 bytes, which is the order of the Unicode scalars.
    package static func bytes(_ left: String, _ right: String) -> Int {
        if left.utf8.elementsEqual(right.utf8) { return 0 }
        return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
    }
}
