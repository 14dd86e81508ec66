import Foundation
import Settle

/// The memory of a process that reads a list page by page, of many documents beside a tenth of them.
enum CosmosListMemory: BenchmarkCase {
    static let name = "cosmos-list-memory"
    static let summary = "memory of a list, ten times the documents"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let large = bench.size.documentCount
        var peaks: [Outcome] = []
        for count in [large / 10, large] {
            let peak = try await bench.scratch.withFolder { folder in
                try CosmosListProcess.run(count, folder: folder)
            }
            peaks.append(Outcome(value: Double(peak.anonymous)))
        }
        return [
            Comparison(
                name, peer: "self-small", unit: "bytes", isHigherBetter: false,
                target: .atMost(1.5), settle: [peaks[1]], peer: [peaks[0]],
                remark: "above what the process has before, \(large) documents beside \(large / 10)"
            )
        ]
    }
}
