/// The names that lead from a packed object to a member inside it, prepared for many look-ups.
///
/// A step leads from an object to one of its members. Names are compared by their UTF-8 bytes.
package struct PackedPath: Sendable {
    /// The name of the first step; kept apart, because most paths have no other.
    private let first: PreparedName
    private let rest: [PreparedName]

    /// A path.
    ///
    /// - Precondition: There is a name.
    package init(_ names: [String]) {
        precondition(!names.isEmpty, "A path to a member has at least one name.")
        first = PreparedName(names[0])
        rest = names.dropFirst().map { PreparedName($0) }
    }

    /// Where the value at the path lies within the object that fills the range.
    ///
    /// Touches the heads of the objects on the way and, of each, the name in the place where the last
    /// object had it, or those that binary search meets.
    /// - Returns: nil when a step is absent or leads through something that is no object.
    /// - Throws: `PackedError` when something it touches is damaged; the value is not looked at.
    package func range(
        in bytes: Span<UInt8>, _ range: Range<Int>
    ) throws(PackedError) -> Range<Int>? {
        guard var place = try PackedForm.range(ofMember: first, of: bytes, in: range) else {
            return nil
        }
        for name in rest {
            guard let next = try PackedForm.range(ofMember: name, of: bytes, in: place) else {
                return nil
            }
            place = next
        }
        return place
    }
}
