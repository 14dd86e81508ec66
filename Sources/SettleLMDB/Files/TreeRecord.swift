/// What the file says about a tree: depth, numbers of pages and entries, and its first page.
struct TreeRecord: Equatable {
    static let sizeBytes = 48

    let flags: UInt16
    let depth: Int
    let branchPages: UInt64
    let leafPages: UInt64
    let overflowPages: UInt64
    let entryCount: UInt64
    let root: UInt64

    /// Reads a record; the 48 bytes must be there.
    init(_ bytes: [UInt8], at offset: Int) {
        flags = bytes.unsigned16(at: offset + 4)
        depth = Int(bytes.unsigned16(at: offset + 6))
        branchPages = bytes.unsigned64(at: offset + 8)
        leafPages = bytes.unsigned64(at: offset + 16)
        overflowPages = bytes.unsigned64(at: offset + 24)
        entryCount = bytes.unsigned64(at: offset + 32)
        root = bytes.unsigned64(at: offset + 40)
    }
}
