/// The sum of a range of an index: in three sizes by Settle, in the largest by GRDB, in the middle
/// one by a walk over the rows.
struct RangeReduction {
    let bench: Bench
    let caseName: String
    /// What is added up; nil for all rows.
    let range: (PlaceAmounts) -> Range<Place>?

    private static let small = "small"
    private static let middle = "middle"
    private static let middleGRDB = "grdb-middle"
    private static let middleFloor = "floor-middle"

    func comparisons() async throws -> [Comparison] {
        let counts = bench.size.indexCounts
        let small = try await bench.indexed.peers(counts.small)
        let middle = try await bench.indexed.peers(counts.middle)
        let large = try await bench.indexed.peers(counts.large)
        let contest = try await Contest(
            [
                settle(SettlePeer.name, large), settle(Self.middle, middle),
                settle(Self.small, small), grdb(GRDBPeer.name, large),
                grdb(Self.middleGRDB, middle), floor(Self.middleFloor, middle),
            ], repetitions: bench.size.repetitions)
        let largest = contest[SettlePeer.name]
        return [
            Comparison(
                caseName, peer: "self", unit: "µs", isHigherBetter: false, target: .atMost(2),
                settle: largest.map(\.microseconds), peer: contest[Self.small].map(\.microseconds),
                remark: "\(counts.large) rows beside \(counts.small)"),
            Comparison(
                caseName, peer: GRDBPeer.name, unit: "queries/s", target: .atLeast(200),
                settle: largest, peer: contest[GRDBPeer.name],
                remark: "SUM over its index, \(counts.large) rows"),
            Comparison(
                caseName, peer: FloorPeer.name, unit: "queries/s", target: .atLeast(15),
                settle: contest[Self.middle], peer: contest[Self.middleFloor],
                remark: "a walk over the rows in C, \(counts.middle) rows"),
            Comparison(
                caseName, peer: Self.middleGRDB, unit: "queries/s", settle: contest[Self.middle],
                peer: contest[Self.middleGRDB],
                remark: "SUM over its index, \(counts.middle) rows"),
        ]
    }

    private func settle(_ name: String, _ peers: IndexedPeers) -> Contender {
        let range = range(peers.amounts)
        let expected = expected(peers, range)
        return Contender(name: name) {
            try await Stopwatch.steadyRate { _ in
                try BenchmarkError.check(
                    try await peers.settle.sum(of: range), is: expected, "Settle's sum")
            }
        }
    }

    private func grdb(_ name: String, _ peers: IndexedPeers) -> Contender {
        let range = range(peers.amounts)
        let expected = expected(peers, range)
        return Contender(name: name) {
            try peers.grdb.withPlaces { places in
                try Stopwatch.steadyRate { _ in
                    let sum = try range.map { try places.sum(of: $0) } ?? places.sum()
                    try BenchmarkError.check(sum, is: expected, "GRDB's sum")
                }
            }
        }
    }

    private func floor(_ name: String, _ peers: IndexedPeers) -> Contender {
        let range = range(peers.amounts)
        let expected = expected(peers, range)
        return Contender(name: name) {
            try Stopwatch.steadyRate { _ in
                try BenchmarkError.check(
                    peers.floor.sum(of: range), is: expected, "The floor's sum")
            }
        }
    }

    private func expected(_ peers: IndexedPeers, _ range: Range<Place>?) -> Int {
        range.map { peers.amounts.total(of: $0) } ?? peers.amounts.total
    }
}
