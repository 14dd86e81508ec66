/// The head of a commit log: the storage checkpoint, and where the records after it begin.
struct LogHead: Equatable {
    /// What the data file needs.
    enum State: UInt32 {
        /// Nothing: its own meta pages say what is valid.
        case clean = 0
        /// To be put back to the storage checkpoint, and the records to be carried out.
        case live = 1
    }

    /// The form of the log that this release writes.
    static let version: UInt32 = 1

    var state: State
    /// Rises with every head; the greatest counts.
    var sequence: UInt64
    /// The identifier that log and data file have in common.
    var identifier: UInt32
    /// Tells one use of the log by one process from the next; zero while it is clean.
    var session: UInt32
    /// The generation of the first segment with records; of a clean log the last that may have been used.
    var generation: UInt64
    /// The segment where the records begin, 0 or 1.
    var segment: Int
    /// Bytes of a segment.
    var segmentBytes: Int
    /// Bytes of a page of the data file.
    var pageSizeBytes: Int
    /// The transaction of the storage checkpoint.
    var checkpoint: UInt64
    /// The meta page of the storage checkpoint, header and record; empty for a clean log.
    var meta: [UInt8]

    private static let magic: UInt64 = 0x474F_4C65_6C74_7453
    private static let metaOffset = 72
    private static let sumOffset = metaOffset + DataFile.metaSizeBytes
    static let usedBytes = sumOffset + 8

    /// Which of the places it is written to.
    var slot: Int { Int(sequence % UInt64(LogLayout.headCount)) }

    /// Where it is written to.
    var offset: Int { slot * LogLayout.blockBytes }

    /// The block that holds it.
    var block: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(LogLayout.blockBytes)
        bytes.appendInteger(Self.magic)
        bytes.appendInteger(Self.version)
        bytes.appendInteger(state.rawValue)
        bytes.appendInteger(sequence)
        bytes.appendInteger(UInt64(identifier))
        bytes.appendInteger(generation)
        bytes.appendInteger(UInt32(segment))
        bytes.appendInteger(UInt32(pageSizeBytes))
        bytes.appendInteger(UInt64(segmentBytes))
        bytes.appendInteger(checkpoint)
        bytes.appendInteger(UInt64(session))
        bytes.append(contentsOf: meta)
        bytes.append(contentsOf: repeatElement(0, count: Self.sumOffset - bytes.count))
        bytes.appendInteger(Self.sum(bytes))
        bytes.append(contentsOf: repeatElement(0, count: LogLayout.blockBytes - bytes.count))
        return bytes
    }

    /// What a block was found to hold.
    enum Found: Equatable {
        case head(LogHead)
        /// A form of a later release.
        case newer(version: UInt32)
        /// Nothing, or damage.
        case none
    }

    /// Reads a block.
    static func read(_ block: [UInt8]) -> Found {
        guard block.count >= usedBytes, block.logInteger(at: 0) == magic,
            block.logInteger(at: sumOffset) == sum(Array(block[..<sumOffset])),
            let version = block.logInteger(at: 8, as: UInt32.self)
        else { return .none }
        guard version == Self.version else { return .newer(version: version) }
        guard let state = block.logInteger(at: 12, as: UInt32.self).flatMap(State.init),
            let sequence = block.logInteger(at: 16, as: UInt64.self),
            let identifier = block.logInteger(at: 24, as: UInt64.self),
            let generation = block.logInteger(at: 32, as: UInt64.self),
            let segment = block.logInteger(at: 40, as: UInt32.self), segment < 2,
            let pageSize = block.logInteger(at: 44, as: UInt32.self),
            let segmentBytes = block.logInteger(at: 48, as: UInt64.self),
            segmentBytes > 0, segmentBytes <= UInt64(Int32.max),
            let checkpoint = block.logInteger(at: 56, as: UInt64.self),
            let session = block.logInteger(at: 64, as: UInt64.self)
        else { return .none }
        let meta = Array(block[metaOffset..<metaOffset + DataFile.metaSizeBytes])
        return .head(
            LogHead(
                state: state, sequence: sequence,
                identifier: UInt32(truncatingIfNeeded: identifier),
                session: UInt32(truncatingIfNeeded: session), generation: generation,
                segment: Int(segment), segmentBytes: Int(segmentBytes),
                pageSizeBytes: Int(pageSize),
                checkpoint: checkpoint, meta: state == .clean ? [] : meta))
    }

    /// The newest of some blocks' heads.
    static func newest(_ blocks: [[UInt8]]) -> Found {
        var best = Found.none
        for block in blocks {
            switch (read(block), best) {
            case (.newer(let version), _): return .newer(version: version)
            case (.head(let head), .head(let other)) where head.sequence <= other.sequence: break
            case (.head(let head), _): best = .head(head)
            case (.none, _): break
            }
        }
        return best
    }

    /// A head that says that nothing is to be done, in the place of this one.
    ///
    /// - Parameters:
    ///   - checkpoint: The transaction whose state the data file has.
    ///   - generation: The last that may have been used in a segment.
    /// - Returns: The next head.
    func cleaned(checkpoint: UInt64, generation: UInt64) -> LogHead {
        var next = self
        next.state = .clean
        next.sequence += 1
        next.session = 0
        next.checkpoint = checkpoint
        next.generation = generation
        next.meta = []
        return next
    }

    private static func sum(_ bytes: [UInt8]) -> UInt64 {
        var sum = LogChecksum(seed: magic)
        bytes.withUnsafeBytes { sum.add($0) }
        return sum.value
    }
}
