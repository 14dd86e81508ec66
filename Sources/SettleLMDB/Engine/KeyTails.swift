#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The greatest key of each table a write transaction has put into.
///
/// A key above it may be appended, which leaves full pages behind; a plain put splits a page in
/// half even when nothing will ever be put into the lower half. Belongs to the environment and is
/// used under the writer's place only, so that its memory serves one transaction after the other:
/// a put allocates nothing.
final class KeyTails: @unchecked Sendable {
    private struct Entry {
        /// What the entry was learnt in; it counts for nothing in another transaction.
        var transaction: UInt64 = 0
        /// Length of the key, zero for an empty table.
        var count = 0
        var bytes: UnsafeMutableRawPointer?
    }

    private var entries: [Entry] = []
    private var transaction: UInt64 = 1

    deinit {
        for entry in entries { entry.bytes?.deallocate() }
    }

    /// Forgets everything: a transaction begins.
    func begin() {
        transaction += 1
    }

    /// Forgets one table's: its last key may be gone.
    func forget(_ slot: UInt32) {
        if Int(slot) < entries.count { entries[Int(slot)].transaction = 0 }
    }

    /// Whether the greatest key of the table is known.
    func knows(_ slot: UInt32) -> Bool {
        Int(slot) < entries.count && entries[Int(slot)].transaction == transaction
    }

    /// How a key stands to the greatest one, which must be known.
    ///
    /// - Returns: Positive when the key is greater, zero when it is the one.
    func compare(_ key: UnsafeRawBufferPointer, _ slot: UInt32) -> Int {
        let entry = entries[Int(slot)]
        if let start = key.baseAddress, let other = entry.bytes {
            let order = memcmp(start, other, min(key.count, entry.count))
            if order != 0 { return Int(order) }
        }
        return key.count - entry.count
    }

    /// Takes the key for the table's greatest; an empty one stands for an empty table.
    func learn(_ key: UnsafeRawBufferPointer, _ slot: UInt32) {
        precondition(key.count <= EnvironmentTuning.keySizeMax, "No stored key is as long.")
        while entries.count <= Int(slot) { entries.append(Entry()) }
        let index = Int(slot)
        entries[index].transaction = transaction
        entries[index].count = key.count
        guard let start = key.baseAddress, key.count > 0 else { return }
        let bytes =
            entries[index].bytes
            ?? UnsafeMutableRawPointer.allocate(
                byteCount: EnvironmentTuning.keySizeMax, alignment: 1)
        entries[index].bytes = bytes
        memcpy(bytes, start, key.count)
    }
}
