/// Puts pieces that come in any order into theirs.
struct PieceLine {
    private var early: [Int: MappedPieces] = [:]
    /// The first range whose pieces have not come.
    private(set) var nextNumber = 0
    private var ready: [MappedPiece] = []
    private var documentCount = 0
    private var byteCount = 0
    private var duration = Duration.zero

    /// After how much mapping the rows are stored.
    private static let durationMax = Duration.seconds(5)

    mutating func add(_ pieces: MappedPieces) {
        early[pieces.number] = pieces
        while let next = early.removeValue(forKey: nextNumber) {
            ready += next.pieces
            documentCount += next.documentCount
            byteCount += next.byteCount
            duration += next.duration
            nextNumber += 1
        }
    }

    /// The pieces that are due to be stored; nil while they are too few.
    mutating func take(_ pace: IndexPace) -> [MappedPiece]? {
        guard
            documentCount >= pace.storeCountMax || byteCount >= pace.storeByteCountMax
                || duration >= Self.durationMax || ready.last?.isLast == true
        else { return nil }
        defer {
            ready = []
            (documentCount, byteCount, duration) = (0, 0, .zero)
        }
        return ready
    }
}

/// The pieces of one range, its place among the others, and how long it took.
struct MappedPieces: Sendable {
    let number: Int
    let pieces: [MappedPiece]
    let duration: Duration

    var documentCount: Int { pieces.reduce(0) { $0 + $1.documentCount } }
    var byteCount: Int { pieces.reduce(0) { $0 + $1.byteCount } }
}
