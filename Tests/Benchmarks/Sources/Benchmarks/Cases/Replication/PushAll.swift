import Foundation
import Settle
import SettleREST
import SettleSync

/// Documents pushed into an empty table as the replicator does it, in batches with several requests in
/// flight, beside one document at a time.
enum PushAll: BenchmarkCase {
    static let name = "push-10k"
    static let summary = "documents pushed in batches, beside one at a time"

    private static let single = "single"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let texts = Array(bench.documents.texts.prefix(bench.size.pushCount))
        return try await bench.scratch.withFolder { folder in
            let directory = folder.appendingPathComponent("server", isDirectory: true)
            return try await RunningServer.with(directory: directory) { server in
                var tableNumber = 0
                func push(requests: Int, asPlain: Bool = false) async throws -> Outcome {
                    tableNumber += 1
                    let url = try server.table("pushed\(tableNumber)")
                    return try await bench.scratch.withFolder { folder in
                        let peer = try await SettlePeer(in: folder)
                        try await peer.insert(texts, batch: 1_000)
                        let outcome = try await Stopwatch.rate(of: texts.count) {
                            var configuration = ReplicationSetUp.push(url, requests: requests)
                            if asPlain {
                                configuration.options[AzureTablesBackend.OptionName.transport] =
                                    PlainTransport()
                            }
                            let summary = try await peer.database.replicate(with: configuration)
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
                        Contender(name: single) { try await push(requests: 1, asPlain: true) },
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
