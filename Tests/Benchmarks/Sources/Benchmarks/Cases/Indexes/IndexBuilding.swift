import Settle

/// Builds an index over all documents, again and again, and checks each time what is in it.
struct IndexBuilding {
    private let bench: Bench
    private let expected: AnswerSums
    private let total: Int

    init(_ bench: Bench) {
        self.bench = bench
        let amounts = PlaceAmounts(bench.documents)
        expected = amounts.rows(of: amounts.places)
        total = amounts.total
    }

    /// Settle by an index of its own; until it answers.
    func settle(_ peer: SettlePeer, _ index: Database.Index) async throws -> Outcome {
        let outcome = try await rate { try await peer.build(index) }
        try BenchmarkError.check(
            try await peer.allRows(), is: expected, "The rows of Settle's index")
        try await peer.remove(index)
        return outcome
    }

    func grdb(_ peer: GRDBPeer) throws -> Outcome {
        let outcome = try rate { try peer.createIndex() }
        try BenchmarkError.check(
            peer.withPlaces { try $0.sum() }, is: total, "The sum of GRDB's index")
        try peer.dropIndex()
        return outcome
    }

    func floor(_ peer: FloorPeer, of documents: FloorPeer) throws -> Outcome {
        let outcome = try rate { try peer.buildIndex(of: documents) }
        try BenchmarkError.check(peer.sum(), is: total, "The sum of the floor's index")
        try peer.clear()
        return outcome
    }

    /// Settle by one kind of closure beside its own declared index.
    func comparison(
        _ name: String, _ index: Database.Index, target: Target
    ) async throws -> Comparison {
        let contest = try await FilledPeers.with(bench) { peers in
            try await Contest(
                [
                    Contender(name: name) { try await settle(peers.settle, index) },
                    Contender(name: SettlePeer.name) {
                        try await settle(peers.settle, SettleIndexes.places)
                    },
                ], repetitions: bench.size.repetitions)
        }
        return Comparison(
            name, peer: "self", unit: "documents/s", target: target, settle: contest[name],
            peer: contest[SettlePeer.name], remark: "the same, declared")
    }

    private func rate(_ build: () throws -> Void) rethrows -> Outcome {
        try Stopwatch.rate(of: expected.count, build)
    }

    private func rate(_ build: () async throws -> Void) async rethrows -> Outcome {
        try await Stopwatch.rate(of: expected.count, build)
    }
}
