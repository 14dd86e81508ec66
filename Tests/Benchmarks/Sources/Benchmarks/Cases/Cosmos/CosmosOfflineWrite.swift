import Foundation
import Settle
import SettleCosmos

/// Writes without a network, which change the cache and wait, beside durable inserts into a database.
enum CosmosOfflineWrite: BenchmarkCase {
    static let name = "cosmos-offline-write"
    static let summary = "a durable write offline"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let documents = bench.documents.prefix(bench.size.singleCount)
        let singles = SingleInsertion(bench, documents)
        let contest = try await Contest(
            [
                Contender(name: SettlePeer.name) {
                    try await bench.scratch.withFolder { folder in
                        let peer = try await CosmosPeer(in: folder, transport: CosmosStub())
                        try await peer.readCollection()
                        peer.client.isNetworkAvailable = false
                        let outcome = try await Stopwatch.durableRate(
                            of: documents.count, commits: documents.count
                        ) {
                            for (text, facts) in zip(documents.texts, documents.facts) {
                                try await peer.create(Document(json: text), facts.place.type)
                            }
                        }
                        try BenchmarkError.check(
                            try await peer.client.queuedWrites().count, is: documents.count,
                            "The writes that wait")
                        peer.client.reset()
                        return outcome
                    }
                },
                Contender(name: "self-documents") { try await singles.settle(tasks: 1) },
            ], repetitions: bench.size.durableRepetitions)
        for name in [SettlePeer.name, "self-documents"] {
            try bench.checkFlushes(contest[name], of: name, leastFlushes: 1)
        }
        return [
            Comparison(
                name, peer: "self-documents", unit: "documents/s", target: .atLeast(0.4),
                settle: contest[SettlePeer.name], peer: contest["self-documents"],
                remark: "one caller, one commit each")
        ]
    }
}
