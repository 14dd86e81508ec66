/// SHA-256 of FIPS 180-4, in Swift alone, over bytes that come in pieces.
///
/// The names in the compression are the standard's: `a` to `h` are the working variables, `w0` to
/// `w15` the last sixteen words of the message schedule. All rounds are written out and only use
/// operations that need no optimizer, because an app in development hashes in a debug build too.
/// Docs/Decisions/0034 has the figures.
package struct PortableSHA256: Sendable {
    private var state = State()
    /// The bytes after the last full block; at most 63.
    private var rest: [UInt8] = []
    /// The number of bytes so far.
    private var length: UInt64 = 0

    private static let blockLength = 64
    private static let zeros = [UInt8](repeating: 0, count: blockLength)

    /// A hash of nothing yet.
    package init() {}

    /// Adds bytes.
    ///
    /// Cost: linear in their number; nothing of them is kept but an incomplete block.
    package mutating func update(data: [UInt8]) {
        length &+= UInt64(truncatingIfNeeded: data.count)
        var start = 0
        if !rest.isEmpty {
            start = Swift.min(Self.blockLength - rest.count, data.count)
            rest.append(contentsOf: data[..<start])
            guard rest.count == Self.blockLength else { return }
            state.compress(rest, 0..<rest.count)
            rest.removeAll(keepingCapacity: true)
        }
        let end = data.count - (data.count - start) % Self.blockLength
        if start < end { state.compress(data, start..<end) }
        if end < data.count {
            // Room for the padding too.
            rest.reserveCapacity(2 * Self.blockLength)
            rest.append(contentsOf: data[end...])
        }
    }

    /// The 32 bytes of the digest of all bytes so far; more may follow.
    package func finalize() -> [UInt8] {
        var padded = self
        padded.pad()
        var digest: [UInt8] = []
        digest.reserveCapacity(32)
        Self.append(padded.state.word0, to: &digest)
        Self.append(padded.state.word1, to: &digest)
        Self.append(padded.state.word2, to: &digest)
        Self.append(padded.state.word3, to: &digest)
        Self.append(padded.state.word4, to: &digest)
        Self.append(padded.state.word5, to: &digest)
        Self.append(padded.state.word6, to: &digest)
        Self.append(padded.state.word7, to: &digest)
        return digest
    }

    /// Adds a one bit, zeros up to eight bytes before the end of a block, and the length in bits.
    private mutating func pad() {
        let zeroCount = (rest.count < 56 ? 55 : 119) - rest.count
        rest.append(0x80)
        rest.append(contentsOf: Self.zeros[..<zeroCount])
        let bitCount = length &* 8
        Self.append(UInt32(truncatingIfNeeded: bitCount &>> 32), to: &rest)
        Self.append(UInt32(truncatingIfNeeded: bitCount), to: &rest)
        state.compress(rest, 0..<rest.count)
    }

    @inline(__always)
    private static func append(_ word: UInt32, to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: word &>> 24))
        bytes.append(UInt8(truncatingIfNeeded: word &>> 16))
        bytes.append(UInt8(truncatingIfNeeded: word &>> 8))
        bytes.append(UInt8(truncatingIfNeeded: word))
    }
}

extension PortableSHA256 {
    /// The hash between two blocks.
    private struct State {
        var word0: UInt32 = 0x6A09_E667
        var word1: UInt32 = 0xBB67_AE85
        var word2: UInt32 = 0x3C6E_F372
        var word3: UInt32 = 0xA54F_F53A
        var word4: UInt32 = 0x510E_527F
        var word5: UInt32 = 0x9B05_688C
        var word6: UInt32 = 0x1F83_D9AB
        var word7: UInt32 = 0x5BE0_CD19

        @inline(__always)
        private static func word(_ bytes: Span<UInt8>, _ index: Int) -> UInt32 {
            UInt32(bytes[index]) &<< 24 | UInt32(bytes[index &+ 1]) &<< 16
                | UInt32(bytes[index &+ 2]) &<< 8 | UInt32(bytes[index &+ 3])
        }

        /// Replaces the oldest word of the schedule by the next one.
        @inline(__always)
        private static func expand(_ w0: inout UInt32, _ w1: UInt32, _ w9: UInt32, _ w14: UInt32) {
            let sigma0 = (w1 &>> 7 | w1 &<< 25) ^ (w1 &>> 18 | w1 &<< 14) ^ (w1 &>> 3)
            let sigma1 = (w14 &>> 17 | w14 &<< 15) ^ (w14 &>> 19 | w14 &<< 13) ^ (w14 &>> 10)
            w0 = w0 &+ sigma0 &+ w9 &+ sigma1
        }

        /// One round; the caller renames the variables instead of moving their values.
        @inline(__always)
        private static func round(
            _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32,
            _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32,
            _ constant: UInt32, _ word: UInt32
        ) {
            let sum1 = (e &>> 6 | e &<< 26) ^ (e &>> 11 | e &<< 21) ^ (e &>> 25 | e &<< 7)
            h = h &+ word &+ constant &+ (g ^ (e & (f ^ g))) &+ sum1
            d = d &+ h
            let sum0 = (a &>> 2 | a &<< 30) ^ (a &>> 13 | a &<< 19) ^ (a &>> 22 | a &<< 10)
            h = h &+ sum0 &+ ((a & b) &+ (c & (a ^ b)))
        }

        /// Takes the range, which is full blocks.
        mutating func compress(_ bytes: [UInt8], _ range: Range<Int>) {
            let blocks = bytes.span
            var start = range.lowerBound
            while start < range.upperBound {
                let block = blocks.extracting(start..<start &+ PortableSHA256.blockLength)
                var (a, b, c, d) = (word0, word1, word2, word3)
                var (e, f, g, h) = (word4, word5, word6, word7)
                var w0 = Self.word(block, 0)
                var w1 = Self.word(block, 4)
                var w2 = Self.word(block, 8)
                var w3 = Self.word(block, 12)
                var w4 = Self.word(block, 16)
                var w5 = Self.word(block, 20)
                var w6 = Self.word(block, 24)
                var w7 = Self.word(block, 28)
                var w8 = Self.word(block, 32)
                var w9 = Self.word(block, 36)
                var w10 = Self.word(block, 40)
                var w11 = Self.word(block, 44)
                var w12 = Self.word(block, 48)
                var w13 = Self.word(block, 52)
                var w14 = Self.word(block, 56)
                var w15 = Self.word(block, 60)

                Self.round(a, b, c, &d, e, f, g, &h, 0x428A_2F98, w0)
                Self.round(h, a, b, &c, d, e, f, &g, 0x7137_4491, w1)
                Self.round(g, h, a, &b, c, d, e, &f, 0xB5C0_FBCF, w2)
                Self.round(f, g, h, &a, b, c, d, &e, 0xE9B5_DBA5, w3)
                Self.round(e, f, g, &h, a, b, c, &d, 0x3956_C25B, w4)
                Self.round(d, e, f, &g, h, a, b, &c, 0x59F1_11F1, w5)
                Self.round(c, d, e, &f, g, h, a, &b, 0x923F_82A4, w6)
                Self.round(b, c, d, &e, f, g, h, &a, 0xAB1C_5ED5, w7)
                Self.round(a, b, c, &d, e, f, g, &h, 0xD807_AA98, w8)
                Self.round(h, a, b, &c, d, e, f, &g, 0x1283_5B01, w9)
                Self.round(g, h, a, &b, c, d, e, &f, 0x2431_85BE, w10)
                Self.round(f, g, h, &a, b, c, d, &e, 0x550C_7DC3, w11)
                Self.round(e, f, g, &h, a, b, c, &d, 0x72BE_5D74, w12)
                Self.round(d, e, f, &g, h, a, b, &c, 0x80DE_B1FE, w13)
                Self.round(c, d, e, &f, g, h, a, &b, 0x9BDC_06A7, w14)
                Self.round(b, c, d, &e, f, g, h, &a, 0xC19B_F174, w15)
                Self.expand(&w0, w1, w9, w14)
                Self.round(a, b, c, &d, e, f, g, &h, 0xE49B_69C1, w0)
                Self.expand(&w1, w2, w10, w15)
                Self.round(h, a, b, &c, d, e, f, &g, 0xEFBE_4786, w1)
                Self.expand(&w2, w3, w11, w0)
                Self.round(g, h, a, &b, c, d, e, &f, 0x0FC1_9DC6, w2)
                Self.expand(&w3, w4, w12, w1)
                Self.round(f, g, h, &a, b, c, d, &e, 0x240C_A1CC, w3)
                Self.expand(&w4, w5, w13, w2)
                Self.round(e, f, g, &h, a, b, c, &d, 0x2DE9_2C6F, w4)
                Self.expand(&w5, w6, w14, w3)
                Self.round(d, e, f, &g, h, a, b, &c, 0x4A74_84AA, w5)
                Self.expand(&w6, w7, w15, w4)
                Self.round(c, d, e, &f, g, h, a, &b, 0x5CB0_A9DC, w6)
                Self.expand(&w7, w8, w0, w5)
                Self.round(b, c, d, &e, f, g, h, &a, 0x76F9_88DA, w7)
                Self.expand(&w8, w9, w1, w6)
                Self.round(a, b, c, &d, e, f, g, &h, 0x983E_5152, w8)
                Self.expand(&w9, w10, w2, w7)
                Self.round(h, a, b, &c, d, e, f, &g, 0xA831_C66D, w9)
                Self.expand(&w10, w11, w3, w8)
                Self.round(g, h, a, &b, c, d, e, &f, 0xB003_27C8, w10)
                Self.expand(&w11, w12, w4, w9)
                Self.round(f, g, h, &a, b, c, d, &e, 0xBF59_7FC7, w11)
                Self.expand(&w12, w13, w5, w10)
                Self.round(e, f, g, &h, a, b, c, &d, 0xC6E0_0BF3, w12)
                Self.expand(&w13, w14, w6, w11)
                Self.round(d, e, f, &g, h, a, b, &c, 0xD5A7_9147, w13)
                Self.expand(&w14, w15, w7, w12)
                Self.round(c, d, e, &f, g, h, a, &b, 0x06CA_6351, w14)
                Self.expand(&w15, w0, w8, w13)
                Self.round(b, c, d, &e, f, g, h, &a, 0x1429_2967, w15)
                Self.expand(&w0, w1, w9, w14)
                Self.round(a, b, c, &d, e, f, g, &h, 0x27B7_0A85, w0)
                Self.expand(&w1, w2, w10, w15)
                Self.round(h, a, b, &c, d, e, f, &g, 0x2E1B_2138, w1)
                Self.expand(&w2, w3, w11, w0)
                Self.round(g, h, a, &b, c, d, e, &f, 0x4D2C_6DFC, w2)
                Self.expand(&w3, w4, w12, w1)
                Self.round(f, g, h, &a, b, c, d, &e, 0x5338_0D13, w3)
                Self.expand(&w4, w5, w13, w2)
                Self.round(e, f, g, &h, a, b, c, &d, 0x650A_7354, w4)
                Self.expand(&w5, w6, w14, w3)
                Self.round(d, e, f, &g, h, a, b, &c, 0x766A_0ABB, w5)
                Self.expand(&w6, w7, w15, w4)
                Self.round(c, d, e, &f, g, h, a, &b, 0x81C2_C92E, w6)
                Self.expand(&w7, w8, w0, w5)
                Self.round(b, c, d, &e, f, g, h, &a, 0x9272_2C85, w7)
                Self.expand(&w8, w9, w1, w6)
                Self.round(a, b, c, &d, e, f, g, &h, 0xA2BF_E8A1, w8)
                Self.expand(&w9, w10, w2, w7)
                Self.round(h, a, b, &c, d, e, f, &g, 0xA81A_664B, w9)
                Self.expand(&w10, w11, w3, w8)
                Self.round(g, h, a, &b, c, d, e, &f, 0xC24B_8B70, w10)
                Self.expand(&w11, w12, w4, w9)
                Self.round(f, g, h, &a, b, c, d, &e, 0xC76C_51A3, w11)
                Self.expand(&w12, w13, w5, w10)
                Self.round(e, f, g, &h, a, b, c, &d, 0xD192_E819, w12)
                Self.expand(&w13, w14, w6, w11)
                Self.round(d, e, f, &g, h, a, b, &c, 0xD699_0624, w13)
                Self.expand(&w14, w15, w7, w12)
                Self.round(c, d, e, &f, g, h, a, &b, 0xF40E_3585, w14)
                Self.expand(&w15, w0, w8, w13)
                Self.round(b, c, d, &e, f, g, h, &a, 0x106A_A070, w15)
                Self.expand(&w0, w1, w9, w14)
                Self.round(a, b, c, &d, e, f, g, &h, 0x19A4_C116, w0)
                Self.expand(&w1, w2, w10, w15)
                Self.round(h, a, b, &c, d, e, f, &g, 0x1E37_6C08, w1)
                Self.expand(&w2, w3, w11, w0)
                Self.round(g, h, a, &b, c, d, e, &f, 0x2748_774C, w2)
                Self.expand(&w3, w4, w12, w1)
                Self.round(f, g, h, &a, b, c, d, &e, 0x34B0_BCB5, w3)
                Self.expand(&w4, w5, w13, w2)
                Self.round(e, f, g, &h, a, b, c, &d, 0x391C_0CB3, w4)
                Self.expand(&w5, w6, w14, w3)
                Self.round(d, e, f, &g, h, a, b, &c, 0x4ED8_AA4A, w5)
                Self.expand(&w6, w7, w15, w4)
                Self.round(c, d, e, &f, g, h, a, &b, 0x5B9C_CA4F, w6)
                Self.expand(&w7, w8, w0, w5)
                Self.round(b, c, d, &e, f, g, h, &a, 0x682E_6FF3, w7)
                Self.expand(&w8, w9, w1, w6)
                Self.round(a, b, c, &d, e, f, g, &h, 0x748F_82EE, w8)
                Self.expand(&w9, w10, w2, w7)
                Self.round(h, a, b, &c, d, e, f, &g, 0x78A5_636F, w9)
                Self.expand(&w10, w11, w3, w8)
                Self.round(g, h, a, &b, c, d, e, &f, 0x84C8_7814, w10)
                Self.expand(&w11, w12, w4, w9)
                Self.round(f, g, h, &a, b, c, d, &e, 0x8CC7_0208, w11)
                Self.expand(&w12, w13, w5, w10)
                Self.round(e, f, g, &h, a, b, c, &d, 0x90BE_FFFA, w12)
                Self.expand(&w13, w14, w6, w11)
                Self.round(d, e, f, &g, h, a, b, &c, 0xA450_6CEB, w13)
                Self.expand(&w14, w15, w7, w12)
                Self.round(c, d, e, &f, g, h, a, &b, 0xBEF9_A3F7, w14)
                Self.expand(&w15, w0, w8, w13)
                Self.round(b, c, d, &e, f, g, h, &a, 0xC671_78F2, w15)

                word0 = word0 &+ a
                word1 = word1 &+ b
                word2 = word2 &+ c
                word3 = word3 &+ d
                word4 = word4 &+ e
                word5 = word5 &+ f
                word6 = word6 &+ g
                word7 = word7 &+ h
                start &+= PortableSHA256.blockLength
            }
        }
    }
}
