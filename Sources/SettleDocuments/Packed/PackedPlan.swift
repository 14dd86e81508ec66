/// What is to be packed, laid out flat with the size of everything known.
///
/// A packed object begins with the offsets of its sorted members, which are known only at its
/// end. So values are first noted here in the order they come (strings stay where they lie in
/// the source), and `write(source:)` then writes every byte once, in its final place.
struct PackedPlan {
    enum Kind: UInt8 {
        case null, `false`, `true`, integer, double
        /// A string that lies in the source text as it is.
        case sourceString
        /// A string that lies in `own`.
        case ownString
        case array, object
    }

    struct Node {
        var kind: Kind
        /// Of a name, where it began in the source; of a container, the index after the last node inside.
        var mark: UInt32
        /// Containers: the size of all elements or members without the header.
        var area: UInt32
        /// The number's bits; a string's start and length; a container's start in `order` and count.
        var bits: UInt64

        var start: Int { Int(truncatingIfNeeded: bits >> 32) }
        var count: Int { Int(truncatingIfNeeded: bits & 0xFFFF_FFFF) }
    }

    /// A member of an object that is still open.
    struct Member {
        /// The first eight bytes of the name, which decide most comparisons.
        var prefix: UInt64
        /// The name's node; the value's node follows it.
        var node: UInt32
    }

    struct Frame {
        var node: Int
        var area: Int
        var count: Int
        var firstMember: Int
        var isObject: Bool
        var hasNonASCIIName: Bool
    }

    private(set) var nodes: [Node] = []
    /// Strings that do not lie in the source as they are.
    var own: [UInt8] = []
    /// The name nodes of every closed object, sorted, one object after another.
    private(set) var order: [UInt32] = []
    private var frames: [Frame] = []
    var members: [Member] = []
    /// The size of the whole once everything is closed.
    private(set) var size = 0

    init(expectedNodes: Int) {
        nodes.reserveCapacity(expectedNodes)
        frames.reserveCapacity(8)
        members.reserveCapacity(16)
        order.reserveCapacity(16)
    }

    var depth: Int { frames.count }

    var isInObject: Bool { frames.last?.isObject ?? false }

    private mutating func account(_ bytes: Int) {
        if frames.isEmpty {
            size = bytes
        } else {
            frames[frames.count - 1].area += bytes
            frames[frames.count - 1].count += 1
        }
    }

    private mutating func leaf(_ kind: Kind, bits: UInt64, mark: Int, size: Int) {
        nodes.append(
            Node(kind: kind, mark: UInt32(truncatingIfNeeded: mark), area: 0, bits: bits))
        account(size)
    }

    mutating func null() { leaf(.null, bits: 0, mark: 0, size: 1) }

    mutating func bool(_ value: Bool) {
        leaf(value ? .true : .false, bits: 0, mark: 0, size: 1)
    }

    mutating func integer(_ value: Int64) {
        let size =
            (0...PackedTag.smallIntegerMax).contains(value)
            ? 1 : 1 + PackedTag.byteCount(UInt64(bitPattern: value < 0 ? ~value : value))
        leaf(.integer, bits: UInt64(bitPattern: value), mark: 0, size: size)
    }

    mutating func double(_ value: Double) {
        leaf(
            .double, bits: value.bitPattern, mark: 0, size: 1 + PackedTag.byteCount(of: value))
    }

    mutating func string(_ range: Range<Int>, isOwn: Bool) {
        leaf(
            isOwn ? .ownString : .sourceString,
            bits: UInt64(range.lowerBound) << 32 | UInt64(range.count), mark: 0,
            size: Self.stringSize(range.count))
    }

    /// Notes the name of a member, whose value must follow.
    mutating func name(
        _ range: Range<Int>, isOwn: Bool, isASCII: Bool, mark: Int, source: Span<UInt8>
    ) {
        let prefix =
            isOwn ? Self.prefix(of: own.span, in: range) : Self.prefix(of: source, in: range)
        members.append(Member(prefix: prefix, node: UInt32(truncatingIfNeeded: nodes.count)))
        leaf(
            isOwn ? .ownString : .sourceString,
            bits: UInt64(range.lowerBound) << 32 | UInt64(range.count), mark: mark,
            size: Self.stringSize(range.count))
        if !isASCII { frames[frames.count - 1].hasNonASCIIName = true }
    }

    mutating func open(isObject: Bool) {
        frames.append(
            Frame(
                node: nodes.count, area: 0, count: 0, firstMember: members.count,
                isObject: isObject, hasNonASCIIName: false))
        nodes.append(Node(kind: isObject ? .object : .array, mark: 0, area: 0, bits: 0))
    }

    /// Closes the innermost container; gives the node of a name that occurs twice in it, if any.
    mutating func close(source: Span<UInt8>) -> Node? {
        let frame = frames.removeLast()
        var count = frame.count
        let orderStart = order.count
        var duplicate: Node?
        if frame.isObject {
            count = members.count - frame.firstMember
            duplicate = sortMembers(from: frame.firstMember, source: source)
            if duplicate == nil, frame.hasNonASCIIName {
                duplicate = equivalentName(from: frame.firstMember, source: source)
            }
            for index in frame.firstMember..<members.count { order.append(members[index].node) }
            members.removeLast(count)
        }
        nodes[frame.node].mark = UInt32(truncatingIfNeeded: nodes.count)
        nodes[frame.node].area = UInt32(truncatingIfNeeded: frame.area)
        nodes[frame.node].bits = UInt64(orderStart) << 32 | UInt64(count)
        account(
            Self.headerSize(area: frame.area, members: frame.isObject ? count : nil) + frame.area)
        return duplicate
    }

    private static func prefix(of bytes: Span<UInt8>, in range: Range<Int>) -> UInt64 {
        var prefix: UInt64 = 0
        let count = min(8, range.count)
        for offset in 0..<count { prefix = prefix << 8 | UInt64(bytes[range.lowerBound + offset]) }
        return count == 0 ? 0 : prefix << UInt64(8 * (8 - count))
    }

    static func stringSize(_ length: Int) -> Int {
        length <= Int(PackedTag.shortStringMax)
            ? 1 + length : 1 + (1 << Int(PackedTag.widthClass(length))) + length
    }

    static func headerSize(area: Int, members: Int?) -> Int {
        1 + (1 << Int(PackedTag.widthClass(area))) * (1 + (members ?? 0))
    }
}
