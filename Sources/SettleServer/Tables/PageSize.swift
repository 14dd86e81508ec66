/// How much the items of a page take, as far as it matters: whether it is more than a limit.
///
/// What an item takes at most is known without looking into it, so items are measured only when that might be
/// too much.
struct PageSize {
    /// What of an item has to be measured, and what of its size is known.
    private struct Unmeasured {
        var members: ItemMembers
        var frame: Int
    }

    private let sizeMax: Int
    /// What the items take that were measured.
    private var measured = 0
    /// The others, and what they take at most.
    private var unmeasured: [Unmeasured] = []
    private var unmeasuredMax = 0

    /// How much is kept to be measured later, at most, in bytes of ``ItemMembers/approximateSizeMax``.
    private static let unmeasuredSizeMax = 8 << 20

    /// - Parameter sizeMax: The limit, in bytes of ``TableItem/approximateSize``.
    init(max sizeMax: Int) {
        self.sizeMax = sizeMax
    }

    /// Adds an item.
    ///
    /// - Returns: Whether all items together are within the limit.
    /// - Throws: `PackedError` when the members of an item are damaged that were not checked before.
    mutating func add(_ item: TableItem) throws -> Bool {
        let frame = item.approximateFrameSize
        unmeasured.append(Unmeasured(members: item.members, frame: frame))
        unmeasuredMax += frame + item.members.approximateSizeMax
        if unmeasuredMax > Self.unmeasuredSizeMax || measured + unmeasuredMax > sizeMax {
            measured += try unmeasured.reduce(0) { try $0 + $1.frame + $1.members.measuredSize() }
            unmeasured = []
            unmeasuredMax = 0
        }
        return measured <= sizeMax
    }
}
