import Foundation
import Settle
import SettleREST
import SettleSync

/// Documents pushed into an empty table with eight requests in flight, beside one.
enum PushAll: BenchmarkCase {
    static let name = "push-10k"
    static let summary = "documents pushed, eight requests in flight beside one"

    private static let single = "single"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let texts = Array(bench.documents.texts.prefix(bench.size.pushCount))
        return try await bench.scratch.withFolder { folder in
            let directory = folder.appendingPathComponent("server", isDirectory: true)
            return try await RunningServer.with(directory: directory) { server in
                var tableNumber = 0
                func push(requests: Int) async throws -> Outcome {
                    tableNumber += 1
                    let url = try server.table("pushed\(tableNumber)")
                    return try await bench.scratch.withFolder { folder in
                        let peer = try await SettlePeer(in: folder)
                        try await peer.insert(texts, batch: 1_000)
                        let outcome = try await Stopwatch.rate(of: texts.count) {
                            let summary = try await peer.database.replicate(
                                with: ReplicationSetUp.push(url, requests: requests))
                            try BenchmarkError.check(
                                summary.pushed, is: texts.count, "The documents pushed")
                        }
                        await peer.close()
                        return outcome
                    }
                }
                let contest = try await Contest(
                    [
                        Contender(name: SettlePeer.name) { try await push(requests: 8) },
                        Contender(name: single) { try await push(requests: 1) },
                    ], repetitions: bench.size.importRepetitions)
                return [
                    Comparison(
                        name, peer: "self-single", unit: "docs/s", target: .atLeast(4),
                        settle: contest[SettlePeer.name], peer: contest[single],
                        remark: "\(texts.count) documents, durable on both sides")
                ]
            }
        }
    }
}
