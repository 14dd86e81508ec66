import SettlePrimitives

/// What a leaf and a summary begin with: how many entries, and their reduction.
///
/// Shape: number of entries; length of the reduction and 1, or 0 when none is stored; reduction.
/// A leaf goes on with its entries (``LeafReader``), a summary ends here.
struct NodeHeader {
    /// The most entries that a header can tell of: what ``KeyBytes/number(_:at:)`` reads.
    static let entryCountMax = 1 << 49 - 1

    /// How many entries there are, in the leaf or below the summary.
    let entryCount: Int
    /// Where the reduction lies in the node; nil when none is stored.
    let reduction: Range<Int>?
    /// Where the header ends.
    let end: Int

    /// Reads the header of a node; nil when the bytes are none.
    @inline(__always)
    init?(_ bytes: Span<UInt8>) {
        var position = 0
        guard let entryCount = bytes.length(at: &position),
            let length = bytes.length(at: &position),
            length - 1 <= bytes.count - position
        else { return nil }
        self.entryCount = entryCount
        reduction = length == 0 ? nil : position..<position + length - 1
        end = length == 0 ? position : position + length - 1
    }

    /// Appends the header of a node to a buffer.
    static func write(entryCount: Int, reduction: [UInt8]?, to buffer: inout ByteBuffer) {
        buffer.append(variable: entryCount)
        buffer.append(variable: reduction.map { $0.count + 1 } ?? 0)
        if let reduction { buffer.append(reduction.span) }
    }
}
