/// Unpacks what was packed by gzip, which CouchDB keeps attachments of text in.
///
/// > Source: RFC 1951 and RFC 1952.
struct Inflate {
    /// Why something cannot be unpacked.
    enum Fault: Error { case malformed, tooLong }

    private let input: ArraySlice<UInt8>
    private var place: Int
    private var bits: UInt32 = 0
    private var bitCount = 0
    private var output: [UInt8] = []
    private let bytesMax: Int

    private init(_ input: ArraySlice<UInt8>, bytesMax: Int) {
        self.input = input
        self.bytesMax = bytesMax
        place = input.startIndex
    }

    /// The content of one member of a gzip file.
    ///
    /// - Throws: ``Fault`` when it is none, is damaged, or has more bytes than are allowed.
    static func gunzip(_ input: some Collection<UInt8>, bytesMax: Int) throws(Fault) -> [UInt8] {
        let input = Array(input)
        guard input.count >= 18, input[0] == 0x1F, input[1] == 0x8B, input[2] == 8 else {
            throw .malformed
        }
        let flags = input[3]
        var start = 10
        if flags & 4 != 0 { start += 2 + Int(input[10]) + Int(input[11]) << 8 }
        for flag: UInt8 in [8, 16] where flags & flag != 0 {
            guard start < input.count, let end = input[start...].firstIndex(of: 0) else {
                throw .malformed
            }
            start = end + 1
        }
        if flags & 2 != 0 { start += 2 }
        guard start <= input.count - 8 else { throw .malformed }
        var inflate = Inflate(input[start..<(input.count - 8)], bytesMax: bytesMax)
        try inflate.blocks()
        let tail = input.suffix(8).map { UInt32($0) }
        let sum = tail[0] | tail[1] << 8 | tail[2] << 16 | tail[3] << 24
        let count = tail[4] | tail[5] << 8 | tail[6] << 16 | tail[7] << 24
        guard sum == checksum(of: inflate.output),
            count == UInt32(truncatingIfNeeded: inflate.output.count)
        else { throw .malformed }
        return inflate.output
    }

    private static let checksums: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { sum, _ in
            sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1
        }
    }

    /// CRC-32.
    private static func checksum(of bytes: [UInt8]) -> UInt32 {
        let table = checksums
        var sum: UInt32 = .max
        for byte in bytes { sum = sum >> 8 ^ table[Int((sum ^ UInt32(byte)) & 0xFF)] }
        return ~sum
    }

    private mutating func take(_ count: Int) throws(Fault) -> Int {
        while bitCount < count {
            guard place < input.endIndex else { throw .malformed }
            bits |= UInt32(input[place]) << UInt32(bitCount)
            place += 1
            bitCount += 8
        }
        let value = bits & (1 << UInt32(count) - 1)
        bits >>= UInt32(count)
        bitCount -= count
        return Int(value)
    }

    private mutating func blocks() throws(Fault) {
        var isLast = false
        while !isLast {
            isLast = try take(1) == 1
            switch try take(2) {
            case 0: try stored()
            case 1: try packed(Self.fixedLengths, Self.fixedDistances)
            case 2:
                let (lengths, distances) = try tables()
                try packed(lengths, distances)
            default: throw .malformed
            }
        }
    }

    private mutating func stored() throws(Fault) {
        (bits, bitCount) = (0, 0)
        let count = try take(16)
        guard try take(16) == ~count & 0xFFFF, place + count <= input.endIndex else {
            throw .malformed
        }
        guard output.count + count <= bytesMax else { throw .tooLong }
        output += input[place..<place + count]
        place += count
    }

    /// A code: how many symbols there are of each length, and the symbols in their order.
    private struct Code {
        var counts = [Int](repeating: 0, count: 16)
        var symbols: [Int] = []

        init(_ lengths: [Int]) {
            for length in lengths { counts[length] += 1 }
            counts[0] = 0
            symbols = lengths.indices.filter { lengths[$0] > 0 }
                .sorted { (lengths[$0], $0) < (lengths[$1], $1) }
        }
    }

    private static let fixedLengths = Code(
        [Int](repeating: 8, count: 144) + [Int](repeating: 9, count: 112)
            + [Int](repeating: 7, count: 24) + [Int](repeating: 8, count: 8))
    private static let fixedDistances = Code([Int](repeating: 5, count: 30))

    private mutating func symbol(_ code: Code) throws(Fault) -> Int {
        var (value, first, index) = (0, 0, 0)
        for length in 1...15 {
            value |= try take(1)
            let count = code.counts[length]
            if value - first < count { return code.symbols[index + value - first] }
            index += count
            first = (first + count) << 1
            value <<= 1
        }
        throw .malformed
    }

    /// The order in which the lengths of the code of lengths are given.
    private static let lengthOrder = [
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
    ]

    private mutating func tables() throws(Fault) -> (lengths: Code, distances: Code) {
        let (lengthCount, distanceCount) = (try take(5) + 257, try take(5) + 1)
        let codeCount = try take(4) + 4
        var codeLengths = [Int](repeating: 0, count: 19)
        for place in Self.lengthOrder.prefix(codeCount) { codeLengths[place] = try take(3) }
        let code = Code(codeLengths)
        var lengths: [Int] = []
        while lengths.count < lengthCount + distanceCount {
            switch try symbol(code) {
            case 16:
                guard let last = lengths.last else { throw .malformed }
                lengths += [Int](repeating: last, count: try take(2) + 3)
            case 17: lengths += [Int](repeating: 0, count: try take(3) + 3)
            case 18: lengths += [Int](repeating: 0, count: try take(7) + 11)
            case let length: lengths.append(length)
            }
        }
        guard lengths.count == lengthCount + distanceCount else { throw .malformed }
        return (Code(Array(lengths[..<lengthCount])), Code(Array(lengths[lengthCount...])))
    }

    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115,
        131, 163, 195, 227, 258,
    ]
    private static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1_025, 1_537,
        2_049, 3_073, 4_097, 6_145, 8_193, 12_289, 16_385, 24_577,
    ]

    private mutating func packed(_ lengths: Code, _ distances: Code) throws(Fault) {
        while true {
            let symbol = try symbol(lengths)
            guard output.count < bytesMax || symbol == 256 else { throw .tooLong }
            if symbol < 256 {
                output.append(UInt8(symbol))
                continue
            }
            if symbol == 256 { return }
            guard symbol < 286 else { throw .malformed }
            let length = try Self.lengthBases[symbol - 257] + take(Self.lengthBits[symbol - 257])
            let code = try self.symbol(distances)
            guard code < 30 else { throw .malformed }
            let distance = try Self.distanceBases[code] + take(max(0, code / 2 - 1))
            guard distance <= output.count else { throw .malformed }
            guard output.count + length <= bytesMax else { throw .tooLong }
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
    }
}
