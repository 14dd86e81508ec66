import Settle

extension PackedValue {
    /// About how many bytes the value takes as text: what `approximateSize` of the same `JSONValue` is.
    ///
    /// - Throws: `PackedError` when what it touches is damaged.
    /// - Complexity: All that is in it, without memory of its own.
    func approximateSize() throws(PackedError) -> Int {
        try Self.approximateSize(of: bytes.span, in: 0..<bytes.count).size
    }

    /// The size of the value at the range's start, and where it ends.
    private static func approximateSize(
        of bytes: Span<UInt8>, in range: Range<Int>
    ) throws(PackedError) -> (size: Int, end: Int) {
        let (content, end) = try PackedForm.content(of: bytes, in: range)
        switch content {
        case .null, .bool, .integer, .double: return (8, end)
        case .string(let text): return (2 + text.count, end)
        case .array(let area):
            var (size, next) = (2, area.lowerBound)
            while next < area.upperBound {
                let element = try approximateSize(of: bytes, in: next..<area.upperBound)
                size += 1 + element.size
                next = element.end
            }
            return (size, end)
        case .object(let members):
            var size = 2
            for index in 0..<members.count {
                let (name, value) = try members.member(index, in: bytes)
                size += 4 + name.count + (try approximateSize(of: bytes, in: value).size)
            }
            return (size, end)
        }
    }
}
