import SettlePrimitives

/// The place of one row among the rows of an answer.
///
/// An answer consists of segments, one for a range and one for each key of a list, in order. Within
/// a segment, a row stands where its bytes say: those of the index row, or those that the rows of a
/// group have in common.
package struct RowPosition: Sendable, Hashable {
    /// The number of the segment.
    package let segment: Int
    /// The place within it.
    package let bytes: [UInt8]

    /// A place.
    package init(segment: Int, bytes: [UInt8]) {
        self.segment = segment
        self.bytes = bytes
    }

    /// Whether one place comes before another.
    ///
    /// - Parameters:
    ///   - other: The other place.
    ///   - isDescending: True when bytes descend within a segment.
    /// - Returns: False also for equal places.
    package func precedes(_ other: RowPosition, isDescending: Bool) -> Bool {
        if segment != other.segment { return segment < other.segment }
        return isDescending
            ? KeyBytes.compare(other.bytes, bytes) < 0 : KeyBytes.compare(bytes, other.bytes) < 0
    }
}
