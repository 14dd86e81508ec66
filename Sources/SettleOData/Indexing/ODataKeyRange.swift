/// A closed range of keys, in the order of their bytes.
///
/// The ends need not be keys of any value.
package struct ODataKeyRange: Sendable, Hashable {
    /// The lowest key, which belongs to the range.
    package var lower: [UInt8]
    /// The highest key, which belongs to the range.
    package var upper: [UInt8]

    /// A range whose ends are in order.
    package init(lower: [UInt8], upper: [UInt8]) {
        self.lower = lower
        self.upper = upper
    }

    /// The range of the items with more keys than an index takes, each of which any filter may be
    /// true for.
    package static let overflow = ODataKeyRange(lower: ODataKey.overflow, upper: ODataKey.overflow)

    /// Whether a key lies in the range.
    package func contains(_ key: [UInt8]) -> Bool {
        !key.lexicographicallyPrecedes(lower) && !upper.lexicographicallyPrecedes(key)
    }

    /// The same keys in as few ranges as can be, in their order.
    static func merged(_ ranges: [ODataKeyRange]) -> [ODataKeyRange] {
        let sorted = ranges.sorted { $0.lower.lexicographicallyPrecedes($1.lower) }
        return sorted.reduce(into: []) { merged, range in
            guard let last = merged.last, !last.upper.lexicographicallyPrecedes(range.lower) else {
                merged.append(range)
                return
            }
            if last.upper.lexicographicallyPrecedes(range.upper) {
                merged[merged.count - 1].upper = range.upper
            }
        }
    }

    /// The keys that lie in both of two merged lists.
    static func common(
        _ left: [ODataKeyRange], _ right: [ODataKeyRange]
    ) -> [ODataKeyRange] {
        var common: [ODataKeyRange] = []
        var (leftIndex, rightIndex) = (0, 0)
        while leftIndex < left.count, rightIndex < right.count {
            let (one, other) = (left[leftIndex], right[rightIndex])
            let lower =
                one.lower.lexicographicallyPrecedes(other.lower) ? other.lower : one.lower
            let isOneFirst = one.upper.lexicographicallyPrecedes(other.upper)
            let upper = isOneFirst ? one.upper : other.upper
            if !upper.lexicographicallyPrecedes(lower) {
                common.append(ODataKeyRange(lower: lower, upper: upper))
            }
            if isOneFirst { leftIndex += 1 } else { rightIndex += 1 }
        }
        return common
    }
}
