extension WriteTransaction {
    /// Stores a value that is written straight into its place in the file's page.
    ///
    /// Saves the copy of ``put(_:for:in:)``. The closure must append exactly `count` bytes, else
    /// the call traps; it may read from the transaction and must not write to it, which traps.
    ///
    /// - Parameters:
    ///   - count: The value's length, at most `EnvironmentOptions.valueSizeMax`.
    ///   - key: 1 to 511 bytes.
    ///   - table: The table.
    ///   - fill: Writes the value. When it throws, the place holds no value, so the whole
    ///     transaction is given up: `write` throws this error even if its closure hides it.
    /// - Throws: ``LMDBError`` as ``put(_:for:in:)``, or what `fill` throws.
    /// - Complexity: O(log n) page reads and writes; no allocation of its own.
    package func put(
        count: Int, for key: [UInt8], in table: Table,
        _ fill: (inout OutputSpan<UInt8>) throws -> Void
    ) throws {
        _ = try place(count, for: key, in: table, .replacing, fill)
    }

    /// Stores a value, written straight into its place, unless the key is there.
    ///
    /// - Parameters:
    ///   - count: The value's length, at most `EnvironmentOptions.valueSizeMax`.
    ///   - key: 1 to 511 bytes.
    ///   - table: The table.
    ///   - fill: Writes the value as in ``put(count:for:in:_:)``; not called when the key is there.
    /// - Returns: Whether it was stored; if not, nothing has changed.
    /// - Throws: ``LMDBError`` as ``put(_:for:in:)``, or what `fill` throws.
    package func insert(
        count: Int, for key: [UInt8], in table: Table,
        _ fill: (inout OutputSpan<UInt8>) throws -> Void
    ) throws -> Bool {
        try place(count, for: key, in: table, .unlessPresent, fill)
    }

    private func place(
        _ count: Int, for key: [UInt8], in table: Table,
        _ placement: EngineTransaction.Placement,
        _ fill: (inout OutputSpan<UInt8>) throws -> Void
    ) throws -> Bool {
        precondition(count >= 0, "A value has no negative length.")
        let slot = try requirePlace(for: key, byteCount: count, in: table)
        let isGreatest = try isGreatest(key, in: table, slot)
        let reserved = try noting { () throws(LMDBError) in
            try live.reserve(count, for: key, in: slot, placement, atEnd: isGreatest)
        }
        guard let reserved else { return false }
        if isGreatest { key.withUnsafeBytes { tails.learn($0, table.slot) } }
        isFilling = true
        defer { isFilling = false }
        do {
            var output = OutputSpan(buffer: reserved, initializedCount: 0)
            try fill(&output)
            let filled = output.finalize(for: reserved)
            precondition(
                filled == count, "A value of \(count) bytes was filled with \(filled) bytes.")
            changes?.put(UnsafeRawBufferPointer(reserved), for: key, in: table)
        } catch {
            spoiled = error
            throw error
        }
        return true
    }
}
