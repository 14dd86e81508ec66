import SettlePrimitives

/// A revision as CouchDB's protocol names it: a generation and any text after the dash.
///
/// ``Revision`` is a name whose text is 32 hexadecimal digits. Servers and clients of other makers write
/// other texts, and a revision that was replicated keeps the name that it was given.
package struct RevisionName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// How many revisions lead to this one, itself included; from 1 to ``generationMax``.
    package let generation: UInt32
    /// What tells it from others of its generation.
    package let digest: Digest

    /// What stands after the dash.
    package enum Digest: Sendable, Hashable, Comparable {
        /// The 16 bytes that 32 hexadecimal digits stand for.
        case bytes(Revision.Digest)
        /// Any other text, in UTF-8.
        case text([UInt8])

        /// The order of the bytes, in which CouchDB compares digits as the bytes that they stand for.
        package static func < (left: Digest, right: Digest) -> Bool {
            switch (left, right) {
            case (.bytes(let left), .bytes(let right)): left < right
            default: left.comparedBytes.lexicographicallyPrecedes(right.comparedBytes)
            }
        }

        private var comparedBytes: [UInt8] {
            switch self {
            case .bytes(let digest): digest.bytes
            case .text(let text): text
            }
        }
    }

    /// The highest generation that a name may have; local edits can go on from there.
    package static let generationMax: UInt32 = .max / 2
    /// The longest text after the dash, in bytes.
    package static let textLengthMax = 1_024

    /// A name of its two parts.
    ///
    /// - Precondition: The generation is at least 1.
    package init(generation: UInt32, digest: Digest) {
        precondition(generation > 0, "A revision's generation begins at 1.")
        self.generation = generation
        self.digest = digest
    }

    /// The name of a revision.
    package init(_ revision: Revision) {
        generation = revision.generation
        digest = .bytes(revision.digest)
    }

    /// Reads `generation-text`.
    ///
    /// - Returns: nil unless the generation is a number from 1 to ``generationMax`` in at most ten digits, and
    ///   the text has 1 to ``textLengthMax`` bytes.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let dash = bytes.firstIndex(of: UInt8(ascii: "-")), (1...10).contains(dash) else {
            return nil
        }
        var number: UInt64 = 0
        for byte in bytes[..<dash] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + UInt64(byte - UInt8(ascii: "0"))
        }
        guard (1...UInt64(Self.generationMax)).contains(number),
            let digest = Digest(text: bytes[(dash + 1)...])
        else { return nil }
        generation = UInt32(number)
        self.digest = digest
    }

    /// `generation-text`, hexadecimal digits in lower case.
    package var description: String { "\(generation)-\(digest.description)" }

    /// The lower generation first, then the lesser digest.
    package static func < (left: RevisionName, right: RevisionName) -> Bool {
        left.generation == right.generation
            ? left.digest < right.digest : left.generation < right.generation
    }

    /// The revision that stands for this name where there is room for 16 bytes only.
    package var standIn: Revision { Revision(generation: generation, digest: digest.standIn) }

    /// Whether the revision is the name itself, and not only in the place of a text.
    package var isRevision: Bool {
        if case .bytes = digest { true } else { false }
    }
}

extension RevisionName.Digest: CustomStringConvertible {
    /// Reads what stands after the dash; nil when it is empty or too long.
    package init?(text: some Collection<UInt8>) {
        guard (1...RevisionName.textLengthMax).contains(text.count) else { return nil }
        if let digest = Self.digest(ofDigits: text) {
            self = .bytes(digest)
        } else {
            self = .text(Array(text))
        }
    }

    private static func digest(ofDigits text: some Collection<UInt8>) -> Revision.Digest? {
        guard text.count == 2 * Revision.Digest.length else { return nil }
        var (high, low): (UInt64, UInt64) = (0, 0)
        for byte in text {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            high = high << 4 | low >> 60
            low = low << 4 | UInt64(digit)
        }
        return Revision.Digest(high: high, low: low)
    }

    /// The text after the dash.
    package var description: String {
        switch self {
        case .bytes(let digest):
            String(Revision(generation: 1, digest: digest).description.dropFirst(2))
        case .text(let text): String(decoding: text, as: UTF8.self)
        }
    }

    /// 16 bytes for this digest: itself, or of a text the first bytes of SHA-256 over 02 and the text.
    package var standIn: Revision.Digest {
        switch self {
        case .bytes(let digest): return digest
        case .text(let text):
            var hash = SHA256()
            hash.update(data: [2])
            hash.update(data: text)
            var (high, low): (UInt64, UInt64) = (0, 0)
            for byte in hash.finalize().prefix(Revision.Digest.length) {
                high = high << 8 | low >> 56
                low = low << 8 | UInt64(byte)
            }
            return Revision.Digest(high: high, low: low)
        }
    }
}
