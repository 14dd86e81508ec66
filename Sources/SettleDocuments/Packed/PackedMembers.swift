/// Where the members of one packed object lie.
package struct PackedMembers: Sendable {
    /// How many members the object has.
    package let count: Int

    /// Where the members lie, one after another: a name, a value.
    package let area: Range<Int>

    private let table: Int
    private let width: Int

    /// Reads the head of the object that begins at `start`.
    init(_ bytes: Span<UInt8>, at start: Int, before limit: Int) throws(PackedError) {
        let widthClass = bytes[start] - PackedTag.object
        width = 1 << Int(widthClass)
        table = start + 1 + width
        guard table <= limit else { throw PackedError(.truncated, at: start) }
        count = try PackedForm.number(of: bytes, at: start + 1, width: width)
        guard count <= (limit - table) / width else { throw PackedError(.truncated, at: start) }
        let areaStart = table + count * width
        var size = 0
        if count > 0 {
            size = try PackedForm.number(of: bytes, at: areaStart - width, width: width)
        }
        guard size <= limit - areaStart else { throw PackedError(.truncated, at: start) }
        // Every member has a name and a value, of at least one byte each.
        guard PackedTag.widthClass(size) == widthClass, count <= size / 2 else {
            throw PackedError(.notCanonical, at: start)
        }
        area = areaStart..<(areaStart + size)
    }

    /// Where the member of that number lies, name and value together.
    ///
    /// - Throws: `PackedError` when the offsets do not ascend.
    @inline(__always)
    func range(of index: Int, in bytes: Span<UInt8>) throws(PackedError) -> Range<Int> {
        let entry = table + index * width
        var start = 0
        let end: Int
        if width == 1 {
            if index > 0 { start = Int(bytes[entry - 1]) }
            end = Int(bytes[entry])
        } else {
            if index > 0 {
                start = try PackedForm.number(of: bytes, at: entry - width, width: width)
            }
            end = try PackedForm.number(of: bytes, at: entry, width: width)
        }
        guard start < end, end <= area.count else { throw PackedError(.truncated, at: entry) }
        return (area.lowerBound + start)..<(area.lowerBound + end)
    }

    /// Where the name's UTF-8 and the value of the member of that number lie.
    ///
    /// - Parameters:
    ///   - index: 0 up to `count`.
    ///   - bytes: The bytes that the object was read from.
    /// - Returns: The two ranges.
    /// - Throws: `PackedError` when the offsets or the name are damaged; the value is not looked at.
    package func member(
        _ index: Int, in bytes: Span<UInt8>
    ) throws(PackedError) -> (name: Range<Int>, value: Range<Int>) {
        precondition((0..<count).contains(index), "A packed object has no member of this number.")
        return try parts(of: index, in: bytes)
    }

    /// As `member(_:in:)`, for a number that is known to be in range.
    @inline(__always)
    private func parts(
        of index: Int, in bytes: Span<UInt8>
    ) throws(PackedError) -> (name: Range<Int>, value: Range<Int>) {
        let range = try range(of: index, in: bytes)
        let tag = bytes[range.lowerBound]
        if tag <= PackedTag.shortStringMax {
            let name = (range.lowerBound + 1)..<(range.lowerBound + 1 + Int(tag))
            guard name.upperBound < range.upperBound else {
                throw PackedError(.truncated, at: range.lowerBound)
            }
            return (name, name.upperBound..<range.upperBound)
        }
        let head = try PackedForm.content(of: bytes, in: range)
        guard case .string(let name) = head.content else {
            throw PackedError(.nameIsNoString, at: range.lowerBound)
        }
        guard head.end < range.upperBound else { throw PackedError(.truncated, at: head.end) }
        return (name, head.end..<range.upperBound)
    }

    /// Where the value of the member of that name lies; nil when there is none.
    ///
    /// Names are compared by their UTF-8 bytes. Cost: a binary search, no allocation.
    /// - Throws: `PackedError` when a name it meets is damaged.
    package func value(
        named name: String, in bytes: Span<UInt8>
    ) throws(PackedError) -> Range<Int>? {
        try value(named: ByteName(name), in: bytes)
    }

    func value(
        named name: ByteName, in bytes: Span<UInt8>
    ) throws(PackedError) -> Range<Int>? {
        try find(name, in: bytes)?.value
    }

    /// Where the value of the member of a prepared name lies; nil when there is none.
    ///
    /// Cost: one comparison where the last object that was asked had the member in the same place,
    /// and a binary search otherwise.
    /// - Throws: `PackedError` when a name it meets is damaged.
    @inline(__always)
    func value(
        named prepared: PreparedName, in bytes: Span<UInt8>
    ) throws(PackedError) -> Range<Int>? {
        let expected = prepared.place
        guard let found = try find(prepared.name, expectedAt: expected, in: bytes) else {
            return nil
        }
        if found.place != expected { prepared.remember(found.place) }
        return found.value
    }

    /// The number and the value of the member of that name; nil when there is none.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - expected: Where the search begins, from 0; there may be no such member.
    ///   - bytes: The bytes that the object was read from.
    /// - Returns: Its number, and where its value lies.
    /// - Throws: `PackedError` when a name it meets is damaged.
    @inline(__always)
    func find(
        _ name: ByteName, expectedAt expected: Int, in bytes: Span<UInt8>
    ) throws(PackedError) -> (place: Int, value: Range<Int>)? {
        if expected < count {
            let (found, value) = try parts(of: expected, in: bytes)
            if name.isSame(in: bytes, found) { return (expected, value) }
        }
        return try find(name, in: bytes)
    }

    private func find(
        _ name: ByteName, in bytes: Span<UInt8>
    ) throws(PackedError) -> (place: Int, value: Range<Int>)? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low &+ high) / 2
            let (found, value) = try parts(of: middle, in: bytes)
            let order = name.order(in: bytes, found)
            if order == 0 { return (middle, value) }
            if order < 0 { high = middle } else { low = middle &+ 1 }
        }
        return nil
    }
}
