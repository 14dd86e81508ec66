import Foundation
import Settle

/// What an operation adds to the time of writing the document again that it is about.
enum OutboxAdd: BenchmarkCase {
    static let name = "outbox-add"
    static let summary = "an operation about a document, beside writing the document again"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let counts = bench.size.queuingCounts
        return [
            try await compare(bench, "self", batch: 100, commits: counts.hundred),
            try await compare(bench, "self-1", batch: 1, commits: counts.single),
            try await compare(bench, "self-1000", batch: 1_000, commits: counts.thousand),
            try await compare(
                bench, "self-relaxed-1", batch: 1, commits: counts.single, isDurable: false),
            try await compare(
                bench, "self-relaxed", batch: 100, commits: counts.hundred, isDurable: false),
            try await compare(
                bench, "self-relaxed-1000", batch: 1_000, commits: counts.thousand,
                isDurable: false),
            try await compare(
                bench, "random", batch: 1_000, commits: counts.thousand, isDurable: false,
                hasRandomIdentifiers: true),
        ]
    }

    private static func compare(
        _ bench: Bench, _ peer: String, batch: Int, commits: Int, isDurable: Bool = true,
        hasRandomIdentifiers: Bool = false
    ) async throws -> Comparison {
        let durability: Database.Durability = isDurable ? .full : .relaxed
        let queuing = try await bench.scratch.withFolder { folder in
            let plain = try await SettlePeer(
                in: folder.appendingPathComponent("plain"), durability: durability)
            let queued = try await SettlePeer(
                in: folder.appendingPathComponent("queued"), durability: durability)
            let queuing = try await Queuing(
                bench.documents, plain: plain, queued: queued, batch: batch, commits: commits,
                repetitions: bench.size.repetitions, hasRandomIdentifiers: hasRandomIdentifiers)
            await plain.close()
            await queued.close()
            return queuing
        }
        if isDurable {
            for (outcomes, engine) in [
                (queuing.alone, "Settle"), (queuing.extra, "Settle with an outbox"),
            ] {
                try bench.checkFlushes(outcomes, of: engine, leastFlushes: 1)
            }
        }
        return Comparison(
            name, peer: peer, unit: "µs", isHigherBetter: false,
            target: hasRandomIdentifiers ? nil : .atMost(0.5),
            settle: queuing.extra, peer: queuing.alone,
            remark: "\(isDurable ? "durable" : "relaxed"), \(batch) a commit"
                + (hasRandomIdentifiers ? ", operations with random identifiers" : ""))
    }
}
