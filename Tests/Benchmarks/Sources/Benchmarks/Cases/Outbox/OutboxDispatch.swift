import Foundation
import Settle
import SettleOutbox

/// The next operation started and completed, out of a long queue and out of a short one.
enum OutboxDispatch: BenchmarkCase {
    static let name = "outbox-dispatch"
    static let summary = "the next operation started and completed, long queue beside short"

    private static let graphSize = 20
    private static let short = "short"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        var comparisons: [Comparison] = []
        for (peer, algorithm, isOneGraph) in [
            ("self", PipelineAlgorithm.commitGraph, true), ("self-graphs", .commitGraph, false),
            ("self-flat", .flatGraph, true), ("self-flat-graphs", .flatGraph, false),
        ] {
            comparisons += try await compare(bench, peer, algorithm, isOneGraph: isOneGraph)
        }
        return comparisons
    }

    private static func compare(
        _ bench: Bench, _ peer: String, _ algorithm: PipelineAlgorithm, isOneGraph: Bool
    ) async throws -> [Comparison] {
        let counts = bench.size.queueCounts
        var written: [String: [Outcome]] = [:]
        let contest = try await bench.scratch.withFolder { folder in
            var peers: [SettlePeer] = []
            for count in [counts.large, counts.small] {
                let peer = try await SettlePeer(
                    in: folder.appendingPathComponent("\(count)"), durability: .relaxed)
                try await OperationQueue(
                    count: count, graphSize: isOneGraph ? count : graphSize, algorithm: algorithm
                ).fill(peer.database)
                peers.append(peer)
            }
            let contest = try await Contest(
                zip([SettlePeer.name, short], peers).map { name, peer in
                    Contender(name: name) {
                        let watch = try await dispatch(bench, peer.database, algorithm)
                        written[name, default: []].append(Outcome(value: watch.writtenByteCount))
                        return Outcome(value: watch.time)
                    }
                }, repetitions: bench.size.durableRepetitions)
            let done = bench.size.durableRepetitions * bench.size.dispatchCount
            for (count, peer) in zip([counts.large, counts.small], peers) {
                try BenchmarkError.check(
                    OperationQueue.count(in: peer.database), is: count - done,
                    "The operations that are left")
                await peer.close()
            }
            return contest
        }
        let graphs = isOneGraph ? "one graph" : "graphs of \(graphSize)"
        let remark =
            "\(algorithm.rawValue), \(graphs); \(counts.large) queued beside \(counts.small)"
        func comparison(
            _ peer: String, _ unit: String, _ bound: Double, _ settle: [Outcome]?,
            _ other: [Outcome]?, _ remark: String
        ) -> Comparison {
            Comparison(
                name, peer: peer, unit: unit, isHigherBetter: false,
                target: .atMost(bound), settle: settle ?? [], peer: other ?? [], remark: remark)
        }
        return [
            // As the logarithms of 100,000 and 1,000.
            comparison(peer, "µs", 5 / 3, contest[SettlePeer.name], contest[short], remark),
            // A tree has whole levels, so that its pages are not quite as the logarithms.
            comparison(
                peer + "-written", "bytes", 2, written[SettlePeer.name], written[short],
                "the same, written"),
        ]
    }

    private static func dispatch(
        _ bench: Bench, _ database: Database, _ algorithm: PipelineAlgorithm
    ) async throws -> DispatchWatch {
        let watch = DispatchWatch(completing: bench.size.dispatchCount)
        let outbox = try await database.openOutbox(
            OutboxConfiguration(
                operations: [PutOrder.self],
                pipelines: [
                    PipelineConfiguration(
                        algorithm: algorithm, maxConcurrentOperationCount: 1, delegate: watch)
                ]))
        await watch.finish()
        await outbox.close()
        try BenchmarkError.check(
            watch.isInOrder(of: algorithm), is: true, "Whether operations came in their order")
        return watch
    }
}
