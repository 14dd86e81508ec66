import SettlePrimitives

/// Lays entries down in the shape of a ``SortedRun``; each is begun, then gets its parts in order.
struct SortedRunWriter {
    private var bytes = ByteBuffer()
    private var entryCount = 0

    /// A writer with room for about so many bytes.
    init(capacity: Int) {
        bytes.reserve(capacity)
    }

    /// Begins an entry with the lengths of its key's two parts; the rest of the key follows.
    @inline(__always)
    mutating func beginEntry(sharing shared: Int, restCount: Int) {
        bytes.append(variable: shared)
        bytes.append(variable: restCount)
        entryCount &+= 1
    }

    /// Continues the rest of the key.
    @inline(__always)
    mutating func append(rest part: Span<UInt8>) {
        bytes.append(part)
    }

    /// Continues the rest of the key by the end of a document id and a row's number.
    ///
    /// The first bytes are left out when the row before, of the same document, had them too.
    @inline(__always)
    mutating func append(number: RowNumber, from shared: Int) {
        for index in shared..<number.byteCount { bytes.append(number.byte(at: index)) }
    }

    /// Says that the head is that of the entry before.
    @inline(__always)
    mutating func appendSameHead() {
        bytes.append(0)
    }

    /// Lays down the head.
    @inline(__always)
    mutating func append(head: Span<UInt8>) {
        bytes.append(variable: head.count &+ 1)
        bytes.append(head)
    }

    /// Lays down the tail, the last part of an entry.
    @inline(__always)
    mutating func append(tail: Span<UInt8>) {
        bytes.append(variable: tail.count)
        bytes.append(tail)
    }

    /// What was written.
    consuming func finish() -> SortedRun {
        SortedRun(bytes: bytes.take(), entryCount: entryCount)
    }
}

/// What follows the document's id in a row key: 00, and the number of the row.
struct RowNumber {
    let number: Int

    @inline(__always)
    var byteCount: Int { number == 0 ? 2 : number <= 0xFF ? 3 : 4 }

    /// How many of these bytes the number before has too.
    @inline(__always)
    var sharedCount: Int {
        switch number {
        case 0, 1, 0x100: 1
        case ...0xFF: 2
        default: number & 0xFF == 0 ? 2 : 3
        }
    }

    @inline(__always)
    func byte(at index: Int) -> UInt8 {
        switch index {
        case 0: 0
        case 1: UInt8(truncatingIfNeeded: byteCount &- 2)
        case 2: UInt8(truncatingIfNeeded: number <= 0xFF ? number : number >> 8)
        default: UInt8(truncatingIfNeeded: number)
        }
    }
}
