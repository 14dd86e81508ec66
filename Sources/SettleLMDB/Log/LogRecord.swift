/// One commit in the log: its transaction, and what it put and deleted.
///
/// Shape: magic 4, length of the content 4, generation 8, transaction 8, checksum 8, content, zeros up to the next
/// block.
struct LogRecord: Equatable {
    /// What tells the record of one log, segment and time from all others.
    struct Place: Equatable {
        let identifier: UInt32
        let generation: UInt64
        let transaction: UInt64
    }

    static let headerBytes = 32
    private static let magic: UInt32 = 0x4D43_5453
    private static let sumOffset = 24

    let transaction: UInt64
    let content: [UInt8]

    /// Bytes it takes in the segment.
    var paddedBytes: Int { LogLayout.padded(Self.headerBytes + content.count) }

    /// Fills in the header before a content, and the padding behind it.
    ///
    /// - Parameters:
    ///   - bytes: Room for the header, and the content.
    ///   - place: What the record belongs to.
    ///   - faults: What a test leaves out.
    static func seal(_ bytes: inout [UInt8], as place: Place, faults: CommitLogFaults) {
        let count = bytes.count - headerBytes
        bytes.setInteger(magic, at: 0)
        bytes.setInteger(UInt32(count), at: 4)
        bytes.setInteger(place.generation, at: 8)
        bytes.setInteger(place.transaction, at: 16)
        bytes.setInteger(sum(bytes[...], place, faults), at: sumOffset)
        if faults.contains(.noPadding) { return }
        let padding = LogLayout.padded(bytes.count) - bytes.count
        // All at once, which tests of a build that is not optimised notice.
        bytes.append(contentsOf: LogLayout.zeros[..<padding])
    }

    /// How long the content is that a header promises; nil when it is none of the place's.
    static func contentCount(
        _ header: [UInt8], _ place: Place, faults: CommitLogFaults
    ) -> Int? {
        guard header.logInteger(at: 0) == magic,
            header.logInteger(at: 16) == place.transaction,
            faults.contains(.noGeneration) || header.logInteger(at: 8) == place.generation,
            let count = header.logInteger(at: 4, as: UInt32.self)
        else { return nil }
        return Int(count)
    }

    /// Reads a record.
    ///
    /// - Parameters:
    ///   - bytes: Header and content.
    ///   - place: What it must belong to.
    ///   - faults: What a test leaves out.
    /// - Returns: The record; nil when it is another's, was not wholly written, or is damaged.
    static func read(
        _ bytes: ArraySlice<UInt8>, _ place: Place, faults: CommitLogFaults
    ) -> LogRecord? {
        let header = Array(bytes.prefix(headerBytes))
        guard header.count == headerBytes,
            let count = contentCount(header, place, faults: faults),
            bytes.count >= headerBytes + count
        else { return nil }
        let whole = bytes.prefix(headerBytes + count)
        guard
            faults.contains(.noChecksum)
                || header.logInteger(at: sumOffset) == sum(whole, place, faults)
        else { return nil }
        return LogRecord(
            transaction: place.transaction, content: Array(whole.dropFirst(headerBytes)))
    }

    private static func sum(
        _ bytes: ArraySlice<UInt8>, _ place: Place, _ faults: CommitLogFaults
    ) -> UInt64 {
        let generation = faults.contains(.noGeneration) ? 0 : place.generation
        var sum = LogChecksum(seed: UInt64(place.identifier) ^ generation << 32)
        bytes.withUnsafeBytes { all in
            // The generation is in the seed.
            sum.add(UnsafeRawBufferPointer(rebasing: all[..<8]))
            sum.add(UnsafeRawBufferPointer(rebasing: all[16..<sumOffset]))
            sum.add(UnsafeRawBufferPointer(rebasing: all[headerBytes...]))
        }
        return sum.value
    }
}
