/// What a ratio should be.
enum Target: Sendable {
    case atLeast(Double)
    case atMost(Double)

    /// Whether a ratio is good enough.
    func isMet(by ratio: Double) -> Bool {
        switch self {
        case .atLeast(let bound): ratio >= bound
        case .atMost(let bound): ratio <= bound
        }
    }
}

/// Settle beside a peer in one case.
struct Comparison: Sendable {
    let caseName: String
    let peerName: String
    let unit: String
    /// Whether more is better.
    let isHigherBetter: Bool
    /// What was promised; nil for a figure that only helps to understand.
    let target: Target?
    /// Settle's figure and the peer's in the repetition with the middle ratio.
    let settle: Outcome
    let peer: Outcome
    /// The smallest and the largest ratio of all repetitions.
    let spread: ClosedRange<Double>
    /// Something to know about the figure.
    var remark: String?

    /// Settle's figure divided by the peer's.
    var ratio: Double { settle.value / peer.value }

    /// Compares outcomes pair by pair, as they were measured beside each other.
    init(
        _ caseName: String, peer peerName: String, unit: String, isHigherBetter: Bool = true,
        target: Target? = nil, settle: [Outcome], peer: [Outcome], remark: String? = nil
    ) {
        precondition(
            !settle.isEmpty && settle.count == peer.count,
            "Every repetition has an outcome of both.")
        let pairs = zip(settle, peer).sorted { $0.0.value / $0.1.value < $1.0.value / $1.1.value }
        let (first, middle, last) = (pairs[0], pairs[pairs.count / 2], pairs[pairs.count - 1])
        self.caseName = caseName
        self.peerName = peerName
        self.unit = unit
        self.isHigherBetter = isHigherBetter
        self.target = target
        self.settle = middle.0
        self.peer = middle.1
        self.spread = (first.0.value / first.1.value)...(last.0.value / last.1.value)
        self.remark = remark
    }

    /// Whether it belongs to the promised figures rather than to the notes.
    var isPromised: Bool {
        Self.promisedPeers.contains(peerName) || peerName.hasPrefix("self-")
    }

    private static let promisedPeers: Set = [
        "floor", "foundation", "grdb", "grdb-sums", "json", "limit", "self",
    ]
}
