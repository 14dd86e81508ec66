/// What is to be packed, laid out flat with the size of everything known.
///
/// A packed object begins with the offsets of its sorted members, which are known only at its
/// end. So values are first noted here in the order they come (strings stay where they lie in
/// the source), and `write(source:)` then writes every byte once, in its final place.
///
/// The memory of a plan is used again for the next value after `reset()`.
struct PackedPlan: Sendable {
    enum Kind: UInt8 {
        case null, `false`, `true`, integer, double
        /// A string that lies in the source text as it is.
        case sourceString
        /// A string that lies in `own`.
        case ownString
        case array, object
        /// A member of an object; its name and its value are the nodes that follow.
        case member
    }

    /// One value, name, or member.
    ///
    /// What the fields hold depends on the kind.
    struct Node {
        var kind: Kind
        /// Of a member, where its name began in the source; of an object, the first in order.
        var mark: UInt32 = 0
        /// Of a container, the node after the last one inside; of a member, the next in order.
        var next: UInt32 = 0
        /// How many bytes the packed value has; of a container, with all that is inside.
        var size: UInt32 = 0
        /// The bits of a number; the start and length of a string; the room that a container's
        /// content takes and the count of members; of a member, the first bytes of its name.
        var bits: UInt64 = 0

        @inline(__always) var start: Int { Int(truncatingIfNeeded: bits >> 32) }
        @inline(__always) var count: Int { Int(truncatingIfNeeded: bits & 0xFFFF_FFFF) }
        @inline(__always) var range: Range<Int> { start..<(start + count) }
    }

    /// The nodes noted so far, and behind them room for more.
    private(set) var nodes: [Node] = []
    /// What is open at the moment.
    var state = PackedPlanState()

    /// The size of the whole once everything is closed.
    var size: Int { state.area }

    /// Forgets what was noted and keeps the memory, unless there is very much of it.
    mutating func reset() {
        if nodes.count > 1 << 16 { nodes = [] }
        state.reset()
    }

    /// Makes room for at least that many more nodes.
    mutating func reserve(_ count: Int) {
        guard nodes.count - state.count < count else { return }
        nodes.append(
            contentsOf: repeatElement(Node(kind: .null), count: max(64, count, nodes.count)))
    }

    /// Gives the state and the room for nodes to what notes values.
    ///
    /// - Precondition: There is room for what is noted; see `reserve(_:)`.
    mutating func note<Result, Failure: Error>(
        _ body: (inout PackedPlanState, inout MutableSpan<Node>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Taken out for the time, because the compiler lends a span of the whole plan only.
        var lent: [Node] = []
        swap(&lent, &nodes)
        defer { swap(&lent, &nodes) }
        var room = lent.mutableSpan
        return try body(&state, &room)
    }

    @inline(__always)
    static func stringSize(_ length: Int) -> Int {
        length <= Int(PackedTag.shortStringMax)
            ? 1 + length : 1 + (1 << Int(PackedTag.widthClass(length))) + length
    }

    static func headerSize(area: Int, members: Int?) -> Int {
        1 + (1 << Int(PackedTag.widthClass(area))) * (1 + (members ?? 0))
    }
}
