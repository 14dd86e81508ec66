import Foundation
import SettleOutbox

/// A database and its outbox opened with a long queue, beside the same with an empty one.
///
/// Each is opened in a process of its own, which has nothing else in its memory.
enum OutboxOpen: BenchmarkCase {
    static let name = "outbox-open"
    static let summary = "a database and its outbox with a long queue, opened"

    private static let empty = "empty"
    private static let millisecondsMax = 200.0
    private static let bytesMax = 300.0

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let count = bench.size.queueCounts.large
        return try await bench.scratch.withFolder { folder in
            let long = folder.appendingPathComponent("long", isDirectory: true)
            let short = folder.appendingPathComponent("short", isDirectory: true)
            try await fill(long, bench.documents, operations: count)
            try await fill(short, bench.documents, operations: 0)
            var reports: [String: [OutboxProcess.Report]] = [:]
            func open(_ folder: URL, _ name: String, _ count: Int) throws -> Outcome {
                let report = try OutboxProcess.run(folder: folder, expecting: count)
                reports[name, default: []].append(report)
                return Outcome(value: report.milliseconds)
            }
            _ = try await Contest(
                [
                    Contender(name: SettlePeer.name) { try open(long, SettlePeer.name, count) },
                    Contender(name: empty) { try open(short, empty, 0) },
                ], repetitions: bench.size.repetitions)
            let pairs = Array(zip(reports[SettlePeer.name] ?? [], reports[empty] ?? []))
            return [
                beyond(
                    pairs.map { ($0.milliseconds, $1.milliseconds) }, "ms", millisecondsMax,
                    "until it was open with \(count) operations, beyond the same with none"),
                beyond(
                    pairs.map {
                        (Double($0.anonymous) / Double(count), Double($1.anonymous) / Double(count))
                    }, "bytes", bytesMax,
                    "of memory for each of \(count) operations, the first of them started"),
            ]
        }
    }

    /// What the long queue takes beyond the empty one, beside what was promised at most.
    private static func beyond(
        _ pairs: [(long: Double, short: Double)], _ unit: String, _ limit: Double,
        _ remark: String
    ) -> Comparison {
        Comparison(
            name, peer: "limit", unit: unit, isHigherBetter: false, target: .atMost(1),
            settle: pairs.map { Outcome(value: max(0, $0.long - $0.short)) },
            peer: pairs.map { _ in Outcome(value: limit) }, remark: remark)
    }

    private static func fill(
        _ folder: URL, _ documents: DocumentSet, operations: Int
    ) async throws {
        let peer = try await SettlePeer(in: folder)
        try await peer.insert(documents.texts, batch: documents.count)
        try await OperationQueue(count: operations, graphSize: 1_000, algorithm: .commitGraph)
            .fill(peer.database)
        await peer.close()
    }
}
