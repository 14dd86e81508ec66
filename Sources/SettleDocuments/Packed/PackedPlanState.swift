/// Which containers of a plan are open, and what has been noted in them.
///
/// The nodes lie beside it and are lent to every call, so that the compiler need not ask at each
/// of them whether somebody else sees the array.
struct PackedPlanState: Sendable {
    typealias Node = PackedPlan.Node

    /// A container that is still open, or the room around the outermost value.
    private struct Frame {
        /// The size of what is in it so far.
        var area = 0
        /// Of an object, the first bytes of the name that came last.
        var lastPrefix: UInt64 = 0
        var node: UInt32 = 0
        /// Members, the first and last of them in the order they came.
        var count: UInt32 = 0
        var first: UInt32 = 0
        var last: UInt32 = 0
        /// All of the booleans, because whole words are copied faster than single bytes.
        private var flags: UInt32 = 0

        var isObject: Bool { flags & 1 != 0 }
        var isUnsorted: Bool { flags & 2 != 0 }
        var hasNonASCIIName: Bool { flags & 4 != 0 }

        init() {}

        init(node: Int, isObject: Bool) {
            self.node = UInt32(truncatingIfNeeded: node)
            flags = isObject ? 1 : 0
        }

        mutating func markUnsorted() { flags |= 2 }

        mutating func markNonASCIIName() { flags |= 4 }
    }

    /// How many nodes have been noted.
    private(set) var count = 0
    /// How many containers are open.
    private(set) var depth = 0
    /// Strings that do not lie in the source as they are.
    var own: [UInt8] = []
    /// The member of the outermost object that is left out, if any.
    var taken: Int?
    private var frame = Frame()
    /// The frames around `frame`, as many as `depth`; behind them others that were used before.
    private var outer: [Frame] = []

    /// Whether the innermost open container is an object.
    var isInObject: Bool { frame.isObject }

    /// The size of what is in the innermost open container, or of the whole.
    var area: Int { frame.area }

    mutating func reset() {
        count = 0
        depth = 0
        if !own.isEmpty { own.removeAll(keepingCapacity: own.capacity <= 1 << 20) }
        taken = nil
        frame = Frame()
    }

    @inline(__always)
    private mutating func push(_ node: Node, _ nodes: inout MutableSpan<Node>) {
        nodes[count] = node
        count &+= 1
    }

    @inline(__always)
    private mutating func leaf(
        _ kind: PackedPlan.Kind, bits: UInt64, size: Int, _ nodes: inout MutableSpan<Node>
    ) {
        push(Node(kind: kind, size: UInt32(truncatingIfNeeded: size), bits: bits), &nodes)
        frame.area += size
    }

    mutating func null(_ nodes: inout MutableSpan<Node>) {
        leaf(.null, bits: 0, size: 1, &nodes)
    }

    mutating func bool(_ value: Bool, _ nodes: inout MutableSpan<Node>) {
        leaf(value ? .true : .false, bits: 0, size: 1, &nodes)
    }

    @inline(__always)
    mutating func integer(_ value: Int64, _ nodes: inout MutableSpan<Node>) {
        leaf(
            .integer, bits: UInt64(bitPattern: value),
            size: UInt64(bitPattern: value) <= UInt64(PackedTag.smallIntegerMax)
                ? 1 : 1 + PackedTag.byteCount(UInt64(bitPattern: value < 0 ? ~value : value)),
            &nodes)
    }

    mutating func double(_ value: Double, _ nodes: inout MutableSpan<Node>) {
        leaf(
            .double, bits: value.bitPattern, size: 1 + PackedTag.byteCount(of: value), &nodes)
    }

    @inline(__always)
    mutating func string(
        _ range: Range<Int>, isOwn: Bool, _ nodes: inout MutableSpan<Node>
    ) {
        leaf(
            isOwn ? .ownString : .sourceString,
            bits: UInt64(truncatingIfNeeded: range.lowerBound) << 32
                | UInt64(truncatingIfNeeded: range.count),
            size: PackedPlan.stringSize(range.count), &nodes)
    }

    /// Notes the name of a member, whose value must follow.
    ///
    /// - Parameters:
    ///   - range: Where the name lies.
    ///   - isOwn: Whether it lies in `own` or in the source.
    ///   - isASCII: False when the name can be canonically equivalent to another one.
    ///   - mark: Where it began in the source.
    ///   - prefix: Its first eight bytes, as `Span.prefix(in:)` gives them.
    ///   - nodes: Where nodes are noted.
    @inline(__always)
    mutating func name(
        _ range: Range<Int>, isOwn: Bool, isASCII: Bool, mark: Int, prefix: UInt64,
        _ nodes: inout MutableSpan<Node>
    ) {
        let member = count
        if frame.count == 0 {
            frame.first = UInt32(truncatingIfNeeded: member)
        } else {
            if frame.lastPrefix >= prefix { frame.markUnsorted() }
            nodes[Int(frame.last)].next = UInt32(truncatingIfNeeded: member)
        }
        frame.last = UInt32(truncatingIfNeeded: member)
        frame.lastPrefix = prefix
        frame.count &+= 1
        if !isASCII { frame.markNonASCIIName() }
        push(
            Node(kind: .member, mark: UInt32(truncatingIfNeeded: mark), bits: prefix), &nodes)
        string(range, isOwn: isOwn, &nodes)
    }

    mutating func open(isObject: Bool, _ nodes: inout MutableSpan<Node>) {
        if depth == outer.count { outer.append(frame) } else { outer[depth] = frame }
        depth += 1
        frame = Frame(node: count, isObject: isObject)
        push(Node(kind: isObject ? .object : .array), &nodes)
    }

    /// Closes the innermost container.
    ///
    /// - Returns: Where the name begins that occurs twice in it, if any.
    mutating func close(source: Span<UInt8>, _ nodes: inout MutableSpan<Node>) -> Int? {
        var first = Int(frame.first)
        var members = Int(frame.count)
        if frame.isObject {
            if frame.isUnsorted {
                first = sortMembers(from: first, members, source, &nodes)
                if let twin = twin(from: first, members, source, nodes) { return twin }
            }
            if frame.hasNonASCIIName,
                let twin = equivalentName(from: first, members, source, nodes)
            {
                return twin
            }
            if depth == 1, let taken {
                first = Self.leaveOut(taken, from: first, &nodes)
                members -= 1
                frame.area -= Int(nodes[taken + 1].size) + Int(nodes[taken + 2].size)
            }
        }
        let isObject = frame.isObject
        let size =
            PackedPlan.headerSize(area: frame.area, members: isObject ? members : nil) + frame.area
        nodes[Int(frame.node)] = Node(
            kind: isObject ? .object : .array, mark: UInt32(truncatingIfNeeded: first),
            next: UInt32(truncatingIfNeeded: count), size: UInt32(truncatingIfNeeded: size),
            bits: UInt64(truncatingIfNeeded: frame.area) << 32
                | UInt64(truncatingIfNeeded: members))
        depth -= 1
        frame = outer[depth]
        frame.area += size
        return nil
    }
}
