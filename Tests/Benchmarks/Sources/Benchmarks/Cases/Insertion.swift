import Foundation

/// Fills new databases with all documents, in transactions of a given size.
struct Insertion {
    static let appendingFloor = "floor-append"

    private let bench: Bench
    private let input: FloorPeer.Input
    private let strings: [String]

    init(_ bench: Bench) {
        self.bench = bench
        input = FloorPeer.Input(bench.documents)
        strings = bench.documents.strings
    }

    /// Runs the engines, and checks each time what they have stored and how often they flushed.
    func contest(batch: Int) async throws -> Contest {
        let count = bench.documents.count
        let commits = (count + batch - 1) / batch
        var contenders = [
            Contender(name: SettlePeer.name) { try await settle(batch, commits) },
            Contender(name: FloorPeer.name) { try await floor(batch, commits, appends: false) },
            Contender(name: GRDBPeer.name) { try await grdb(batch, commits) },
        ]
        if batch == count {
            contenders.append(
                Contender(name: Self.appendingFloor) {
                    try await floor(batch, commits, appends: true)
                })
        }
        let contest = try await Contest(contenders, repetitions: bench.size.repetitions)
        for contender in contenders {
            try bench.checkFlushes(
                contest[contender.name], of: contender.name, leastFlushes: 1)
        }
        return contest
    }

    private func settle(_ batch: Int, _ commits: Int) async throws -> Outcome {
        let documents = bench.documents
        return try await bench.scratch.withFolder { folder in
            let peer = try await SettlePeer(in: folder)
            let outcome = try await Stopwatch.durableRate(of: documents.count, commits: commits) {
                try await peer.insert(documents.texts, batch: batch)
            }
            try bench.check(peer.scan(), in: SettlePeer.name, documents)
            await peer.close()
            return outcome
        }
    }

    private func floor(_ batch: Int, _ commits: Int, appends: Bool) async throws -> Outcome {
        try await bench.scratch.withFolder { folder in
            let peer = try FloorPeer(in: folder)
            defer { peer.close() }
            let outcome = try await Stopwatch.durableRate(of: input.count, commits: commits) {
                try peer.insert(input, batch: batch, appends: appends)
            }
            try bench.check(peer.scanFields(), in: FloorPeer.name, bench.documents)
            return outcome
        }
    }

    private func grdb(_ batch: Int, _ commits: Int) async throws -> Outcome {
        let documents = bench.documents
        return try await bench.scratch.withFolder { folder in
            let peer = try GRDBPeer(in: folder)
            let outcome = try await Stopwatch.durableRate(of: documents.count, commits: commits) {
                try peer.insert(documents.identifiers, strings, batch: batch)
            }
            try bench.check(peer.scan(), in: GRDBPeer.name, documents)
            try peer.close()
            return outcome
        }
    }
}
