import SettleStorage

/// Gives out ranges of documents that follow each other.
struct RangeDispenser {
    private let store: Store
    private let countMax: Int
    private var count: Int
    private var after: String?
    private(set) var number = 0
    private var isAtEnd = false

    private static let countMin = 64

    init(_ store: Store, after: String?, _ pace: IndexPace) {
        self.store = store
        self.after = after
        countMax = pace.rangeCount
        count = pace.rangeCount
    }

    mutating func next() throws -> (number: Int, range: DocumentRange)? {
        if isAtEnd { return nil }
        let range = try store.read("index ranges") { [after, count] in
            try DocumentRange(after: after, countMax: count, in: $0)
        }
        after = range.through
        isAtEnd = range.through == nil
        defer { number += 1 }
        return (number, range)
    }

    /// Makes the ranges of a slow map smaller, so that no snapshot is held for long.
    mutating func learn(from pieces: MappedPieces) {
        if pieces.duration > .milliseconds(500) {
            count = max(min(Self.countMin, countMax), count / 2)
        } else if pieces.duration < .milliseconds(100) {
            count = min(countMax, count * 2)
        }
    }
}
