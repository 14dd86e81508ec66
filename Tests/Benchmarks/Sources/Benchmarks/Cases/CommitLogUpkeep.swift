import Foundation
import Settle

/// Documents at random replaced, each in a relaxed commit, past many storage checkpoints: the longest commit,
/// how much the file grows, and the open after the process was killed.
enum CommitLogUpkeep: BenchmarkCase {
    static let name = "commit-log"
    static let summary = "the longest of random updates, the file's growth, the open after a kill"

    private static let millisecondsMax = 20.0
    private static let growthMax = 2.5
    private static let openMillisecondsMax = 1_000.0

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        var longest: [Outcome] = []
        var usual: [Outcome] = []
        var growth: [Outcome] = []
        var opens: [Outcome] = []
        for _ in 0..<bench.size.importRepetitions {
            try await bench.scratch.withFolder { folder in
                let peer = try await SettlePeer(in: folder, durability: .relaxed)
                try await peer.insert(bench.documents.texts, batch: bench.documents.count)
                let before = try peer.byteCount()
                let times = try await peer.updateSingly(
                    bench.documents, count: bench.size.singleCountWithCheckpoints)
                longest.append(Outcome(value: times.last ?? 0))
                usual.append(Outcome(value: times[times.count / 2]))
                growth.append(Outcome(value: Double(try peer.byteCount()) / Double(before)))
                try bench.check(peer.scan(), in: SettlePeer.name, bench.documents)
                await peer.close()
                try KilledProcess.run(
                    folder, documents: bench.documents.count,
                    count: bench.size.singleCountWithCheckpoints)
                let begun = ContinuousClock.now
                let again = try await SettlePeer(in: folder, durability: .relaxed)
                opens.append(Outcome(value: (ContinuousClock.now - begun) / .milliseconds(1)))
                try bench.check(again.scan(), in: SettlePeer.name, bench.documents)
                await again.close()
            }
        }
        func beside(
            _ limit: Double, _ outcomes: [Outcome], _ peer: String, _ unit: String, _ remark: String
        ) -> Comparison {
            Comparison(
                name, peer: peer, unit: unit, isHigherBetter: false, target: .atMost(1),
                settle: outcomes, peer: outcomes.map { _ in Outcome(value: limit) }, remark: remark)
        }
        let middle = usual.map(\.value).sorted()[usual.count / 2]
        return [
            beside(
                millisecondsMax, longest, "self-longest", "ms",
                "the longest of \(bench.size.singleCountWithCheckpoints) commits beside what is allowed; "
                    + "the middle one \(Figures.short(middle)) ms"),
            beside(
                growthMax, growth, "self-growth", "times",
                "the files after the commits in sizes before, beside what is allowed"),
            beside(
                openMillisecondsMax, opens, "self-killed", "ms",
                "the open after a process was killed that had made as many commits"),
        ]
    }
}
