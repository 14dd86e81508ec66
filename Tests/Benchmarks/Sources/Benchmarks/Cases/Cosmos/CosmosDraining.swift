import Foundation
import Settle
import SettleCosmos

/// A queue that is sent in batches, beside one whose writes each have a partition of their own.
enum CosmosDraining: BenchmarkCase {
    static let name = "cosmos-draining"
    static let summary = "sending what was written offline"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let documents = bench.documents.prefix(bench.size.pushCount)
        let contest = try await Contest(
            [
                Contender(name: "settle") { try await drain(documents, bench) { $0.place.type } },
                Contender(name: "self-single") {
                    // The partition is the identifier.
                    try await drain(documents, bench, isSingle: true) { $0.place.type }
                },
            ], repetitions: bench.size.importRepetitions)
        return [
            Comparison(
                name, peer: "self-single", unit: "writes/s", target: .atLeast(4),
                settle: contest["settle"], peer: contest["self-single"],
                remark:
                    "\(documents.count) in 5 partitions beside one partition each, durable, to a service "
                    + "that answers at once")
        ]
    }

    private static func drain(
        _ documents: DocumentSet, _ bench: Bench, isSingle: Bool = false,
        _ type: @escaping @Sendable (DocumentFacts) -> String
    ) async throws -> Outcome {
        try await bench.scratch.withFolder { folder in
            let peer = try await CosmosPeer(in: folder, transport: CosmosStub())
            try await peer.readCollection()
            peer.client.isNetworkAvailable = false
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<64 {
                    group.addTask {
                        for index in stride(from: task, to: documents.count, by: 64) {
                            var document = try Document(json: documents.texts[index])
                            var key = type(documents.facts[index])
                            if isSingle {
                                key = documents.identifiers[index]
                                document["type"] = key
                            }
                            try await peer.create(document, key)
                        }
                    }
                }
                try await group.waitForAll()
            }
            // What is sent in the background begins with the network; it is waited for here.
            let outcome = try await Stopwatch.rate(of: documents.count) {
                peer.client.isNetworkAvailable = true
                try await peer.client.sendQueuedWrites()
            }
            try BenchmarkError.check(
                try await peer.client.queuedWrites().count, is: 0, "The writes that wait")
            peer.client.reset()
            return outcome
        }
    }
}
