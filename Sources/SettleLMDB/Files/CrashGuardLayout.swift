/// How a crash guard file lies on the disk, which is also how it lies in memory.
///
/// A head of 384 bytes: "settlemk" 8, format 4, slot count 4, the start of the machine in which it
/// was made 40, the rest zero. Then the slots, 384 bytes each: tag 8, record 264, the rest unused;
/// everything in the host's byte order. Of the tag the low 16 bits are the length of the record and
/// the others belong to a hash of it; a tag of zero is an empty slot.
///
/// A slot is as long as three of the longest cache lines there are, so that two workers never
/// write to the same line.
enum CrashGuardLayout {
    /// Bytes of the longest record.
    static let byteCountMax = 264
    /// Bytes from one slot to the next, and of the head.
    static let strideBytes = 384
    /// Where in its slot a record begins; the tag is before it.
    static let recordOffset = 8
    /// More workers than any machine has cores for.
    static let slotCountMax = 4_096

    private static let magic = Array("settlemk".utf8)
    private static let format: UInt32 = 1
    private static let startOffset = 16

    /// Bytes of a file of so many slots.
    static func sizeBytes(slotCount: Int) -> Int { strideBytes * (1 + slotCount) }

    /// Where a slot begins.
    static func offset(ofSlot slot: Int) -> Int { strideBytes * (1 + slot) }

    /// The head of a new file.
    static func head(slotCount: Int, start: [UInt8]) -> [UInt8] {
        var head = magic
        for number in [format, UInt32(slotCount)] {
            withUnsafeBytes(of: number) { head.append(contentsOf: $0) }
        }
        head += start
        return head + [UInt8](repeating: 0, count: strideBytes - head.count)
    }

    /// The tag of a record; never zero, because a record has a length.
    ///
    /// Not against malice: it tells a record of which only a part was written, or came to the disk.
    static func tag(of record: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
        var offset = 0
        while offset < record.count {
            var word: UInt64 = 0
            if offset + 8 <= record.count {
                word = record.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            } else {
                for place in offset..<record.count { word = word << 8 | UInt64(record[place]) }
            }
            hash = (hash ^ word) &* 0xD6E8_FEB8_6659_FD93
            hash ^= hash >> 32
            offset += 8
        }
        return hash & ~0xFFFF | UInt64(record.count)
    }

    /// What the bytes of a file say.
    enum Content: Equatable {
        /// The file was never finished: no record was ever set in it.
        case unfinished
        /// The records, in the order of their slots.
        case records([[UInt8]])
        /// The file is another program's.
        case foreign
    }

    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - file: Its bytes, whatever they are.
    ///   - start: The present start of the machine.
    /// - Returns: Its records; none if the machine was started anew since.
    static func content(of file: [UInt8], start: [UInt8]) -> Content {
        let head = file.prefix(strideBytes)
        guard head.contains(where: { $0 != 0 }) else { return .unfinished }
        guard head.starts(with: magic), file.count >= strideBytes,
            file.unsigned32(at: 8) == format,
            file.count == sizeBytes(slotCount: Int(file.unsigned32(at: 12)))
        else { return .foreign }
        // What killed the process then was the machine and not its work; and what of the file
        // had come to the disk is a matter of chance.
        guard file[startOffset...].starts(with: start) else { return .records([]) }
        let offsets = stride(from: strideBytes, to: file.count, by: strideBytes)
        return .records(offsets.compactMap { record(in: file, at: $0) })
    }

    /// The record of the slot at an offset; nil when it is empty or was not written whole.
    private static func record(in file: [UInt8], at offset: Int) -> [UInt8]? {
        let tag = file.unsigned64(at: offset)
        let count = Int(tag & 0xFFFF)
        guard (1...byteCountMax).contains(count) else { return nil }
        let record = Array(file[offset + recordOffset..<offset + recordOffset + count])
        return record.withUnsafeBytes { Self.tag(of: $0) } == tag ? record : nil
    }
}
