import SettlePrimitives

// Objects compared member by member, by their bytes: equal values have equal bytes.

extension PackedValue {
    /// The names of the members in which this object and another differ: those of one alone, and those with
    /// different values.
    ///
    /// - Parameter other: The other.
    /// - Returns: The names, ascending by the bytes of UTF-8; nil when a name of one alone may be another
    ///   spelling of a name in the other, so that values have to be compared.
    /// - Throws: `PackedError` when either is damaged, or no object.
    /// - Complexity: The bytes of both, once; memory for the names that are returned alone.
    package func namesDiffering(from other: PackedValue) throws(PackedError) -> [String]? {
        if bytes == other.bytes { return [] }
        let (mine, theirs) = (bytes.span, other.bytes.span)
        let (own, given) = (try members(), try other.members())
        var names: [String] = []
        var (left, right) = (0, 0)
        while left < own.count || right < given.count {
            var order = left < own.count ? -1 : 1
            if left < own.count, right < given.count {
                order = PackedObjectForm.order(
                    mine, try own.member(left, in: mine).name, theirs,
                    try given.member(right, in: theirs).name)
            }
            if order == 0 {
                let (name, value) = try own.member(left, in: mine)
                let otherValue = try given.member(right, in: theirs).value
                if !mine.isEqual(in: value, to: theirs, in: otherValue) {
                    names.append(try PackedForm.utf8(of: mine, in: name))
                }
                left += 1
                right += 1
                continue
            }
            let (span, name) =
                order < 0
                ? (mine, try own.member(left, in: mine).name)
                : (theirs, try given.member(right, in: theirs).name)
            if PackedObjectForm.hasDoubles(span, in: name) { return nil }
            names.append(try PackedForm.utf8(of: span, in: name))
            if order < 0 { left += 1 } else { right += 1 }
        }
        return names
    }
}

extension Span<UInt8> {
    /// Whether a part of these bytes equals a part of others.
    fileprivate func isEqual(
        in range: Range<Int>, to other: Span<UInt8>, in otherRange: Range<Int>
    ) -> Bool {
        guard range.count == otherRange.count else { return false }
        for place in 0..<range.count
        where self[range.lowerBound + place] != other[otherRange.lowerBound + place] {
            return false
        }
        return true
    }
}
