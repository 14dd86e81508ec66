import Foundation
import Settle

/// A hundred documents changed in one commit, and then the sum of all, beside the commit alone.
enum UpdateAndReduce: BenchmarkCase {
    static let name = "update-100"
    static let summary = "100 documents changed in one commit, then the sum of all rows"

    private static let plain = "plain"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let count = bench.size.indexCounts.middle
        let contest = try await bench.scratch.withFolder { folder in
            let peers = try await IndexedPeers(count, in: folder)
            let plainPeer = try await SettlePeer(
                in: folder.appendingPathComponent(plain, isDirectory: true))
            try await DocumentGenerator.forEachBatch(of: count) {
                try await plainPeer.insert($0.texts, batch: $0.count)
            }
            let contest = try await Contest(
                [
                    indexed(bench, peers), unindexed(bench, plainPeer), grdb(bench, peers),
                ], repetitions: bench.size.durableRepetitions)
            await plainPeer.close()
            try await peers.close()
            return contest
        }
        for name in [SettlePeer.name, plain, GRDBPeer.name] {
            try bench.checkFlushes(contest[name], of: name, leastFlushes: 1)
        }
        return [
            comparison(contest, plain, "self", .atMost(3), "the commit alone, without an index"),
            comparison(
                contest, GRDBPeer.name, GRDBPeer.name, nil, "UPDATE, and SUM over its index"),
        ]
    }

    private static func indexed(_ bench: Bench, _ peers: IndexedPeers) -> Contender {
        var changes = AmountChanges(bench, total: peers.amounts.total)
        return Contender(name: SettlePeer.name) {
            let rounds = changes.next()
            let documents = try await raised(rounds, in: peers.settle)
            return try await time(rounds) {
                for (round, documents) in zip(rounds, documents) {
                    try await peers.settle.write(documents)
                    try BenchmarkError.check(
                        try await peers.settle.sum(), is: round.total, "Settle's sum")
                }
            }
        }
    }

    private static func unindexed(_ bench: Bench, _ peer: SettlePeer) -> Contender {
        var changes = AmountChanges(bench, total: 0)
        return Contender(name: plain) {
            let rounds = changes.next()
            let documents = try await raised(rounds, in: peer)
            return try await time(rounds) {
                for documents in documents { try await peer.write(documents) }
            }
        }
    }

    private static func grdb(_ bench: Bench, _ peers: IndexedPeers) -> Contender {
        var changes = AmountChanges(bench, total: peers.amounts.total)
        return Contender(name: GRDBPeer.name) {
            let rounds = changes.next()
            return try await time(rounds) {
                for round in rounds {
                    try peers.grdb.raise(round.identifiers)
                    try BenchmarkError.check(
                        peers.grdb.withPlaces { try $0.sum() }, is: round.total, "GRDB's sum")
                }
            }
        }
    }

    private static func raised(
        _ rounds: [AmountChanges.Round], in peer: SettlePeer
    ) async throws -> [[Document]] {
        var documents: [[Document]] = []
        for round in rounds { documents.append(try await peer.raised(round.identifiers)) }
        return documents
    }

    private static func time(
        _ rounds: [AmountChanges.Round], _ work: () async throws -> Void
    ) async throws -> Outcome {
        try await Stopwatch.durableRate(of: rounds.count, commits: rounds.count, work).microseconds
    }

    private static func comparison(
        _ contest: Contest, _ contender: String, _ peer: String, _ target: Target?,
        _ remark: String
    ) -> Comparison {
        Comparison(
            name, peer: peer, unit: "µs", isHigherBetter: false, target: target,
            settle: contest[SettlePeer.name], peer: contest[contender], remark: remark)
    }
}
