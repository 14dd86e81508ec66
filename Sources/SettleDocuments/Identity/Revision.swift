/// A revision of a document: `generation-digest`, the digest as 32 hexadecimal digits.
///
/// The same edit gives the same revision on every device, because the digest depends on nothing but
/// the parent, the deletion and the body. It is the first 16 bytes of SHA-256 over
///
/// | bytes | what |
/// | --- | --- |
/// | 1 | 01, the version of this table |
/// | 1 | 01 when the document is deleted, else 00 |
/// | 4 | the parent's generation, big-endian; 0 without a parent |
/// | 16 | the parent's digest; zeros without a parent |
/// | rest | the body in its packed form; then the list of attachments, if there are any, in its
/// stored form |
///
/// The shape is CouchDB's; the digest is not (it hashes Erlang's external form with MD5), which
/// its replicator allows, since it takes revisions as opaque.
package struct Revision: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// How many revisions lead to this one, itself included; from 1.
    package let generation: UInt32
    /// What tells it from others of its generation.
    package let digest: Digest

    /// The 16 bytes of a revision's digest.
    package struct Digest: Sendable, Hashable, Comparable {
        /// The first eight bytes, most significant first.
        package let high: UInt64
        /// The last eight bytes, most significant first.
        package let low: UInt64

        /// The number of bytes.
        package static let length = 16

        /// A digest from its two halves.
        package init(high: UInt64, low: UInt64) {
            self.high = high
            self.low = low
        }

        /// The 16 bytes.
        package var bytes: [UInt8] {
            [high, low].flatMap { word in
                (0..<8).reversed().map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
            }
        }

        /// The order of the bytes.
        package static func < (left: Digest, right: Digest) -> Bool {
            (left.high, left.low) < (right.high, right.low)
        }
    }

    /// A revision with a given digest.
    ///
    /// - Precondition: The generation is at least 1.
    package init(generation: UInt32, digest: Digest) {
        precondition(generation > 0, "A revision's generation begins at 1.")
        self.generation = generation
        self.digest = digest
    }

    /// Reads `generation-digest`.
    ///
    /// - Returns: nil unless the generation is 1 through 4294967295 without leading zeros or sign and
    ///   the digest is 32 hexadecimal digits in lower case, so that one revision has one text.
    package init?(_ text: String) {
        let parts = Array(text.utf8).split(
            separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
        guard
            parts.count == 2, (1...10).contains(parts[0].count), parts[1].count == 32,
            parts[0].first != UInt8(ascii: "0")
        else { return nil }
        var number: UInt64 = 0
        for byte in parts[0] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + UInt64(byte - UInt8(ascii: "0"))
        }
        guard let generation = UInt32(exactly: number) else { return nil }
        var words: [UInt64] = [0, 0]
        for (index, byte) in parts[1].enumerated() {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            default: return nil
            }
            words[index / 16] = words[index / 16] << 4 | UInt64(digit)
        }
        self.generation = generation
        digest = Digest(high: words[0], low: words[1])
    }

    /// The revision that an edit makes; see the type for what is hashed.
    ///
    /// - Parameters:
    ///   - parent: The revision that was edited; nil for a new document.
    ///   - isDeleted: Whether the edit deletes the document.
    ///   - body: What the document holds after the edit.
    ///   - attachments: The stored form of the list of attachments; empty when there are none.
    ///
    /// The generation stays at 4294967295 once it is there. Cost: SHA-256 over the body.
    package init(
        parent: Revision?, isDeleted: Bool, body: PackedValue, attachments: [UInt8] = []
    ) {
        let parentGeneration = parent?.generation ?? 0
        generation = parentGeneration == .max ? .max : parentGeneration + 1
        digest = Self.digest(
            parentGeneration: parentGeneration, parent: parent?.digest, isDeleted: isDeleted,
            body: body, attachments: attachments)
    }

    /// The digest that an edit makes; see the type for what is hashed.
    ///
    /// Cost: SHA-256 over the body.
    package static func digest(
        parentGeneration: UInt32, parent: Digest?, isDeleted: Bool, body: PackedValue,
        attachments: [UInt8]
    ) -> Digest {
        var hash = SHA256()
        if parentGeneration == 0, parent == nil, !isDeleted {
            hash.update(data: headOfNew)
        } else {
            hash.update(data: head(parentGeneration, parent, isDeleted))
        }
        hash.update(data: body.bytes)
        if !attachments.isEmpty { hash.update(data: attachments) }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for (index, byte) in hash.finalize().enumerated() {
            if index < 8 {
                high = high << 8 | UInt64(byte)
            } else if index < 16 {
                low = low << 8 | UInt64(byte)
            } else {
                break
            }
        }
        return Digest(high: high, low: low)
    }

    private static let headOfNew = head(0, nil, false)

    private static func head(
        _ parentGeneration: UInt32, _ parent: Digest?, _ isDeleted: Bool
    ) -> [UInt8] {
        var head: [UInt8] = [1, isDeleted ? 1 : 0]
        for shift in [24, 16, 8, 0] as [UInt32] {
            head.append(UInt8(truncatingIfNeeded: parentGeneration >> shift))
        }
        head.append(contentsOf: (parent ?? Digest(high: 0, low: 0)).bytes)
        return head
    }

    /// The text form, `generation-digest`.
    package var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(11 + 2 * Digest.length)
        append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the text form.
    package func append(to text: inout [UInt8]) {
        text.append(contentsOf: generation.description.utf8)
        text.append(UInt8(ascii: "-"))
        for word in [digest.high, digest.low] {
            for shift in stride(from: UInt64(60), through: 0, by: -4) {
                let digit = UInt8(truncatingIfNeeded: word >> shift) & 0x0F
                text.append(
                    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
    }

    /// CouchDB's order of winners among leaves that are equally deleted or not: the higher
    /// generation wins, then the digest that is greater byte by byte.
    package static func < (left: Revision, right: Revision) -> Bool {
        (left.generation, left.digest) < (right.generation, right.digest)
    }
}
