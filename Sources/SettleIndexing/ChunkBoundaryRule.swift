import SettlePrimitives

/// Where a table of entries is cut into leaves, and leaves into inner nodes.
///
/// The rule looks at nothing but the entries themselves, so the same entries are always cut in the
/// same places, whatever was written before and in whatever order. Docs/Formats/Indexes.md states
/// the rule with examples; changing anything here makes every stored index unreadable.
///
/// **Bundles.** Entries whose keys have the same first ``boundaryLength`` bytes make a *bundle* and are
/// never parted. Those first bytes (the whole key, if it is shorter) are the bundle's *boundary* `t`.
/// The *weight* of an entry is the length of its key, head, and tail together, and 8; the weight of
/// a bundle is that of its heaviest entry.
///
/// **Leaves.** A leaf ends after a bundle if `hash(t) < 2^64 * weight / leafLength`, that is, if the upper
/// 64 bits of the 128-bit product `hash(t) * leafLength` are below the weight. A leaf has `leafLength`
/// bytes of weight on average, and an entry of that weight or more always ends one.
///
/// **Inner nodes.** An inner node of level 1 holds leaves, one of level `k` holds inner nodes of level `k - 1`. A child
/// with boundary `t` ends its inner node if `hash(t, k) < 2^64 / childCount`, as long as `k` is below
/// ``levelMax``; at that level only the end of the table does.
///
/// **The end.** The last leaf, and the last inner node of each level, end with the table, whatever their
/// boundaries are. They are stored under the boundary FF alone, with which no key may begin.
///
/// **hash(t)**, with all arithmetic modulo 2^64, `^` being exclusive or:
/// ```
/// h = 0xA3C59AC2F1037E1D ^ (length of t * 0x9FB21C651E98DF25)
/// for each 8 bytes of t as a number w, least significant byte first,
///     the last ones filled up with 00 when they are fewer than 8:
///         h = (h ^ w) * 0xD6E8FEB86659FD93;  h = h ^ (h >> 32)
/// hash(t) = mix(h)
/// hash(t, k) = mix(hash(t) + k * 0xC2B2AE3D27D4EB4F)
/// mix(x):  x = (x ^ (x >> 29)) * 0xB5AD4ECEDA1CE2A9
///          x = (x ^ (x >> 32)) * 0x8CB92BA72F3D8DD7;  x ^ (x >> 31)
/// ```
package struct ChunkBoundaryRule: Sendable, Equatable {
    /// The weight of an average leaf in bytes.
    package let leafLength: Int
    /// How many children an average inner node has.
    package let childCount: Int
    /// The most bytes of a key that a boundary has.
    package let boundaryLength: Int

    /// The rule of every stored index.
    ///
    /// Leaves of 4 KiB of rows, inner nodes of 32, boundaries of at most 500 bytes, which leaves the engine's
    /// keys of 511 bytes some room.
    package static let standard = ChunkBoundaryRule(
        leafLength: 4096, childCount: 32, boundaryLength: 500)

    /// The highest level there can be.
    ///
    /// 32 to the power of 15 rows are never reached; the limit makes the tree end even for keys that
    /// somebody chose so that all of them are boundaries.
    package static let levelMax = 15
    /// The boundary of the last leaf and of the last inner node of every level.
    package static let sentinel: UInt8 = 0xFF
    /// What an entry weighs beside its bytes.
    static let entryOverhead = 8

    /// A rule with other numbers, with which few entries make many levels.
    ///
    /// - Parameters:
    ///   - leafLength: The weight of an average leaf, at least 1.
    ///   - childCount: The children of an average inner node, at least 2.
    ///   - boundaryLength: The most bytes of a boundary, 1 to 500.
    package init(leafLength: Int, childCount: Int, boundaryLength: Int) {
        precondition(
            leafLength >= 1 && childCount >= 2 && (1...500).contains(boundaryLength),
            "A leaf weighs something, an inner node has 2 children or more, a boundary 1 to 500 bytes."
        )
        self.leafLength = leafLength
        self.childCount = childCount
        self.boundaryLength = boundaryLength
    }

    /// Whether a bundle ends its leaf.
    @inline(__always)
    func endsLeaf(hash: UInt64, weight: Int) -> Bool {
        hash.multipliedFullWidth(by: UInt64(leafLength)).high < UInt64(weight)
    }

    /// Whether a child ends its inner node of that level, which is 1 or more.
    func endsInnerNode(hash: UInt64, level: Int) -> Bool {
        guard level < Self.levelMax else { return false }
        let own = Self.mix(hash &+ UInt64(level) &* 0xC2B2_AE3D_27D4_EB4F)
        return own.multipliedFullWidth(by: UInt64(childCount)).high == 0
    }

    /// The hash of a boundary.
    ///
    /// - Complexity: O(length of the boundary), some ten nanoseconds for 64 bytes.
    package static func hash(_ boundary: Span<UInt8>) -> UInt64 {
        var hash = 0xA3C5_9AC2_F103_7E1D ^ (UInt64(boundary.count) &* 0x9FB2_1C65_1E98_DF25)
        var index = 0
        while index &+ 8 <= boundary.count {
            hash = (hash ^ boundary.word(at: index)) &* 0xD6E8_FEB8_6659_FD93
            hash ^= hash >> 32
            index &+= 8
        }
        if index < boundary.count {
            var word: UInt64 = 0
            var shift: UInt64 = 0
            while index < boundary.count {
                word |= UInt64(boundary[index]) &<< shift
                shift &+= 8
                index &+= 1
            }
            hash = (hash ^ word) &* 0xD6E8_FEB8_6659_FD93
            hash ^= hash >> 32
        }
        return mix(hash)
    }

    private static func mix(_ number: UInt64) -> UInt64 {
        var mixed = (number ^ (number >> 29)) &* 0xB5AD_4ECE_DA1C_E2A9
        mixed = (mixed ^ (mixed >> 32)) &* 0x8CB9_2BA7_2F3D_8DD7
        return mixed ^ (mixed >> 31)
    }
}
