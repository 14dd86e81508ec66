/// Packs bytes by gzip, in one pass: repetitions are found by hashes of four bytes, and the codes are the fixed ones.
///
/// Text of JSON becomes a half to a quarter; what has no repetitions grows by an eighth at most.
///
/// > Source: RFC 1951 and RFC 1952.
struct Gzip {
    private var output: [UInt8]
    private var bits: UInt64 = 0
    private var bitCount = 0

    private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    private static let windowLength = 32_768
    private static let matchLengths = 4...258
    private static let hashBits = 15
    private static let endOfBlock = 256

    /// The bytes of a gzip file with one member.
    static func packed(_ input: [UInt8]) -> [UInt8] {
        var gzip = Gzip(output: header)
        gzip.output.reserveCapacity(input.count / 2 + 32)
        // The last block, with the fixed codes.
        gzip.write(0b011, 3)
        gzip.pack(input)
        gzip.writeSymbol(endOfBlock)
        gzip.write(0, (8 - gzip.bitCount % 8) % 8)
        gzip.write(UInt64(checksum(of: input)), 32)
        gzip.write(UInt64(UInt32(truncatingIfNeeded: input.count)), 32)
        return gzip.output
    }

    private mutating func pack(_ input: [UInt8]) {
        // Where each hash was seen last, counted from 1.
        var places = [Int](repeating: 0, count: 1 << Self.hashBits)
        var place = 0
        while place < input.count {
            guard place + Self.matchLengths.lowerBound <= input.count else {
                writeSymbol(Int(input[place]))
                place += 1
                continue
            }
            let hash = Self.hash(of: input, at: place)
            let before = places[hash] - 1
            places[hash] = place + 1
            let length =
                before >= 0 && place - before <= Self.windowLength
                ? Self.matchLength(input, before, place) : 0
            if length >= Self.matchLengths.lowerBound {
                writeMatch(length, distance: place - before)
                place += length
            } else {
                writeSymbol(Int(input[place]))
                place += 1
            }
        }
    }

    private static func hash(of input: [UInt8], at place: Int) -> Int {
        let four = (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(input[place + $1]) }
        return Int((four &* 0x9E37_79B1) >> UInt32(32 - hashBits))
    }

    private static func matchLength(_ input: [UInt8], _ before: Int, _ place: Int) -> Int {
        let longest = min(matchLengths.upperBound, input.count - place)
        var length = 0
        while length < longest, input[before + length] == input[place + length] { length += 1 }
        return length
    }

    // MARK: Codes

    private mutating func writeMatch(_ length: Int, distance: Int) {
        let (lengthCode, lengthBits) = Self.lengths.code(of: length)
        writeSymbol(257 + lengthCode)
        write(UInt64(length - Self.lengths.bases[lengthCode]), lengthBits)
        let (distanceCode, distanceBits) = Self.distances.code(of: distance)
        writeReversed(UInt64(distanceCode), 5)
        write(UInt64(distance - Self.distances.bases[distanceCode]), distanceBits)
    }

    private mutating func writeSymbol(_ symbol: Int) {
        switch symbol {
        case ..<144: writeReversed(UInt64(0x30 + symbol), 8)
        case ..<256: writeReversed(UInt64(0x190 + symbol - 144), 9)
        case ..<280: writeReversed(UInt64(symbol - 256), 7)
        default: writeReversed(UInt64(0xC0 + symbol - 280), 8)
        }
    }

    /// The codes of lengths or distances: where each begins, and how many bits follow it.
    private struct Codes: Sendable {
        let bases: [Int]
        let extraBits: [Int]

        /// - Parameters:
        ///   - first: Where the first code begins.
        ///   - extraBits: The bits behind each.
        init(from first: Int, _ extraBits: [Int]) {
            self.extraBits = extraBits
            var (bases, next) = ([Int](), first)
            for bits in extraBits {
                bases.append(next)
                next += 1 << bits
            }
            self.bases = bases
        }

        init(bases: [Int], extraBits: [Int]) {
            (self.bases, self.extraBits) = (bases, extraBits)
        }

        func code(of value: Int) -> (code: Int, extraBits: Int) {
            var (low, high) = (0, bases.count - 1)
            while low < high {
                let middle = (low + high + 1) / 2
                if bases[middle] <= value { low = middle } else { high = middle - 1 }
            }
            return (low, extraBits[low])
        }
    }

    private static let lengths: Codes = {
        let bits = [0, 0, 0, 0, 0, 0, 0, 0] + (1...5).flatMap { Array(repeating: $0, count: 4) }
        let codes = Codes(from: 3, bits)
        // The longest has a code of its own.
        return Codes(bases: codes.bases + [258], extraBits: codes.extraBits + [0])
    }()
    private static let distances = Codes(
        from: 1, [0, 0, 0, 0] + (1...13).flatMap { [$0, $0] })

    // MARK: Bits

    private mutating func write(_ value: UInt64, _ count: Int) {
        bits |= value << UInt64(bitCount)
        bitCount += count
        while bitCount >= 8 {
            output.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
            bitCount -= 8
        }
    }

    /// Writes a code, whose highest bit comes first.
    private mutating func writeReversed(_ code: UInt64, _ count: Int) {
        var (code, reversed) = (code, UInt64(0))
        for _ in 0..<count {
            reversed = reversed << 1 | code & 1
            code >>= 1
        }
        write(reversed, count)
    }

    // MARK: Sums

    private static let sums: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { sum, _ in
            sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1
        }
    }

    /// CRC-32.
    private static func checksum(of bytes: [UInt8]) -> UInt32 {
        let table = sums
        var sum = UInt32.max
        for byte in bytes { sum = sum >> 8 ^ table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] }
        return ~sum
    }
}
