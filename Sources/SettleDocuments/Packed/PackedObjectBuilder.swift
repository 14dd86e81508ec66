/// Packs one object member by member, without values in between.
package struct PackedObjectBuilder {
    private var area = PackedBuilder()
    private var ends: [Int] = []
    private var last: [UInt8]?

    /// An object without members.
    ///
    /// - Parameter bytes: About how many bytes its members will take.
    package init(reservingCapacity bytes: Int) {
        area = PackedBuilder(reservingCapacity: bytes)
        ends.reserveCapacity(8)
    }

    /// Begins a member; exactly one value is appended to what `value` is handed.
    ///
    /// - Parameters:
    ///   - name: The name, above all before it by the bytes of UTF-8.
    ///   - value: Appends the value.
    /// - Throws: What `value` throws; `PackedError` for a name that is too long.
    package mutating func append(
        _ name: String, _ value: (inout PackedBuilder) throws(PackedError) -> Void
    ) throws(PackedError) {
        assert(
            last.map { $0.lexicographicallyPrecedes(name.utf8) } ?? true,
            "Members ascend by the bytes of their names.")
        assert(note(name))
        try area.append(name)
        try value(&area)
        ends.append(area.count)
    }

    /// The object.
    package consuming func finish() -> PackedValue { PackedObjectForm.object(ends, area.bytes) }

    /// Remembers a name, to see that the next is above it.
    private mutating func note(_ name: String) -> Bool {
        last = Array(name.utf8)
        return true
    }
}

extension PackedBuilder {
    /// Appends a copy of a packed value.
    package mutating func append(_ packed: PackedValue) {
        append(copying: packed.bytes.span, in: 0..<packed.bytes.count)
    }
}
