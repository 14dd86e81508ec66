import Foundation
import Settle
import SettleCosmos

/// Gets of documents from the cache of a client of Cosmos DB, beside reads of a database.
enum CosmosGetCached: BenchmarkCase {
    static let name = "cosmos-get-cached"
    static let summary = "a get that the cache answers"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let documents = bench.documents.prefix(10_000)
        let picks = documents.picks(bench.size.readCount / 10)
        let expected = picks.reduce(into: FieldSums()) { sums, pick in
            sums.addScanned(documents.facts[pick])
        }
        return try await bench.scratch.withFolder { folder in
            let plain = try await SettlePeer(in: folder, durability: .relaxed)
            try await plain.insert(documents.texts, batch: 1_000)
            let peer = try await CosmosPeer(
                in: folder, transport: CosmosStub(listed: documents))
            try await peer.readCollection()
            try BenchmarkError.check(
                try await peer.list(), is: documents.count, "The documents that were listed")
            let contest = try await Contest(
                [
                    Contender(name: "settle") {
                        try await rate(expected, documents, picks) { id, type in
                            try await peer.get(id, type, lifetime: .seconds(86_400))
                        }
                    },
                    Contender(name: "self-documents") {
                        try await rate(expected, documents, picks) { id, _ in
                            guard let found = try await plain.database.fetchDocument(id) else {
                                throw BenchmarkError("The document '\(id)' is not there.")
                            }
                            return found
                        }
                    },
                ], repetitions: bench.size.repetitions)
            peer.client.reset()
            await plain.close()
            return [
                Comparison(
                    name, peer: "self-documents", unit: "reads/s", target: .atLeast(0.4),
                    settle: contest["settle"], peer: contest["self-documents"],
                    remark: "one by one, two members of each")
            ]
        }
    }

    private static func rate(
        _ expected: FieldSums, _ documents: DocumentSet, _ picks: [Int],
        _ read: (String, String) async throws -> Document
    ) async throws -> Outcome {
        try await Stopwatch.rate(of: picks.count) {
            var sums = FieldSums()
            for pick in picks {
                let document = try await read(
                    documents.identifiers[pick], documents.facts[pick].place.type)
                sums.count += 1
                sums.amounts += document.integer("amount") ?? 0
                sums.textBytes += document.string("type")?.utf8.count ?? 0
            }
            try BenchmarkError.check(sums, is: expected, "What was read one by one")
        }
    }
}
