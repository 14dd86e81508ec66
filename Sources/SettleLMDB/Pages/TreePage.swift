/// A page of a tree as bytes, looked at without trusting any of them.
///
/// Shape: page number 8 bytes, 2 unused, flags 2 at offset 10 (branch 1, leaf 2), end of the slots
/// 2 at 12, start of the nodes 2 at 14, from 16 the 2-byte offsets of the nodes in the order of
/// their keys. A node has size or page number low 2, high 2, flags 2 (value on overflow pages 1,
/// table 2), key size 2, key, value; nodes have even lengths and lie side by side to the page's end.
struct TreePage {
    struct Node {
        /// Bytes of the key in the page.
        let key: Range<Int>
        /// Length of the value, in a leaf.
        let valueCount: Int
        /// Bytes of the value in the page, in a leaf.
        let value: Range<Int>
        let isOnOverflowPages: Bool
        let isTable: Bool
        /// The page below, in a branch.
        let child: UInt64
    }

    let bytes: [UInt8]
    let isBranch: Bool
    let nodes: [Node]

    /// Why bytes are no page of a tree.
    struct Flaw: Error {
        let sentence: String
    }

    init(_ bytes: [UInt8], number: UInt64) throws(Flaw) {
        guard bytes.unsigned64(at: 0) == number else {
            throw Flaw(sentence: "The page has another page's number.")
        }
        let flags = bytes.unsigned16(at: 10)
        guard flags == 1 || flags == 2 else {
            throw Flaw(sentence: "The page is neither a branch nor a leaf of a tree.")
        }
        let lower = Int(bytes.unsigned16(at: 12))
        let upper = Int(bytes.unsigned16(at: 14))
        guard lower >= 16, lower.isMultiple(of: 2), lower <= upper, upper <= bytes.count else {
            throw Flaw(sentence: "The page's bounds are wrong.")
        }
        isBranch = flags == 1
        self.bytes = bytes
        var nodes: [Node] = []
        var total = 0
        for slot in 0..<(lower - 16) / 2 {
            let start = Int(bytes.unsigned16(at: 16 + 2 * slot))
            let node = try Self.node(at: start, from: upper, in: bytes, isBranch: isBranch)
            let end = isBranch ? node.key.upperBound : node.value.upperBound
            total += (end - start + 1) / 2 * 2
            nodes.append(node)
        }
        guard !nodes.isEmpty else { throw Flaw(sentence: "The page has no entry.") }
        // Each lies inside; if they fill the place exactly, no two share a byte.
        guard total == bytes.count - upper else {
            throw Flaw(sentence: "Entries of the page overlap, or leave a gap.")
        }
        self.nodes = nodes
    }

    private static func node(
        at start: Int, from upper: Int, in bytes: [UInt8], isBranch: Bool
    ) throws(Flaw) -> Node {
        guard start >= upper, start.isMultiple(of: 2), start + 8 <= bytes.count else {
            throw Flaw(sentence: "An entry lies outside its page.")
        }
        let low = UInt64(bytes.unsigned16(at: start))
        let high = UInt64(bytes.unsigned16(at: start + 2))
        let flags = bytes.unsigned16(at: start + 4)
        let keyEnd = start + 8 + Int(bytes.unsigned16(at: start + 6))
        guard keyEnd <= bytes.count else { throw Flaw(sentence: "A key lies outside its page.") }
        if isBranch {
            return Node(
                key: start + 8..<keyEnd, valueCount: 0, value: keyEnd..<keyEnd,
                isOnOverflowPages: false, isTable: false,
                child: low | high << 16 | UInt64(flags) << 32)
        }
        guard flags & ~3 == 0, flags != 3 else {
            throw Flaw(sentence: "An entry is of a kind that is not used.")
        }
        let count = Int(low | high << 16)
        let stored = flags & 1 != 0 ? 8 : count
        guard stored <= bytes.count - keyEnd else {
            throw Flaw(sentence: "A value lies outside its page.")
        }
        return Node(
            key: start + 8..<keyEnd, valueCount: count, value: keyEnd..<keyEnd + stored,
            isOnOverflowPages: flags & 1 != 0, isTable: flags & 2 != 0, child: 0)
    }
}
