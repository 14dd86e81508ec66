/// Where things are in the commit log, and how its integers are written.
///
/// The file has three heads, which are written in turn, a note that the log must not be used, and two segments of
/// records, filled with zeros beforehand: a flush then has no change of the file's length to write.
/// `Docs/Formats/CommitLog.md` has the bytes.
enum LogLayout {
    /// The name of the log beside `data.mdb`.
    static let name = "log.mdb"
    /// Everything begins at a multiple of this: the largest sector that a drive writes as one.
    ///
    /// With less, a sector that a power failure damages while a record is written could hold one that was
    /// acknowledged before.
    static let blockBytes = 4_096
    /// A block of zeros.
    static let zeros = [UInt8](repeating: 0, count: blockBytes)
    /// The places of heads.
    ///
    /// Three, as the newest that was written need not have reached the medium: a process may have died before its
    /// flush. The next one then takes neither its place nor that of the one before.
    static let headCount = 3
    /// Where the note lies that a flush has failed.
    static let poisonOffset = headCount * blockBytes
    /// Where the first segment begins.
    static let segmentsOffset = 4 * blockBytes

    /// Where a segment begins.
    static func offset(ofSegment segment: Int, segmentBytes: Int) -> Int {
        segmentsOffset + segment * segmentBytes
    }

    /// Bytes of the file.
    static func fileBytes(segmentBytes: Int) -> Int { segmentsOffset + 2 * segmentBytes }

    /// The length of a record with its padding.
    static func padded(_ count: Int) -> Int {
        (count + blockBytes - 1) / blockBytes * blockBytes
    }
}

extension [UInt8] {
    /// Appends an integer, its lowest byte first.
    mutating func appendInteger(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    /// Writes an integer over what is there, its lowest byte first.
    mutating func setInteger(_ value: some FixedWidthInteger, at offset: Int) {
        precondition(offset >= 0 && offset + value.bitWidth / 8 <= count, "Written beyond the end.")
        withUnsafeMutableBytes {
            $0.storeBytes(of: value.littleEndian, toByteOffset: offset, as: type(of: value))
        }
    }

    /// An integer whose lowest byte comes first; nil where the bytes end before.
    func logInteger<T: FixedWidthInteger>(at offset: Int, as type: T.Type = T.self) -> T? {
        guard offset >= 0, offset + T.bitWidth / 8 <= count else { return nil }
        return T(
            littleEndian: withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: T.self) })
    }
}

/// The checksum of heads and records.
///
/// Each step maps the state one to one, whatever the word, so damage within one word of eight bytes is always
/// found, and other damage but for one case in 2^64.
struct LogChecksum {
    private var state: UInt64

    /// - Parameter seed: What the bytes belong to; with another seed the sum is another one.
    init(seed: UInt64) {
        state = Self.mix(0x9E37_79B9_7F4A_7C15, seed)
    }

    /// Takes bytes in.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        while offset + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            state = Self.mix(state, UInt64(littleEndian: word))
            offset += 8
        }
        var rest: UInt64 = 0
        for place in offset..<bytes.count { rest = rest << 8 | UInt64(bytes[place]) }
        state = Self.mix(state, rest)
        state = Self.mix(state, UInt64(bytes.count))
    }

    /// The sum of what was taken in.
    var value: UInt64 { state }

    private static func mix(_ state: UInt64, _ word: UInt64) -> UInt64 {
        var mixed = (state ^ word) &* 0xD6E8_FEB8_6659_FD93
        mixed ^= mixed >> 32
        mixed = mixed &* 0xD6E8_FEB8_6659_FD93
        return mixed ^ (mixed >> 29)
    }
}
