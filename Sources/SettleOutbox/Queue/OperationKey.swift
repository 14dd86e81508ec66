/// The place of an operation in the order of the outbox: pipeline, graph, number.
struct OperationKey: Sendable, Hashable, Comparable {
    /// The number of the pipeline.
    var pipeline: UInt32
    /// The number of the graph; higher for every commit, whatever the pipeline.
    var graph: UInt64
    /// The number of the operation; higher for every one.
    var number: UInt64

    /// The number of bytes of a key.
    static let length = 20

    /// The bytes, in the order of the keys.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.length)
        append(to: &bytes)
        return bytes
    }

    /// Adds the bytes to others.
    func append(to bytes: inout [UInt8]) {
        bytes.append(bigEndian: pipeline)
        bytes.append(bigEndian: graph)
        bytes.append(bigEndian: number)
    }

    static func < (left: OperationKey, right: OperationKey) -> Bool {
        (left.pipeline, left.graph, left.number) < (right.pipeline, right.graph, right.number)
    }
}

extension OperationKey {
    /// A key that was stored; nil unless there are as many bytes as it has.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.length else { return nil }
        pipeline = UInt32(truncatingIfNeeded: bytes.prefix(4).bigEndianNumber)
        graph = bytes.dropFirst(4).prefix(8).bigEndianNumber
        number = bytes.dropFirst(12).bigEndianNumber
    }
}

extension [UInt8] {
    /// Adds a number, most significant byte first, so that the order of bytes is that of numbers.
    mutating func append<Number: FixedWidthInteger & UnsignedInteger>(bigEndian number: Number) {
        var shift = Number.bitWidth
        while shift > 0 {
            shift -= 8
            append(UInt8(truncatingIfNeeded: number >> Number(shift)))
        }
    }
}

extension Collection<UInt8> {
    /// The number that these bytes are, most significant first; of more than 8 the last 8 count.
    var bigEndianNumber: UInt64 {
        reduce(0) { $0 << 8 | UInt64($1) }
    }
}
