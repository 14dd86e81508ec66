import Foundation

/// A comparison as one line of JSON.
struct JSONLine: Encodable {
    private let `case`: String
    private let peerName: String
    private let settle: Double
    private let peer: Double
    private let ratio: Double
    private let unit: String
    private let better: String
    private let settleFlushes: Double?
    private let peerFlushes: Double?

    init(_ comparison: Comparison) {
        `case` = comparison.caseName
        peerName = comparison.peerName
        settle = comparison.settle.value
        peer = comparison.peer.value
        ratio = comparison.ratio
        unit = comparison.unit
        better = comparison.isHigherBetter ? "higher" : "lower"
        settleFlushes = comparison.settle.flushes
        peerFlushes = comparison.peer.flushes
    }

    /// The line, without its end.
    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
