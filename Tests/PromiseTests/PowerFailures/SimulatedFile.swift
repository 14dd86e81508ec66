/// A file as a disk has it: what is on the medium for certain, and what is on its way.
struct SimulatedFile: Sendable {
    /// What was written and not flushed.
    struct Change: Sendable, Equatable {
        enum Kind: Sendable, Equatable {
            case write(offset: Int, bytes: [UInt8])
            case truncate(length: Int)
            case allocate(end: Int)
        }

        let number: Int
        var kind: Kind
        /// A flush of it has failed: no later one is believed to have taken it along.
        var isLost = false
        /// The write that made it flushes itself and has not returned.
        var identifier: UInt64?
    }

    /// What no power failure takes away.
    private(set) var durable: [UInt8]
    /// What a power failure may take away, in the order in which it was done.
    private(set) var pending: [Change] = []
    private var lastNumber = 0

    init(durable: [UInt8] = []) {
        self.durable = durable
    }

    /// The number of the last change, up to which a flush that begins now reaches.
    var mark: Int { lastNumber }

    mutating func change(_ kind: Change.Kind, identifier: UInt64? = nil) {
        lastNumber += 1
        pending.append(Change(number: lastNumber, kind: kind, identifier: identifier))
    }

    /// A flush has ended that reached so far.
    mutating func endFlush(upTo mark: Int, isSound: Bool) {
        if isSound {
            makeDurable { $0.number <= mark && !$0.isLost && $0.identifier == nil }
        } else {
            for place in pending.indices where pending[place].number <= mark {
                pending[place].isLost = true
            }
        }
    }

    /// A write that flushes itself has returned.
    mutating func endWrite(_ identifier: UInt64, isSound: Bool) {
        if isSound {
            makeDurable { $0.identifier == identifier }
        } else {
            for place in pending.indices where pending[place].identifier == identifier {
                pending[place].isLost = true
                pending[place].identifier = nil
            }
        }
    }

    private mutating func makeDurable(where isFlushed: (Change) -> Bool) {
        var left: [Change] = []
        for change in pending {
            guard isFlushed(change) else {
                left.append(change)
                continue
            }
            Self.apply(change.kind, to: &durable)
            // What was written before it in the same place and is pending cannot come to light any more.
            if case .write(let offset, let bytes) = change.kind {
                left = left.flatMap { Self.cut($0, offset..<offset + bytes.count) }
            }
        }
        pending = left
    }

    /// A change without what lies in a range.
    private static func cut(_ change: Change, _ range: Range<Int>) -> [Change] {
        guard case .write(let offset, let bytes) = change.kind,
            (offset..<offset + bytes.count).overlaps(range)
        else { return [change] }
        var parts: [Change] = []
        if offset < range.lowerBound {
            var part = change
            part.kind = .write(
                offset: offset, bytes: Array(bytes.prefix(range.lowerBound - offset)))
            parts.append(part)
        }
        if offset + bytes.count > range.upperBound {
            var part = change
            part.kind = .write(
                offset: range.upperBound,
                bytes: Array(bytes.suffix(offset + bytes.count - range.upperBound)))
            parts.append(part)
        }
        return parts
    }

    /// Does a change to bytes; what lies between their end and a write is zeros.
    static func apply(_ kind: Change.Kind, to bytes: inout [UInt8]) {
        switch kind {
        case .write(let offset, let written):
            grow(&bytes, to: offset + written.count)
            bytes.replaceSubrange(offset..<offset + written.count, with: written)
        case .truncate(let length):
            grow(&bytes, to: length)
            bytes.removeLast(bytes.count - length)
        case .allocate(let end):
            grow(&bytes, to: end)
        }
    }

    private static func grow(_ bytes: inout [UInt8], to count: Int) {
        if bytes.count < count {
            bytes.append(contentsOf: repeatElement(0, count: count - bytes.count))
        }
    }
}
